"""pydantic-ai as it is, as a subject: a tool with a JSON Schema, each call in a run of an agent."""

from pydantic_ai import Agent, Tool
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.toolsets import FunctionToolset

from licet.conformance import UnsupportedError

DONE = ModelResponse([TextPart("done")])


class PydanticAi:
    tools = None

    async def setup(self, tools, options):
        if self.tools or options.source_is_dead or options.is_profiled:
            raise UnsupportedError("it has no profiles, and functions no source that could change or be gone")
        hidden = {tool.name for tool in tools if not tool.granted}
        made = [Tool.from_schema(run(tool), tool.name, tool.description, tool.input_schema) for tool in tools]
        self.tools = FunctionToolset(made).filtered(lambda context, tool: tool.name not in hidden)

    async def list(self):
        shown = []
        await self.agent(lambda messages, info: shown.extend(info.function_tools) or DONE).run("list")
        return [{"name": t.name, "description": t.description, "input_schema": t.parameters_json_schema} for t in shown]

    async def call(self, name, arguments, call_id):
        asked = ModelResponse([ToolCallPart(name, arguments, call_id)])
        agent = self.agent(lambda messages, info: DONE if len(messages) > 1 else asked)
        done = await agent.run("call", conversation_id="one")
        (part,) = [p for message in done.all_messages() for p in message.parts if p.part_kind == "tool-return"]
        return {"ok": part.outcome == "success", "content": part.model_response_str()}

    def agent(self, respond):
        return Agent(FunctionModel(respond), toolsets=[self.tools])

    async def close(self):
        pass


def run(tool):
    async def execute(**arguments):
        return await tool.execute(arguments)

    return execute
