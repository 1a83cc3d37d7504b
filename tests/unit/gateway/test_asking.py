"""Approvals by the client's own question to its user, in both eras."""

from typing import Any

import mcp_types as types
import pytest
from mcp import MCPError
from pydantic import TypeAdapter
from served import ERAS, client, gateway

from licet import Principal, Runtime
from licet.gateway.asking import MOST_SHOWN
from licet.model.tool import ToolCapability
from licet.testing import RecordingLedger, fake_tool

RAW = TypeAdapter(dict[str, Any])
ASKS = ToolCapability(writes=True, human_approval_required=True)


def reset(**spec: Any) -> Any:
    return fake_tool("mcp/git.git_reset", {"ok": True}, source="mcp", capabilities=ASKS, **spec)


class User:
    """Says one thing to every question, and remembers what it was shown."""

    def __init__(self, action: str) -> None:
        self.action: Any = action
        self.shown: list[str] = []

    async def __call__(self, context: Any, params: Any) -> types.ElicitResult:
        self.shown.append(params.message)
        return types.ElicitResult(action=self.action, content={} if self.action == "accept" else None)


@pytest.mark.parametrize("era", ERAS)
async def test_a_yes_runs_the_call_once_and_is_that_clients_word(era: str, ledger: RecordingLedger) -> None:
    tool, transport = reset(description="Throws\u202eaway <b>all</b>")
    user = User("accept")
    info = types.Implementation(name="editor", version="1")
    async with client(
        era, tool, mode="workspace_write", ledger=ledger, elicitation_callback=user, client_info=info
    ) as connected:
        assert [shown.name for shown in (await connected.list_tools()).tools] == ["git__git_reset"]
        result = await connected.call_tool("git__git_reset", {"hard": True, "note": "<\u200b>"})
    assert not result.is_error
    assert transport.calls == [{"hard": True, "note": "<\u200b>"}]
    assert ledger.kinds == ["tool.approved", "tool.requested", "tool.completed"]
    assert b"client:editor" in next(iter(ledger.entries())).body
    (shown,) = user.shown
    assert 'arguments: {"hard":true,"note":"\\u003c\\u200b\\u003e"}' in shown
    assert "Throws\\u202eaway \\u003cb\\u003eall" in shown


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("action", ["decline", "cancel"])
async def test_anything_but_a_yes_refuses_and_touches_nothing(era: str, action: str, ledger: RecordingLedger) -> None:
    tool, transport = reset()
    async with client(era, tool, mode="workspace_write", ledger=ledger, elicitation_callback=User(action)) as connected:
        result = await connected.call_tool("git__git_reset", {})
    assert result.is_error
    assert result.content[0].text.startswith("approval_denied: ")
    assert transport.calls == []
    assert ledger.kinds == ["tool.denied"]


@pytest.mark.parametrize("era", ERAS)
async def test_a_client_that_cannot_ask_is_shown_no_such_tool_and_refused(era: str, ledger: RecordingLedger) -> None:
    tool, transport = reset()
    told: list[str] = []
    async with client(era, tool, mode="workspace_write", ledger=ledger, told=told) as connected:
        assert (await connected.list_tools()).tools == []
        result = await connected.call_tool("git__git_reset", {})
    assert result.is_error
    assert result.content[0].text.startswith("approval_denied: ")
    assert transport.calls == []
    assert b"no_approver" in next(iter(ledger.entries())).body
    assert told[0].endswith("licet why mcp/git.git_reset --agent coder")


@pytest.mark.parametrize("era", ERAS)
async def test_a_question_too_long_to_read_is_a_no(era: str) -> None:
    tool, transport = reset()
    user = User("accept")
    async with client(era, tool, mode="workspace_write", elicitation_callback=user) as connected:
        result = await connected.call_tool("git__git_reset", {"note": "x" * MOST_SHOWN})
    assert result.is_error
    assert (user.shown, transport.calls) == ([], [])


