"""LangChain's and LangGraph's own ways: interrupts, nodes that run again, calls of a thread, streams."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any
from unittest.mock import MagicMock

import pytest
from langchain.agents import create_agent
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode
from langgraph.types import Command
from langsmith import Client
from langsmith.run_helpers import tracing_context

from doubles import holder
from licet import Runtime, ToolCapability
from licet.adapters.langchain import middleware, tools
from licet.testing import FakeTransport, RecordingLedger, fake_tool

SCHEMA = {
    "type": "object",
    "properties": {"n": {"type": "integer", "maximum": 10}, "config": {}, "run_manager": {}, "callbacks": {}},
    "required": ["n"],
    "additionalProperties": False,
}
WHO = holder("asks", "plain")
THREAD: RunnableConfig = {"configurable": {"thread_id": "thread"}}
YES: Any = Command(resume={"decisions": [{"type": "approve"}]})


class Fake(GenericFakeChatModel):
    def bind_tools(self, tools: Any, **_: Any) -> Any:
        return self


def world(ledger: RecordingLedger, **options: Any) -> tuple[Runtime, FakeTransport, FakeTransport]:
    asks, asked = fake_tool(
        "asks", lambda a: {"did": a["n"]}, capabilities=ToolCapability(unsafe=True), input_schema=SCHEMA
    )
    plain, free = fake_tool("plain", lambda a: {"did": a["n"]}, read_only=True, input_schema=SCHEMA)
    return Runtime([asks, plain], ledger=ledger, **options), asked, free


def call(name: str, arguments: dict[str, Any], id: str) -> Any:
    return {"name": name, "args": arguments, "id": id, "type": "tool_call"}


def agent(runtime: Runtime, *calls: Any) -> Any:
    model = Fake(messages=iter([AIMessage("", tool_calls=list(calls)), AIMessage("done")]))
    return create_agent(model, tools(runtime, WHO), checkpointer=InMemorySaver())


def told(state: Any) -> dict[str, tuple[str, str]]:
    messages = [message for message in state["messages"] if isinstance(message, ToolMessage)]
    return {message.tool_call_id: (message.status, str(message.content)) for message in messages}


GO = {"messages": [HumanMessage("go")]}


@pytest.mark.parametrize("blocking", [False, True], ids=["ainvoke", "invoke"])
async def test_a_call_that_asks_is_validated_then_interrupts_then_runs_once(
    ledger: RecordingLedger, blocking: bool
) -> None:
    runtime, asked, free = world(ledger)
    working = agent(runtime, call("asks", {"n": 3}, "a"), call("asks", {"n": 33}, "bad"), call("plain", {"n": 1}, "p"))

    async def go(given: Any) -> Any:
        return working.invoke(given, THREAD) if blocking else await working.ainvoke(given, THREAD)

    paused = await go(GO)
    (question,) = paused["__interrupt__"]
    assert question.value["action_requests"] == [
        {"name": "asks", "args": {"n": 3}, "description": "it is declared unsafe"}
    ]
    assert asked.calls == []
    done = await go(YES)
    assert done["messages"][-1].content == "done"
    assert {id: status for id, (status, _) in told(done).items()} == {"a": "success", "bad": "error", "p": "success"}
    assert asked.calls == [{"n": 3}]
    assert free.calls == [{"n": 1}]
    assert sorted(ledger.kinds) == sorted(
        ["tool.refused", "tool.requested", "tool.completed", "tool.approved", "tool.requested", "tool.completed"]
    )
    runtime.close()


@pytest.mark.parametrize(
    "answer",
    [
        {"decisions": [{"type": "reject", "message": "no"}]},
        {"decisions": [{"type": "edit", "edited_action": {"name": "asks", "args": {"n": 4}}}]},
        {"decisions": [{"type": "approve"}, {"type": "approve"}]},
        {"decisions": []},
        {"decisions": "approve"},
        True,
        "yes",
    ],
)
async def test_any_other_answer_is_no_and_the_agent_goes_on(ledger: RecordingLedger, answer: Any) -> None:
    runtime, asked, _ = world(ledger)
    working = agent(runtime, call("asks", {"n": 3}, "a"))
    await working.ainvoke(GO, THREAD)
    done = await working.ainvoke(Command(resume=answer), THREAD)
    status, content = told(done)["a"]
    assert (status, done["messages"][-1].content) == ("error", "done")
    assert "approval_denied" in content
    assert asked.calls == []
    assert ledger.kinds == ["tool.denied"]


async def test_a_node_that_runs_again_runs_no_call_again(ledger: RecordingLedger) -> None:
    """One node makes both calls. It is interrupted at the second, and runs from its start when it goes on."""
    runtime, asked, free = world(ledger)
    graph = StateGraph(MessagesState)
    graph.add_node("tools", ToolNode(tools(runtime, WHO)))
    graph.add_edge(START, "tools")
    graph.add_edge("tools", END)
    working = graph.compile(checkpointer=InMemorySaver())
    said = AIMessage("", tool_calls=[call("plain", {"n": 1}, "p"), call("asks", {"n": 3}, "a")])
    paused = await working.ainvoke({"messages": [said]}, THREAD)
    assert "__interrupt__" in paused
    done = await working.ainvoke(YES, THREAD)
    assert {id: status for id, (status, _) in told(done).items()} == {"p": "success", "a": "success"}
    assert free.calls == [{"n": 1}]
    assert asked.calls == [{"n": 3}]
    assert ledger.kinds.count("tool.requested") == 2


async def test_outside_a_graph_nobody_can_be_asked(ledger: RecordingLedger) -> None:
    runtime, asked, _ = world(ledger)
    (tool,) = [tool for tool in tools(runtime, WHO) if tool.name == "asks"]
    message = await tool.ainvoke(call("asks", {"n": 3}, "a"))
    assert message.status == "error"
    assert "approval_denied" in message.content
    assert "approval_denied" in await tool.ainvoke({"n": 3})
    assert asked.calls == []
    assert ledger.kinds == ["tool.denied", "tool.denied"]


async def test_arguments_with_the_names_of_langchains_own_come_to_the_tool(ledger: RecordingLedger) -> None:
    runtime, _, free = world(ledger)
    arguments = {"n": 1, "config": {"tags": []}, "run_manager": "x", "callbacks": [1]}
    (tool,) = [tool for tool in tools(runtime, WHO) if tool.name == "plain"]
    await tool.ainvoke(call("plain", arguments, "a"))
    await tool.ainvoke(arguments)
    assert free.calls == [arguments] * 2


async def test_a_thread_that_waits_gets_the_same_answers(ledger: RecordingLedger) -> None:
    runtime, _, free = world(ledger)
    (tool,) = [tool for tool in tools(runtime, WHO) if tool.name == "plain"]
    assert tool.invoke(call("plain", {"n": 1}, "a")).status == "success"
    assert tool.invoke(call("plain", {"n": 11}, "b")).status == "error"
    assert free.calls == [{"n": 1}]
    runtime.close()


async def test_two_threads_may_use_one_call_id(ledger: RecordingLedger) -> None:
    runtime, _, free = world(ledger)
    (tool,) = [tool for tool in tools(runtime, WHO) if tool.name == "plain"]
    for thread, n in (("one", 1), ("two", 2), ("one", 1)):
        message = await tool.ainvoke(call("plain", {"n": n}, "same"), {"configurable": {"thread_id": thread}})
        assert message.status == "success"
    assert free.calls == [{"n": 1}, {"n": 2}]


async def test_calls_of_a_stream_walk_the_corridor(ledger: RecordingLedger) -> None:
    runtime, _, free = world(ledger)
    working = agent(runtime, call("plain", {"n": 3}, "a"), call("plain", {}, "b"))
    steps = [step async for step in working.astream(GO, THREAD, stream_mode="updates")]
    statuses = [message.status for step in steps if "tools" in step for message in step["tools"]["messages"]]
    assert sorted(statuses) == ["error", "success"]
    assert free.calls == [{"n": 3}]


@pytest.mark.parametrize("blocking", [False, True], ids=["ainvoke", "invoke"])
async def test_a_name_that_was_not_shown_is_a_result_on_the_ledger(ledger: RecordingLedger, blocking: bool) -> None:
    runtime, _, free = world(ledger)
    run = runtime.begin(holder("plain"))
    calls = [call(name, {"n": 1}, f"c {name}") for name in ("asks", "nowhere", "local/plain")]
    said = AIMessage("", tool_calls=[*calls, call("plain", {"n": 2}, "good")])
    model = Fake(messages=iter([said, AIMessage("done")]))
    working = create_agent(model, tools(runtime, run), middleware=[middleware(runtime, run)])
    done = working.invoke(GO) if blocking else await working.ainvoke(GO)
    answers = told(done)
    assert answers.pop("good")[0] == "success"
    assert all(status == "error" and "unknown_tool" in content for status, content in answers.values())
    assert not any("plain'" in content for _, content in answers.values()), "no list of what there is"
    assert free.calls == [{"n": 2}]
    assert ledger.kinds.count("tool.refused") == 3
    runtime.close()


async def test_the_middleware_sends_no_call_through_another_thread(
    ledger: RecordingLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    runtime, _, free = world(ledger)
    run = runtime.begin(holder("plain"))
    sent: list[object] = []
    submit: Any = ThreadPoolExecutor.submit

    def counted(pool: ThreadPoolExecutor, *rest: Any) -> Any:
        sent.append(rest)
        return submit(pool, *rest)

    monkeypatch.setattr(ThreadPoolExecutor, "submit", counted)
    counts = []
    shown = tools(runtime, run)
    for number, beside in enumerate(([], [middleware(runtime, run)])):
        said = AIMessage("", tool_calls=[call("plain", {"n": number}, f"c{number}")])
        model = Fake(messages=iter([said, AIMessage("done")]))
        working: Any = create_agent(model, shown, middleware=beside)
        await working.ainvoke(GO)
        counts.append(len(sent))
        sent.clear()
    assert counts[0] == counts[1], "with the middleware as many as without"
    assert free.calls == [{"n": 0}, {"n": 1}]


async def test_a_trace_has_the_calls_and_nothing_of_the_middleware_but_its_name(ledger: RecordingLedger) -> None:
    runtime, _, free = world(ledger)
    run = runtime.begin(holder("plain"))
    client = MagicMock(spec=Client, tracing_queue=None, otel_exporter=None)
    said = AIMessage("", tool_calls=[call("plain", {"n": 4}, "a"), call("nowhere", {"n": 5}, "b")])
    model = Fake(messages=iter([said, AIMessage("done")]))
    working: Any = create_agent(model, tools(runtime, run), middleware=[middleware(runtime, run)])
    with tracing_context(enabled=True, client=client):
        done = await working.ainvoke(GO)
    assert {id: status for id, (status, _) in told(done).items()} == {"a": "success", "b": "error"}
    spans = [created.kwargs for created in client.create_run.call_args_list]
    assert sum(span["name"] == "plain" for span in spans) == 1
    own = [span for span in spans if span["name"].startswith("UnknownTools")]
    assert [(span["inputs"], span.get("outputs") or {}) for span in own] == [({}, {})] * 2
    assert free.calls == [{"n": 4}]
