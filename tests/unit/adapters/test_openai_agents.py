"""The OpenAI Agents SDK's own ways: interruptions, state that leaves the process, streams."""

import json
from typing import Any

from agents import Agent, RunConfig, Runner, RunState
from agents.testing import ScriptedModel, assistant_message, function_call

from doubles import holder
from licet import Runtime, ToolCapability
from licet.adapters.openai_agents import run_config, tools
from licet.testing import FakeTransport, RecordingLedger, fake_tool

SCHEMA = {
    "type": "object",
    "properties": {"n": {"type": "integer", "maximum": 10}, "o": {"type": "string"}},
    "required": ["n"],
    "additionalProperties": False,
}
WHO = holder("asks", "plain")
QUIET = RunConfig(tracing_disabled=True)


def world(ledger: RecordingLedger, **options: Any) -> tuple[Runtime, FakeTransport, FakeTransport]:
    asks, asked = fake_tool(
        "asks", lambda a: {"did": a["n"]}, capabilities=ToolCapability(unsafe=True), input_schema=SCHEMA
    )
    plain, free = fake_tool("plain", lambda a: {"did": a["n"]}, read_only=True, input_schema=SCHEMA)
    return Runtime([asks, plain], ledger=ledger, **options), asked, free


def agent(runtime: Runtime, *calls: tuple[str, dict[str, Any], str]) -> "Agent[Any]":
    asked = [function_call(name, json.dumps(given), call_id=id) for name, given, id in calls]
    model = ScriptedModel([asked, [assistant_message("done")]])
    return Agent("agent", model=model, tools=[*tools(runtime, WHO)])


def told(result: Any) -> dict[str, str]:
    return {item.call_id: str(item.output) for item in result.new_items if item.type == "tool_call_output_item"}


async def test_a_call_that_asks_is_validated_then_interrupts_then_runs_once(ledger: RecordingLedger) -> None:
    runtime, asked, _ = world(ledger)
    working = agent(runtime, ("asks", {"n": 3}, "a"), ("asks", {"n": 33}, "bad"))
    paused = await Runner.run(working, "go", run_config=QUIET)
    assert [item.raw_item.call_id for item in paused.interruptions] == ["a"], "nobody is asked about what cannot run"  # type: ignore[union-attr]
    assert asked.calls == []
    state = paused.to_state()
    state.approve(paused.interruptions[0])
    done = await Runner.run(working, state, run_config=QUIET)
    assert done.final_output == "done"
    assert "did" in told(done)["a"]
    assert asked.calls == [{"n": 3}]
    assert ledger.kinds == ["tool.refused", "tool.approved", "tool.requested", "tool.completed"]


async def test_a_no_runs_nothing_and_the_agent_goes_on(ledger: RecordingLedger) -> None:
    runtime, asked, _ = world(ledger)
    working = agent(runtime, ("asks", {"n": 3}, "a"))
    paused = await Runner.run(working, "go", run_config=QUIET)
    state = paused.to_state()
    state.reject(paused.interruptions[0])
    done = await Runner.run(working, state, run_config=QUIET)
    assert done.final_output == "done"
    assert asked.calls == []
    assert ledger.kinds == []


async def test_a_state_may_be_approved_and_go_on_in_another_process(ledger: RecordingLedger) -> None:
    runtime, _, _ = world(ledger)
    working = agent(runtime, ("asks", {"n": 3}, "a"))
    paused = await Runner.run(working, "go", run_config=QUIET)
    text = paused.to_state().to_string()
    later, asked, _ = world(ledger)
    working = Agent("agent", model=ScriptedModel([[assistant_message("done")]]), tools=[*tools(later, WHO)])
    state = await RunState.from_string(working, text)
    state.approve(state.get_interruptions()[0])
    done = await Runner.run(working, state, run_config=QUIET)
    assert done.final_output == "done"
    assert asked.calls == [{"n": 3}]


