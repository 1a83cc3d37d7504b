"""pydantic_ai's own ways: deferred approvals, streams, wrappers, listing anew at each step."""

from typing import Any

import pytest
from driven import Ask, in_pydantic_ai
from pydantic_ai import Agent, DeferredToolRequests, DeferredToolResults, ToolApproved, ToolDenied
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, DeltaToolCalls, FunctionModel

from doubles import holder
from licet import Runtime, ToolCapability
from licet.adapters.pydantic_ai import toolset
from licet.adapters.pydantic_ai.reading import READING, UNREAD
from licet.model.entry import Entry
from licet.ports import ApprovalRequest
from licet.testing import FakeTransport, RecordingLedger, fake_tool

SCHEMA = {
    "type": "object",
    "properties": {"n": {"type": "integer", "maximum": 10}},
    "required": ["n"],
    "additionalProperties": False,
}
WHO = holder("asks", "plain")


def world(ledger: RecordingLedger, **options: Any) -> tuple[Runtime, FakeTransport, FakeTransport]:
    asks, asked = fake_tool(
        "asks", lambda a: {"did": a["n"]}, capabilities=ToolCapability(unsafe=True), input_schema=SCHEMA
    )
    plain, free = fake_tool("plain", lambda a: {"did": a["n"]}, read_only=True, input_schema=SCHEMA)
    return Runtime([asks, plain], ledger=ledger, **options), asked, free