async def test_a_client_that_only_opens_pages_cannot_ask() -> None:
    from licet.gateway.clients import can_ask

    form, page = types.FormElicitationCapability(), types.UrlElicitationCapability()
    assert can_ask(types.ClientCapabilities(elicitation=types.ElicitationCapability()))
    assert can_ask(types.ClientCapabilities(elicitation=types.ElicitationCapability(form=form, url=page)))
    assert not can_ask(types.ClientCapabilities(elicitation=types.ElicitationCapability(url=page)))
    assert not can_ask(types.ClientCapabilities())
    assert not can_ask(None)


# --- the state that travels through a stateless client ---


async def asked(connected: Any, **more: Any) -> dict[str, Any]:
    params = types.CallToolRequestParams(name="git__git_reset", arguments={"hard": True}, **more)
    answer: dict[str, Any] = await connected.session.send_request(types.CallToolRequest(params=params), RAW)
    return answer


YES = {"approval": types.ElicitResult(action="accept", content={})}


async def test_a_state_is_taken_once() -> None:
    tool, transport = reset()
    async with client("auto", tool, mode="workspace_write", elicitation_callback=User("accept")) as connected:
        state = (await asked(connected))["requestState"]
        assert not (await asked(connected, input_responses=YES, request_state=state))["isError"]
        with pytest.raises(MCPError, match="Invalid or expired requestState"):
            await asked(connected, input_responses=YES, request_state=state)
    assert transport.calls == [{"hard": True}]


@pytest.mark.parametrize("forge", ["v1.AAAA", "", "r0000000000000000-1.1"])
async def test_a_forged_state_runs_nothing(forge: str) -> None:
    tool, transport = reset()
    async with client("auto", tool, mode="workspace_write", elicitation_callback=User("accept")) as connected:
        await asked(connected)
        with pytest.raises(MCPError, match="Invalid or expired requestState"):
            await asked(connected, input_responses=YES, request_state=forge)
    assert transport.calls == []


async def test_a_state_does_not_approve_other_arguments() -> None:
    tool, transport = reset()
    async with client("auto", tool, mode="workspace_write", elicitation_callback=User("accept")) as connected:
        state = (await asked(connected))["requestState"]
        params = types.CallToolRequestParams(
            name="git__git_reset", arguments={"hard": False}, input_responses=YES, request_state=state
        )
        with pytest.raises(MCPError, match="Invalid or expired requestState"):
            await connected.session.send_request(types.CallToolRequest(params=params), RAW)
    assert transport.calls == []


async def test_a_state_of_another_process_approves_nothing() -> None:
    tool, transport = reset()
    principal = Principal("coder", grants=[tool.spec.name], mode="workspace_write")
    user = User("accept")
    with Runtime([tool]) as runtime:
        async with client("auto", tool, mode="workspace_write", elicitation_callback=user) as elsewhere:
            state = (await asked(elsewhere))["requestState"]
            async with gateway(runtime, principal) as served:
                from mcp import Client

                async with Client(served.server, cache=None, elicitation_callback=user) as connected:
                    await asked(connected)
                    with pytest.raises(MCPError, match="Invalid or expired requestState"):
                        await asked(connected, input_responses=YES, request_state=state)
    assert transport.calls == []


async def test_answers_without_a_yes_refuse() -> None:
    tool, transport = reset()
    async with client("auto", tool, mode="workspace_write", elicitation_callback=User("accept")) as connected:
        for responses in (None, {}, {"other": YES["approval"]}, {"approval": types.ElicitResult(action="decline")}):
            state = (await asked(connected))["requestState"]
            assert (await asked(connected, input_responses=responses, request_state=state))["isError"]
    assert transport.calls == []


async def test_the_call_that_waits_longest_makes_room() -> None:
    from licet.gateway.waiting import MOST_WAITING

    tool, transport = reset()
    async with client("auto", tool, mode="workspace_write", elicitation_callback=User("accept")) as connected:
        states = [(await asked(connected))["requestState"] for _ in range(MOST_WAITING + 1)]
        with pytest.raises(MCPError, match="Invalid or expired requestState"):
            await asked(connected, input_responses=YES, request_state=states[0])
        assert not (await asked(connected, input_responses=YES, request_state=states[-1]))["isError"]
    assert len(transport.calls) == 1