async def test_a_tool_that_asks_does_not_run_for_whoever_calls_it_without_a_yes(ledger: RecordingLedger) -> None:
    from agents.tool_context import ToolContext

    runtime, asked, _ = world(ledger)
    (tool,) = [tool for tool in tools(runtime, WHO) if tool.name == "asks"]
    context: Any = ToolContext(None, tool_name="asks", tool_call_id="c", tool_arguments='{"n": 3}')
    assert "approval_denied" in await tool.on_invoke_tool(context, '{"n": 3}')
    assert asked.calls == []
    assert ledger.kinds == ["tool.denied"]


async def test_calls_of_a_stream_walk_the_corridor(ledger: RecordingLedger) -> None:
    runtime, _, free = world(ledger)
    streamed = Runner.run_streamed(agent(runtime, ("plain", {"n": 3}, "a"), ("plain", {}, "b")), "go", run_config=QUIET)
    kinds = [event.type async for event in streamed.stream_events()]
    assert "run_item_stream_event" in kinds
    assert streamed.final_output == "done"
    assert "invalid_arguments" in told(streamed)["b"]
    assert free.calls == [{"n": 3}]


async def test_the_text_that_a_model_wrote_is_read_by_licet_alone(ledger: RecordingLedger) -> None:
    from agents.tool_context import ToolContext

    runtime, _, free = world(ledger)
    (tool,) = [tool for tool in tools(runtime, WHO) if tool.name == "plain"]
    for number, text in enumerate(('{"n": 1, "n": 2}', '{"n": NaN}', "[1]", '{"n"', "", "null")):
        context: Any = ToolContext(None, tool_name="plain", tool_call_id=f"c{number}", tool_arguments=text)
        assert "invalid_arguments" in await tool.on_invoke_tool(context, text)
    assert free.calls == []
    assert ledger.kinds == ["tool.refused"] * 6


def test_no_tool_is_strict_so_that_no_model_has_to_invent_a_value(ledger: RecordingLedger) -> None:
    runtime, _, _ = world(ledger)
    assert [tool.strict_json_schema for tool in tools(runtime, WHO)] == [False, False]
    assert [tool.params_json_schema for tool in tools(runtime, WHO)] == [SCHEMA, SCHEMA]


async def test_a_name_that_was_not_shown_is_a_result_on_the_ledger(ledger: RecordingLedger) -> None:
    runtime, _, free = world(ledger)
    run = runtime.begin(holder("plain"))
    for name in ("asks", "nowhere", "local/plain", "plain\0"):
        asked = [function_call(name, '{"n": 1}', call_id=f"c {name}")]
        model = ScriptedModel([asked, [assistant_message("done")]])
        config = run_config(runtime, run, tracing_disabled=True)
        done = await Runner.run(Agent("agent", model=model, tools=[*tools(runtime, run)]), "go", run_config=config)
        assert done.final_output == "done"
        (content,) = told(done).values()
        assert "unknown_tool" in content
        assert "\0" not in content
    assert free.calls == []
    assert ledger.kinds == ["tool.refused"] * 4


async def test_nobody_is_asked_about_text_that_cannot_be_read(ledger: RecordingLedger) -> None:
    runtime, asked, _ = world(ledger)
    run = runtime.begin(WHO)
    model = ScriptedModel([[function_call("asks", '{"n":', call_id="c")], [assistant_message("done")]])
    working = Agent("agent", model=model, tools=[*tools(runtime, run)])
    done = await Runner.run(working, "go", run_config=run_config(runtime, run, tracing_disabled=True))
    assert done.interruptions == []
    assert "invalid_arguments" in told(done)["c"]
    assert asked.calls == []
    assert ledger.kinds == ["tool.refused"]


def test_what_else_a_run_is_told_is_ones_own(ledger: RecordingLedger) -> None:
    runtime, _, _ = world(ledger)
    config = run_config(runtime, WHO, workflow_name="mine", tool_not_found_behavior="raise_error")
    assert (config.workflow_name, config.tool_not_found_behavior) == ("mine", "raise_error")
