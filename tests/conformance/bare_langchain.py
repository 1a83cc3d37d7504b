"""LangChain as it is, as a subject: a tool with a JSON Schema, each call in a run of an agent."""

from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.tools import StructuredTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from licet.conformance import UnsupportedError


class Fake(GenericFakeChatModel):
    def bind_tools(self, tools, **_):
        return self


class LangChain:
    tools, middleware = None, ()

    async def setup(self, tools, options):
        if self.tools or options.source_is_dead or options.is_profiled or not all(tool.granted for tool in tools):
            raise UnsupportedError("it hides no tool, has no profiles, and functions no source that could change")
        if "text" in options.needs:
            raise UnsupportedError("its calls hold an object; a model's text is read by each integration of a model")
        self.people = {tool.name: tool.ask for tool in tools}
        asks = {tool.name: {"allowed_decisions": ["approve", "reject"]} for tool in tools if tool.ask}
        self.middleware = [HumanInTheLoopMiddleware(asks)]
        self.tools = [structured(tool) for tool in tools]

    async def list(self):
        told = [convert_to_openai_tool(tool)["function"] for tool in self.tools]
        return [{"name": t["name"], "description": t["description"], "input_schema": t["parameters"]} for t in told]

    async def call(self, name, arguments, call_id):
        asked = AIMessage("", tool_calls=[{"name": name, "args": arguments, "id": call_id}])
        model, kept = Fake(messages=iter([asked, AIMessage("done")])), InMemorySaver()
        agent = create_agent(model, self.tools, middleware=self.middleware, checkpointer=kept)
        done = await finished(agent, self.people)
        (message,) = [message for message in done["messages"] if isinstance(message, ToolMessage)]
        return {"ok": message.status == "success", "content": message.text}

    async def close(self):
        pass


async def finished(agent, people):
    thread = {"configurable": {"thread_id": "one"}}
    done = await agent.ainvoke({"messages": [HumanMessage("call")]}, thread)
    while "__interrupt__" in done:
        requests = done["__interrupt__"][0].value["action_requests"]
        said = [await people[one["name"]](one["args"]) for one in requests]
        decisions = [{"type": "approve" if yes else "reject"} for yes in said]
        done = await agent.ainvoke(Command(resume={"decisions": decisions}), thread)
    return done


def structured(tool):
    async def execute(**arguments):
        return await tool.execute(arguments)

    return StructuredTool(
        name=tool.name, description=tool.description, args_schema=tool.input_schema, coroutine=execute
    )
