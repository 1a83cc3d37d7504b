"""Arguments that no model may set: taken out between mode and validation, said in metadata and on the ledger."""

import json
from typing import Any

import pytest

from doubles import Says, holder
from licet import Ask, Runtime, Tool, ToolSpec
from licet.errors import ConfigurationError
from licet.testing import FakeTransport, RecordingLedger

NAME = "execute_decision"
OPEN = {"type": "object", "properties": {"decision_id": {"type": "string"}, "force": {"type": "boolean"}}}
CLOSED = {**OPEN, "additionalProperties": False}
SENT = {"decision_id": "d", "force": True, "calls": [{"override_safety": 1}], "metadata": {"force": 1}}
REMOVED = ["/calls/0/override_safety", "/force"]
KEPT = {"decision_id": "d", "calls": [{}], "metadata": {"force": 1}}


def engine(schema: Any = OPEN, **spec: Any) -> tuple[Tool, FakeTransport]:
    transport = FakeTransport({"ok": True})
    return Tool(ToolSpec(name=NAME, input_schema=schema, **spec), transport), transport


def bodies(ledger: RecordingLedger, kind: str) -> list[dict[str, Any]]:
    return [json.loads(entry.body) for entry in ledger.entries() if entry.kind == kind]


@pytest.mark.requirement("profile.never-model-facing")
async def test_fields_are_taken_out_before_validation_and_the_result_and_the_ledger_say_so(
    ledger: RecordingLedger,
) -> None:
    tool, transport = engine()
    async with Runtime([tool], ledger=ledger) as runtime:
        result = await runtime.call(holder(NAME), NAME, SENT)
        assert (result.success, result.metadata["scrubbed"]) == (True, REMOVED)
    assert transport.calls == [KEPT]
    kinds = [entry.kind for entry in ledger.entries()]
    assert kinds == ["tool.scrubbed", "tool.requested", "tool.completed"]
    assert bodies(ledger, "tool.scrubbed")[0]["removed"] == REMOVED
    assert bodies(ledger, "tool.requested")[0]["arguments"] == KEPT


async def test_a_closed_schema_takes_a_call_once_the_field_is_out(ledger: RecordingLedger) -> None:
    tool, transport = engine(CLOSED)
    async with Runtime([tool], ledger=ledger) as runtime:
        assert (await runtime.call(holder(NAME), NAME, {"decision_id": "d", "force": True})).success
        assert runtime.why(holder(NAME), NAME, {"decision_id": "d", "force": True}).allowed
    assert transport.calls == [{"decision_id": "d"}]


@pytest.mark.requirement("profile.never-model-facing")
@pytest.mark.parametrize("arguments", [{"Force": True}, {"x": '{"force": true}'}, {"x": [{"override-safety": 1}]}])
async def test_what_smuggles_a_field_is_refused_after_mode_and_before_validation(
    arguments: dict[str, Any], ledger: RecordingLedger
) -> None:
    tool, transport = engine(CLOSED)
    async with Runtime([tool], ledger=ledger) as runtime:
        reader = await runtime.call(holder(NAME, mode="read_only"), NAME, arguments)
        stranger = await runtime.call(holder("other"), NAME, arguments)
        writer = await runtime.call(holder(NAME), NAME, arguments)
        assert (reader.code, stranger.code, writer.code) == ("mode_forbids", "not_granted", "invalid_arguments")
        assert writer.metadata["reason"] == "never_model_facing"
    assert transport.calls == []
    assert [entry.kind for entry in ledger.entries()] == ["tool.refused"] * 3


async def test_a_runtime_that_refuses_takes_nothing_out(ledger: RecordingLedger) -> None:
    tool, transport = engine()
    async with Runtime([tool], ledger=ledger, never_fields="refuse") as runtime:
        result = await runtime.call(holder(NAME), NAME, SENT)
        assert (result.code, result.metadata["reason"]) == ("invalid_arguments", "never_model_facing")
        assert not runtime.why(holder(NAME), NAME, SENT).allowed
    assert transport.calls == []
    with pytest.raises(ConfigurationError, match="never_fields"):
        Runtime([], never_fields="keep")  # type: ignore[arg-type]


@pytest.mark.requirement("profile.never-model-facing")
async def test_the_control_without_a_guard_lets_each_field_through(ledger: RecordingLedger) -> None:
    tool, transport = engine()
    async with Runtime([tool], ledger=ledger) as runtime:
        runtime._catalog.tools[f"local/{NAME}"].guard = None
        assert (await runtime.call(holder(NAME), NAME, SENT)).success
    assert transport.calls == [SENT]


async def test_a_yes_covers_what_is_left_and_the_same_call_id_is_the_same_call(ledger: RecordingLedger) -> None:
    transport = FakeTransport({"ok": True})
    push = Tool(ToolSpec(name="push", input_schema={"type": "object"}, never_model_facing=("force",)), transport)
    ask = Says(True)
    async with Runtime(
        [push], ledger=ledger, approver=ask, checks=[lambda who, spec, arguments: Ask("look")]
    ) as runtime:
        first = await runtime.call(holder("push"), "push", {"remote": "x", "force": True}, call_id="c1")
        again = await runtime.call(holder("push"), "push", {"remote": "x"}, call_id="c1")
        assert (first.success, again.success) == (True, True)
    assert [json.loads(request.arguments) for request in ask.asked] == [{"remote": "x"}]
    assert transport.calls == [{"remote": "x"}]


async def test_what_an_author_withholds_of_another_tool_is_taken_out_too(ledger: RecordingLedger) -> None:
    transport = FakeTransport({})
    spec = ToolSpec(name="push", input_schema={"type": "object"}, never_model_facing=("remote",))
    async with Runtime([Tool(spec, transport)], ledger=ledger) as runtime:
        await runtime.call(holder("push"), "push", {"remote": "x", "force": True})
    assert transport.calls == [{"force": True}]
