"""A tool of an adapter against the framework's own tool: one call alone, and one run of an agent with one call.

Alone, both are called as the framework calls a tool in a run, with a new call id each time, as models give them:
pydantic-ai through its manager of tools, openai-agents through its ``invoke_function_tool`` (its ``on_invoke_tool``
stands beside it), LangChain through ``ainvoke`` with a tool call. Ours is governed: grant, validation, deadline, two
chained entries, the record of the call id, the block that the model reads. The run is the framework's own loop with its
own stand-in for a model.
"""

import asyncio
import itertools
import json
import os
import sys
from collections.abc import Callable
from typing import Any

from bench.measure import Case, Gate, time_rounds
from bench.peers import ARGUMENTS, FAST, SLOW, add
from licet import Principal, Runtime
from licet.sources.function import make

MODULE = "bench.adapters"
PACKAGES = ("licet", "orjson", "jsonschema-rs", "pydantic-ai-slim", "openai-agents", "langchain", "langchain-core")
UNIT = "us"
GROUPS = [("pydantic-ai",), ("openai-agents",), ("langchain",)]
BARE = "openai-agents on_invoke_tool"
GATES = (
    *(
        gate
        for name, must, aim in (("pydantic-ai", 1.8, 1.5), ("openai-agents", 1.8, 1.5), ("langchain", 1.1, None))
        for gate in (
            Gate(f"a call of an adapter's tool / of {name}'s own", f"{name}, licet", name, must, aim),
            Gate(f"an agent's run over licet / over {name}'s own tool", f"{name} run, licet", f"{name} run", 1.1),
        )
    ),
    Gate("the bare on_invoke_tool of an adapter / of openai-agents' own", f"{BARE}, licet", BARE),
)
TEXT = json.dumps(ARGUMENTS)
RARELY = 20
"""Runs of an agent in one round."""
_ids = itertools.count()


def runtime() -> Runtime:
    return Runtime([make(add, read_only=True)])


WHO = Principal("bench", grants=["add"])


def new_id() -> str:
    return f"call_{next(_ids)}"


async def pydantic_ai() -> dict[str, Case]:
    from pydantic_ai import Agent, RunContext
    from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
    from pydantic_ai.models.function import AgentInfo, FunctionModel
    from pydantic_ai.models.test import TestModel
    from pydantic_ai.tool_manager import ToolManager
    from pydantic_ai.toolsets import FunctionToolset
    from pydantic_ai.usage import RunUsage

    from licet.adapters.pydantic_ai import toolset

    own: Any = FunctionToolset()
    own.add_function(add)

    async def alone(tools: Any) -> Case:
        context = RunContext(deps=None, model=TestModel(), usage=RunUsage(), conversation_id="bench")
        manager = await ToolManager(tools).for_run_step(context)
        return lambda: manager.handle_call(ToolCallPart("add", ARGUMENTS, new_id())), FAST

    def in_a_run(tools: Any) -> Case:
        def respond(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
            if len(messages) == 1:
                return ModelResponse([ToolCallPart("add", ARGUMENTS, new_id())])
            return ModelResponse([TextPart("done")])

        agent = Agent(FunctionModel(respond), toolsets=[tools])
        return lambda: agent.run("go"), RARELY

    return await compared("pydantic-ai", alone, in_a_run, own, toolset(runtime(), WHO))


async def openai_agents() -> dict[str, Case]:
    from agents import Agent, RunConfig, Runner, function_tool, set_tracing_disabled
    from agents.testing import ScriptedModel, assistant_message, function_call
    from agents.tool import invoke_function_tool
    from agents.tool_context import ToolContext

    from licet.adapters.openai_agents import run_config, tools

    set_tracing_disabled(True)

    def bare(tool: Any) -> Case:
        def invoke() -> Any:
            context: Any = ToolContext(None, tool_name="add", tool_call_id=new_id(), tool_arguments=TEXT)
            return tool.on_invoke_tool(context, TEXT)

        return invoke, FAST

    async def alone(tool: Any) -> Case:
        def invoke() -> Any:
            context: Any = ToolContext(None, tool_name="add", tool_call_id=new_id(), tool_arguments=TEXT)
            return invoke_function_tool(function_tool=tool, context=context, arguments=TEXT)

        return invoke, FAST

    held = runtime()
    run = held.begin(WHO)
    ours = tools(held, run)[0]

    def in_a_run(tool: Any) -> Case:
        config = run_config(held, run) if tool is ours else RunConfig()

        def go() -> Any:
            model = ScriptedModel([[function_call("add", TEXT, call_id=new_id())], [assistant_message("done")]])
            return Runner.run(Agent("agent", model=model, tools=[tool]), "go", run_config=config)

        return go, RARELY

    own = function_tool(add)
    beside = {BARE: bare(own), f"{BARE}, licet": bare(ours)}
    return {**await compared("openai-agents", alone, in_a_run, own, ours), **beside}


async def langchain() -> dict[str, Case]:
    os.environ["LANGSMITH_TRACING"] = "false"
    from langchain.agents import create_agent
    from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
    from langchain_core.messages import AIMessage, HumanMessage
    from langchain_core.tools import StructuredTool

    from licet.adapters.langchain import middleware, tools

    class Fake(GenericFakeChatModel):
        def bind_tools(self, tools: Any, **_: Any) -> Any:
            return self

    def asked() -> Any:
        return {"name": "add", "args": ARGUMENTS, "id": new_id(), "type": "tool_call"}

    async def alone(tool: Any) -> Case:
        return lambda: tool.ainvoke(asked()), SLOW

    held = runtime()
    run = held.begin(WHO)
    ours = tools(held, run)[0]

    def in_a_run(tool: Any) -> Case:
        said = itertools.cycle((lambda: AIMessage("", tool_calls=[asked()]), lambda: AIMessage("done")))
        beside = [middleware(held, run)] if tool is ours else []
        agent: Any = create_agent(Fake(messages=(each() for each in said)), [tool], middleware=beside)
        return lambda: agent.ainvoke({"messages": [HumanMessage("go")]}), RARELY

    return await compared("langchain", alone, in_a_run, StructuredTool.from_function(coroutine=add), ours)


async def compared(
    name: str, alone: Callable[[Any], Any], in_a_run: Callable[[Any], Case], own: Any, ours: Any
) -> dict[str, Case]:
    return {
        name: await alone(own),
        f"{name}, licet": await alone(ours),
        f"{name} run": in_a_run(own),
        f"{name} run, licet": in_a_run(ours),
    }


MADE = {"pydantic-ai": pydantic_ai, "openai-agents": openai_agents, "langchain": langchain}


async def measure(rounds: int, name: str) -> dict[str, list[float]]:
    return await time_rounds(await MADE[name](), rounds)


if __name__ == "__main__":
    print(json.dumps(asyncio.run(measure(int(sys.argv[1]), sys.argv[2]))))
