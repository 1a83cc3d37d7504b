"""``functions_for`` in agents of other frameworks as they are: the corridor is behind every call that they make.

The models are the frameworks' own stand-ins: no key, no network.
"""

from collections.abc import Callable
from typing import Any

import pytest

from doubles import holder
from licet import Deny, Permit, Runtime, ToolCapability
from licet.ledger.verify import verify
from licet.testing import FakeTransport, RecordingLedger, fake_tool

Ask = tuple[str, dict[str, Any]]
SCHEMA = {
    "type": "object",
    "properties": {
        "n": {"type": "integer", "minimum": 1, "maximum": 10},
        "label": {"type": "string", "pattern": "^[a-z]+$"},
    },
    "required": ["n"],
    "additionalProperties": False,
}


async def in_pydantic_ai(functions: list[Any], asks: list[Ask]) -> list[str]:
    """What an Agent's model reads back, one text for each call that it asked for."""
    from pydantic_ai import Agent
    from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
    from pydantic_ai.models.function import AgentInfo, FunctionModel

    def respond(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        if len(messages) > 1:
            return ModelResponse([TextPart("done")])
        return ModelResponse([ToolCallPart(name, arguments) for name, arguments in asks])

    done = await Agent(FunctionModel(respond), tools=functions).run("go")
    parts = [part for message in done.all_messages() for part in message.parts]
    return [str(part.content) for part in parts if isinstance(part, ToolReturnPart)]


async def in_langchain(functions: list[Any], asks: list[Ask]) -> list[str]:
    from langchain.agents import create_agent
    from langchain_core.language_models.fake_chat_models import FakeMessagesListChatModel
    from langchain_core.messages import AIMessage, HumanMessage, ToolMessage

    class Fake(FakeMessagesListChatModel):
        def bind_tools(self, tools: Any, **_: Any) -> Any:
            return self

    calls = [{"name": name, "args": arguments, "id": str(number)} for number, (name, arguments) in enumerate(asks)]
    model = Fake(responses=[AIMessage("", tool_calls=calls), AIMessage("done")])
    done = await create_agent(model, functions).ainvoke({"messages": [HumanMessage("go")]})
    return [str(message.content) for message in done["messages"] if isinstance(message, ToolMessage)]


FRAMEWORKS = [pytest.param(in_pydantic_ai, id="pydantic-ai"), pytest.param(in_langchain, id="langchain")]
Framework = Callable[[list[Any], list[Ask]], Any]
WHO = holder("measure", "writes", "asks", "late", mode="read_only")


def world(ledger: RecordingLedger, **options: Any) -> tuple[Runtime, FakeTransport]:
    tool, transport = fake_tool(
        "measure",
        lambda arguments: {"measured": arguments["n"]},
        read_only=True,
        description="Measure something.",
        input_schema=SCHEMA,
    )
    writes, _ = fake_tool("writes", transport.answer)
    asks, _ = fake_tool("asks", capabilities=ToolCapability(read_only=True, unsafe=True))
    return Runtime([tool, writes, asks], ledger=ledger, **options), transport


@pytest.mark.parametrize("agent", FRAMEWORKS)
async def test_an_allowed_call_runs_through_the_corridor_and_stands_on_the_ledger(
    agent: Framework, ledger: RecordingLedger
) -> None:
    runtime, transport = world(ledger)
    functions = runtime.functions_for(WHO)
    assert [function.__name__ for function in functions] == ["measure"]
    (told,) = await agent(functions, [("measure", {"n": 3, "label": "abc"})])
    assert '{\\"measured\\":3}' in told
    assert "<<data " in told
    assert transport.calls == [{"label": "abc", "n": 3}]
    assert ledger.kinds == ["tool.requested", "tool.completed"]
    verify(ledger.entries())
    runtime.close()


@pytest.mark.parametrize("agent", FRAMEWORKS)
async def test_a_refused_call_is_text_and_touches_nothing(agent: Framework, ledger: RecordingLedger) -> None:
    def no_three(principal: Any, spec: Any, arguments: Any) -> Any:
        return Deny("rule_forbids", "not three") if arguments and arguments["n"] == 3 else Permit()

    runtime, transport = world(ledger, checks=[no_three])
    functions = runtime.functions_for(WHO)
    (told,) = await agent(functions, [("measure", {"n": 3})])
    assert "rule_forbids" in told
    assert transport.calls == []
    assert ledger.kinds == ["tool.refused"]
    runtime.remove("measure")
    (told,) = await agent(functions, [("measure", {"n": 4})])
    assert "unknown_tool" in told
    assert transport.calls == []
    assert ledger.kinds == ["tool.refused"] * 2
    runtime.close()


@pytest.mark.parametrize("agent", FRAMEWORKS)
@pytest.mark.parametrize("arguments", [{"n": 11}, {"n": 0}, {"n": 3, "label": "ABC"}])
async def test_arguments_that_the_framework_lets_through_are_refused(
    agent: Framework, ledger: RecordingLedger, arguments: dict[str, Any]
) -> None:
    """A framework knows the types of a signature; the registered schema says more."""
    runtime, transport = world(ledger)
    (told,) = await agent(runtime.functions_for(WHO), [("measure", arguments)])
    assert "invalid_arguments" in told
    assert transport.calls == []
    assert ledger.kinds == ["tool.refused"]
    runtime.close()


@pytest.mark.parametrize("agent", FRAMEWORKS)
async def test_several_calls_of_one_message_each_have_their_entries(agent: Framework, ledger: RecordingLedger) -> None:
    runtime, transport = world(ledger)
    asks: list[Ask] = [("measure", {"n": n}) for n in (1, 2, 12)]
    told = await agent(runtime.functions_for(WHO), asks)
    assert ["measured" in text for text in told] == [True, True, False]
    assert sorted(call["n"] for call in transport.calls) == [1, 2]
    assert ledger.kinds.count("tool.completed") == ledger.kinds.count("tool.requested") == 2
    assert ledger.kinds.count("tool.refused") == 1
    runtime.close()


@pytest.mark.parametrize("agent", FRAMEWORKS)
async def test_a_tool_that_was_not_handed_out_is_not_there(agent: Framework, ledger: RecordingLedger) -> None:
    """What the framework says of it is its own affair; what matters is that no handler and no room is reached."""
    runtime, transport = world(ledger)
    functions = runtime.functions_for(WHO)
    for name in ("writes", "asks", "late", "nowhere"):
        await agent(functions, [(name, {}), ("measure", {"n": 1})])
    assert transport.calls == [{"n": 1}] * len(transport.calls)
    assert set(ledger.kinds) <= {"tool.requested", "tool.completed"}
    runtime.close()


@pytest.mark.parametrize("agent", FRAMEWORKS)
async def test_a_handler_that_fails_is_text_without_its_words(agent: Framework, ledger: RecordingLedger) -> None:
    runtime, transport = world(ledger)
    transport.answer = ValueError("hunter2")
    (told,) = await agent(runtime.functions_for(WHO), [("measure", {"n": 1})])
    assert "tool_failed" in told
    assert "hunter2" not in told
    assert ledger.kinds == ["tool.requested", "tool.failed"]
    runtime.close()


async def test_the_test_model_of_pydantic_ai_calls_every_function_it_is_given(ledger: RecordingLedger) -> None:
    from pydantic_ai import Agent
    from pydantic_ai.models.test import TestModel

    runtime, transport = world(ledger)
    functions = runtime.functions_for(WHO)
    done = await Agent(TestModel(), tools=functions).run("go")
    assert "measure" in done.output
    assert len(ledger.kinds) == 1 + len(transport.calls), "made-up arguments run where they fit, and else are refused"
    runtime.close()
