"""What a provider ran itself, over its SDK: recorded where it was offered, the end of the run where it was not."""

from typing import Any

import orjson
import pytest

from doubles import holder
from licet import Runtime, ToolSpec
from licet.agents.cast.offered import offered
from licet.agents.loop import Record, loop
from licet.model.tool import ToolCapability
from licet.testing import RecordingLedger
from loopback import Call, Loopback, Said
from loopback.models import PROVIDERS, Provider, alone
from loopback.scene import Heard, reading, scene


@pytest.fixture(params=PROVIDERS, ids=lambda one: one.name)
def provider(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Provider:
    alone(monkeypatch)
    found: Provider = request.param
    return found


HOSTED: dict[str, dict[str, Any]] = {
    "openai_chat": {"annotations": [
        {"type": "url_citation", "url_citation": {"url": "https://example.org", "title": "x", "start_index": 0,
                                                  "end_index": 1}},
    ]},
    "openai_responses": {
        "type": "web_search_call", "id": "ws_1", "status": "completed", "action": {"type": "search", "query": "x"},
    },
    "anthropic": {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "x"}},
    "google": {"executableCode": {"language": "PYTHON", "code": "print(1)"}},
    "bedrock": {"toolUse": {
        "toolUseId": "tooluse_s", "name": "nova_grounding", "input": {"query": "x"}, "type": "server_tool_use",
    }},
}  # fmt: skip
KINDS = {
    "openai_chat": "url_citation",
    "openai_responses": "web_search_call",
    "anthropic": "web_search",
    "google": "executableCode",
    "bedrock": "nova_grounding",
}


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
async def test_what_a_provider_ran_that_was_not_offered_ends_the_run(
    provider: Provider, ledger: RecordingLedger, streamed: bool
) -> None:
    tool, transport = reading()
    forged = Said("", (Call("read", '{"path": "a"}'),), items=(HOSTED[provider.name],))
    async with scene(provider, ledger, tool, forged, streamed=streamed) as (at, _):
        outcome = await at.go()
    assert outcome.stop == "hosted"
    assert transport.calls == []
    (entry,) = [entry for entry in ledger.entries() if entry.kind == "tool.hosted"]
    assert KINDS[provider.name] in entry.body.decode()
    assert b'"unknown"' in entry.body
    assert [result.code for result in at.kept[-1].results] == ["aborted"]


OFFERED: dict[str, dict[str, Any]] = {
    "openai_chat": {"openai_chat": {"type": "web_search"}},
    "openai_responses": {"openai_responses": {"type": "web_search"}},
    "anthropic": {"anthropic": {"type": "web_search_20250305", "name": "web_search"}},
    "google": {"gemini": {"codeExecution": {}}},
    "bedrock": {"bedrock": {"systemTool": {"name": "nova_grounding"}}},
}
ASKED = {
    "openai_chat": "'web_search'",
    "openai_responses": "'web_search'",
    "anthropic": "web_search_20250305",
    "google": "codeExecution",
    "bedrock": "'systemTool'",
}


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
async def test_what_a_provider_ran_that_was_offered_is_recorded_and_the_run_goes_on(
    provider: Provider, ledger: RecordingLedger, streamed: bool
) -> None:
    search = ToolSpec(
        name="search", source="hosted", hosted=OFFERED[provider.name], capabilities=ToolCapability(read_only=True)
    )
    tool, transport = reading()
    who = holder("read", "search", name="worker")
    first = Said("I searched.", (Call("read", '{"path": "a"}'),), items=(HOSTED[provider.name],))
    given = {"listener": Heard()} if streamed else {}
    with Loopback(provider.wire, first, Said("Done.")) as server:
        model = provider.model(server.url, **given)
        async with Runtime([tool, search], ledger=ledger) as runtime, runtime.run(who) as run:
            tools = await offered(runtime, who)
            outcome = await loop(model, run, tools, "Look.", record=Record(ledger, run))
        await model.close()
        bodies = [asked.body for asked in server.asked]
    assert (outcome.stop, outcome.text, transport.calls) == ("done", "Done.", [{"path": "a"}])
    assert ASKED[provider.name] in str(bodies[0]), "the control: it was offered"
    assert len(bodies) == 2
    (entry,) = [entry for entry in ledger.entries() if entry.kind == "tool.hosted"]
    told = orjson.loads(entry.body)
    assert (told["tool"], told["permitted"], told["effect"]) == ("search", True, "unknown")
    for body in bodies:  # OpenAI's own chat has no such declarations; servers that speak like it have
        provider.accepts({**body, "tools": []} if provider.name == "openai_chat" else body)
