"""LangChain as it is, as a subject: a tool with a JSON Schema, each call in a run of an agent."""

from langchain.agents import create_agent
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.tools import StructuredTool
from langchain_core.utils.function_calling import convert_to_openai_tool

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
        self.tools = [structured(tool) for tool in tools]

    async def list(self):
        told = [convert_to_openai_tool(tool)["function"] for tool in self.tools]
        return [{"name": t["name"], "description": t["description"], "input_schema": t["parameters"]} for t in told]

    async def call(self, name, arguments, call_id):
        asked = AIMessage("", tool_calls=[{"name": name, "args": arguments, "id": call_id}])
        agent = create_agent(Fake(messages=iter([asked, AIMessage("done")])), self.tools, middleware=self.middleware)
        done = await agent.ainvoke({"messages": [HumanMessage("call")]})
        (message,) = [message for message in done["messages"] if isinstance(message, ToolMessage)]
        return {"ok": message.status == "success", "content": message.text}

    async def close(self):
        pass


def structured(tool):
    async def execute(**arguments):
        return await tool.execute(arguments)

    return StructuredTool(
        name=tool.name, description=tool.description, args_schema=tool.input_schema, coroutine=execute
    )