def says(*asks: Ask) -> FunctionModel:
    """Asks for these at once, and is done when it read what came of them."""

    def respond(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        if any(isinstance(message, ModelResponse) for message in messages):
            return ModelResponse([TextPart("done")])
        return ModelResponse([ToolCallPart(*ask) for ask in asks])

    return FunctionModel(respond)


def agent(tools: Any, *asks: Ask) -> "Agent[None, str | DeferredToolRequests]":
    return Agent(says(*asks), toolsets=[tools], output_type=[str, DeferredToolRequests])


def told(messages: list[ModelMessage]) -> dict[str, tuple[str, str]]:
    parts = [part for message in messages for part in message.parts if isinstance(part, ToolReturnPart)]
    return {part.tool_call_id: (part.outcome, str(part.content)) for part in parts}


def body(entry: Entry) -> str:
    return entry.body.decode()


async def test_a_call_that_asks_is_validated_then_deferred_then_runs_once(ledger: RecordingLedger) -> None:
    runtime, asked, free = world(ledger)
    tools = toolset(runtime, WHO)
    working = agent(tools, Ask("asks", {"n": 3}, "a"), Ask("asks", {"n": 33}, "bad"), Ask("plain", {"n": 1}, "p"))
    paused = await working.run("go")
    assert isinstance(paused.output, DeferredToolRequests)
    assert [call.tool_call_id for call in paused.output.approvals] == ["a"], "nobody is asked about what cannot run"
    assert paused.output.metadata == {"a": {"tool": "local/asks", "reasons": ["it is declared unsafe"]}}
    assert asked.calls == []

    yes = DeferredToolResults(approvals={"a": True})
    done = await working.run(message_history=paused.all_messages(), deferred_tool_results=yes)
    assert done.output == "done"
    outcomes = {id: outcome for id, (outcome, _) in told(done.all_messages()).items()}
    assert outcomes == {"a": "success", "bad": "failed", "p": "success"}
    assert asked.calls == [{"n": 3}]
    assert free.calls == [{"n": 1}]
    assert ledger.kinds.count("tool.approved") == 1
    (approved,) = [entry for entry in ledger.entries() if entry.kind == "tool.approved"]
    assert '"by":"pydantic-ai"' in body(approved)

    again = await working.run(message_history=paused.all_messages(), deferred_tool_results=yes)
    assert "did" in told(again.all_messages())["a"][1]
    assert asked.calls == [{"n": 3}], "the same call, approved again, is answered from its record"


async def test_a_yes_covers_the_arguments_that_were_asked_about_and_no_others(ledger: RecordingLedger) -> None:
    runtime, asked, _ = world(ledger)
    working = agent(toolset(runtime, WHO), Ask("asks", {"n": 3}, "a"))
    paused = await working.run("go")
    changed = DeferredToolResults(approvals={"a": ToolApproved(override_args={"n": 4})})
    done = await working.run(message_history=paused.all_messages(), deferred_tool_results=changed)
    outcome, content = told(done.all_messages())["a"]
    assert (outcome, done.output) == ("failed", "done")
    assert "approval_denied" in content
    assert asked.calls == []
    assert ledger.kinds == ["tool.denied"]


async def test_a_no_runs_nothing_and_the_agent_goes_on(ledger: RecordingLedger) -> None:
    runtime, asked, _ = world(ledger)
    working = agent(toolset(runtime, WHO), Ask("asks", {"n": 3}, "a"))
    paused = await working.run("go")
    no = DeferredToolResults(approvals={"a": ToolDenied("not today")})
    done = await working.run(message_history=paused.all_messages(), deferred_tool_results=no)
    assert told(done.all_messages())["a"] == ("denied", "not today")
    assert asked.calls == []
    assert ledger.kinds == []


async def test_a_yes_may_come_in_another_process(ledger: RecordingLedger) -> None:
    runtime, _, _ = world(ledger)
    paused = await agent(toolset(runtime, WHO), Ask("asks", {"n": 3}, "a")).run("go")
    later, asked, _ = world(ledger)
    yes = DeferredToolResults(approvals={"a": True})
    going = agent(toolset(later, WHO), Ask("asks", {"n": 3}, "a"))
    done = await going.run(message_history=paused.all_messages(), deferred_tool_results=yes)
    assert told(done.all_messages())["a"][0] == "success"
    assert asked.calls == [{"n": 3}]


async def test_pydantic_ais_own_approval_wrapper_asks_after_licet_validated(ledger: RecordingLedger) -> None:
    runtime, _, free = world(ledger)
    tools = toolset(runtime, WHO).approval_required()
    working = agent(tools, Ask("plain", {"n": 3}, "a"), Ask("plain", {"n": 33}, "b"), Ask("plain", '{"n":', "c"))
    paused = await working.run("go")
    assert isinstance(paused.output, DeferredToolRequests)
    assert [call.tool_call_id for call in paused.output.approvals] == ["a"]
    assert free.calls == []
    assert ledger.kinds == ["tool.refused", "tool.refused"]
    yes = DeferredToolResults(approvals={"a": True})
    await working.run(message_history=paused.all_messages(), deferred_tool_results=yes)
    assert free.calls == [{"n": 3}]


async def test_an_approver_of_the_runtimes_own_is_asked_instead(ledger: RecordingLedger) -> None:
    class Chief:
        name = "chief"
        asked: list[str] = []  # noqa: RUF012

        async def approve(self, request: ApprovalRequest, /) -> bool:
            self.asked.append(request.arguments)
            return request.arguments == '{"n":3}'

    runtime, asked, _ = world(ledger, approver=Chief())
    tools = toolset(runtime, WHO)
    done = await agent(tools, Ask("asks", {"n": 3}, "a"), Ask("asks", {"n": 4}, "b")).run("go")
    outcomes = {id: outcome for id, (outcome, _) in told(done.all_messages()).items()}
    assert outcomes == {"a": "success", "b": "failed"}
    assert sorted(Chief.asked) == ['{"n":3}', '{"n":4}']
    assert asked.calls == [{"n": 3}]


async def test_calls_of_a_stream_walk_the_corridor(ledger: RecordingLedger) -> None:
    runtime, _, free = world(ledger)

    async def stream(messages: list[ModelMessage], info: AgentInfo) -> Any:
        if any(isinstance(message, ModelResponse) for message in messages):
            yield "done"
            return
        calls: DeltaToolCalls = {0: DeltaToolCall("plain", '{"n"', tool_call_id="a")}
        yield calls
        yield {0: DeltaToolCall(None, ": 3}")}
        yield {1: DeltaToolCall("plain", '{"n": 3, "n": 4}', tool_call_id="b")}

    going = Agent(FunctionModel(stream_function=stream), toolsets=[toolset(runtime, WHO)])
    async with going.run_stream("go") as streamed:
        assert await streamed.get_output() == "done"
    outcomes = {id: outcome for id, (outcome, _) in told(streamed.all_messages()).items()}
    assert outcomes == {"a": "success", "b": "failed"}
    assert free.calls == [{"n": 3}]


async def test_two_conversations_may_use_one_call_id(ledger: RecordingLedger) -> None:
    runtime, _, free = world(ledger)
    tools = toolset(runtime, WHO)
    for n in (1, 2):
        await agent(tools, Ask("plain", {"n": n}, "same")).run("go")
    assert free.calls == [{"n": 1}, {"n": 2}]


async def test_what_is_registered_or_removed_meanwhile_is_listed_anew(ledger: RecordingLedger) -> None:
    runtime, _, free = world(ledger)
    tools = toolset(runtime, holder("plain", "later", mode="read_only"))
    ran = await in_pydantic_ai(runtime, WHO, [], toolset=tools)
    assert set(ran.shown) == {"plain"}
    later, _ = fake_tool("later", read_only=True)
    runtime.register(later)
    runtime.remove("plain")
    ran = await in_pydantic_ai(runtime, WHO, [], toolset=tools)
    assert set(ran.shown) == {"later"}
    assert free.calls == []


async def test_a_prefix_of_pydantic_ais_own_is_taken_off_before_the_corridor(ledger: RecordingLedger) -> None:
    runtime, _, free = world(ledger)
    tools = toolset(runtime, WHO).prefixed("x")
    ran = await in_pydantic_ai(runtime, WHO, [Ask("x_plain", {"n": 1}, "a")], toolset=tools)
    assert "x_plain" in ran.shown
    assert free.calls == [{"n": 1}]


async def test_the_test_model_of_pydantic_ai_calls_every_tool_that_fits(ledger: RecordingLedger) -> None:
    from pydantic_ai.models.test import TestModel

    runtime, _, free = world(ledger)
    done = await Agent(TestModel(call_tools=["plain"]), toolsets=[toolset(runtime, WHO)]).run("go")
    assert "plain" in done.output
    assert len(free.calls) == 1


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ('{"n": 1}', {"n": 1}),
        ("[1]", {UNREAD: "[1]"}),
        ('{"n": NaN}', {UNREAD: '{"n": NaN}'}),
        ('{"n": 1, "n": 2}', {UNREAD: '{"n": 1, "n": 2}'}),
        (b'{"n"', {UNREAD: '{"n"'}),
    ],
)
def test_text_is_read_strictly_and_what_cannot_be_read_is_kept(text: Any, read: dict[str, Any]) -> None:
    assert READING.validate_json(text) == read
