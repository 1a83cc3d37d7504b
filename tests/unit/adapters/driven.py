"""The three frameworks, each with its own stand-in for a model: an agent runs, and what its model reads comes back."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from licet import Runtime


class Ask(NamedTuple):
    """A call that the model asks for."""

    name: str
    arguments: Any
    id: str


class Read(NamedTuple):
    """What the model reads of a call. ``failed`` is None where the framework has no flag for it."""

    id: str
    content: str
    failed: bool | None


class Ran(NamedTuple):
    """``shown`` is what the model was shown of each tool: its schema by its name. ``end`` are its last words."""

    read: list[Read]
    shown: dict[str, Any]
    end: str


async def in_pydantic_ai(runtime: Runtime, who: Any, asks: Sequence[Ask], **options: Any) -> Ran:
    from pydantic_ai import Agent
    from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
    from pydantic_ai.models.function import AgentInfo, FunctionModel

    from licet.adapters.pydantic_ai import toolset

    shown: dict[str, Any] = {}

    def respond(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        shown.update({tool.name: tool.parameters_json_schema for tool in info.function_tools})
        if len(messages) > 1:
            return ModelResponse([TextPart("done")])
        return ModelResponse([ToolCallPart(*ask) for ask in asks])

    tools = options.pop("toolset", None) or toolset(runtime, who, **options)
    done = await Agent(FunctionModel(respond), toolsets=[tools]).run("go", conversation_id="one")
    parts = [part for message in done.all_messages() for part in message.parts if isinstance(part, ToolReturnPart)]
    read = [Read(part.tool_call_id, str(part.content), part.outcome != "success") for part in parts]
    return Ran(read, shown, done.output)


async def in_openai_agents(runtime: Runtime, who: Any, asks: Sequence[Ask], **options: Any) -> Ran:
    from agents import Agent, RunConfig, Runner
    from agents.testing import ScriptedModel, assistant_message, function_call

    from licet.adapters.openai_agents import tools

    calls = [
        function_call(name, given if isinstance(given, str) else json.dumps(given), call_id=id)
        for name, given, id in asks
    ]
    model = ScriptedModel([calls, [assistant_message("done")]])
    agent = Agent("agent", model=model, tools=[*tools(runtime, who, **options)])
    config = RunConfig(tool_not_found_behavior="return_error_to_model", tracing_disabled=True)
    done = await Runner.run(agent, "go", run_config=config)
    items = [item for item in done.new_items if item.type == "tool_call_output_item"]
    read = [Read(str(item.call_id), str(item.output), None) for item in items]
    first = model.first_call
    assert first is not None
    shown = {tool.name: getattr(tool, "params_json_schema", None) for tool in first.tools}
    return Ran(read, shown, done.final_output)


async def in_langchain(runtime: Runtime, who: Any, asks: Sequence[Ask], **options: Any) -> Ran:
    from langchain.agents import create_agent
    from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
    from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
    from langchain_core.utils.function_calling import convert_to_openai_tool

    from licet.adapters.langchain import tools

    shown: dict[str, Any] = {}

    class Fake(GenericFakeChatModel):
        def bind_tools(self, tools: Any, **_: Any) -> Any:
            told = [convert_to_openai_tool(tool)["function"] for tool in tools]
            shown.update({tool["name"]: tool["parameters"] for tool in told})
            return self

    calls = [{"name": name, "args": given, "id": id, "type": "tool_call"} for name, given, id in asks]
    model = Fake(messages=iter([AIMessage("", tool_calls=calls), AIMessage("done")]))
    agent = create_agent(model, [*tools(runtime, who, **options)])
    done = await agent.ainvoke({"messages": [HumanMessage("go")]})
    messages = [message for message in done["messages"] if isinstance(message, ToolMessage)]
    read = [Read(message.tool_call_id, str(message.content), message.status == "error") for message in messages]
    return Ran(read, shown, done["messages"][-1].content)


Framework = Callable[..., Any]
FRAMEWORKS: Mapping[str, Framework] = {
    "pydantic-ai": in_pydantic_ai,
    "openai-agents": in_openai_agents,
    "langchain": in_langchain,
}
