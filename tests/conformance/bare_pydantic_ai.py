"""pydantic-ai as it is, as a subject: a tool with a JSON Schema, each call in a run of an agent."""

from pydantic_ai import Agent, DeferredToolRequests, DeferredToolResults, Tool
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
        self.people = {tool.name: tool.ask for tool in tools}
        self.tools = FunctionToolset(map(made, tools)).filtered(lambda context, tool: tool.name not in hidden)

    async def list(self):
        shown = []
        await self.agent(lambda messages, info: shown.extend(info.function_tools) or DONE).run("list")
        return [{"name": t.name, "description": t.description, "input_schema": t.parameters_json_schema} for t in shown]

    async def call(self, name, arguments, call_id):
        asked = ModelResponse([ToolCallPart(name, arguments, call_id)])
        agent = self.agent(lambda messages, info: DONE if len(messages) > 1 else asked)
        done = await finished(agent, self.people)
        (part,) = [p for message in done.all_messages() for p in message.parts if p.part_kind == "tool-return"]
        return {"ok": part.outcome == "success", "content": part.model_response_str()}

    def agent(self, respond):
        return Agent(FunctionModel(respond), toolsets=[self.tools], output_type=[str, DeferredToolRequests])

    async def close(self):
        pass


async def finished(agent, people):
    done = await agent.run("call", conversation_id="one")
    while isinstance(done.output, DeferredToolRequests):
        said = {c.tool_call_id: await people[c.tool_name](c.args_as_dict()) for c in done.output.approvals}
        earlier, told = done.all_messages(), DeferredToolResults(approvals=said)
        done = await agent.run(message_history=earlier, deferred_tool_results=told, conversation_id="one")
    return done


def made(tool):
    async def execute(**arguments):
        return await tool.execute(arguments)

    one = Tool.from_schema(execute, tool.name, tool.description, tool.input_schema)
    one.requires_approval = tool.ask is not None
    return one
