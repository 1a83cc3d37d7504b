"""openai-agents as it is, as a subject: a tool with a JSON Schema, each call in a run of an agent."""

import json

from agents import Agent, FunctionTool, RunConfig, Runner
from agents.testing import ScriptedModel, assistant_message, function_call

from licet.conformance import UnsupportedError

CONFIG = RunConfig(tracing_disabled=True, tool_not_found_behavior="return_error_to_model")
DONE = [assistant_message("done")]


class OpenAiAgents:
    tools, config = None, CONFIG

    async def setup(self, tools, options):
        if self.tools or options.source_is_dead or options.is_profiled:
            raise UnsupportedError("it has no profiles, and functions no source that could change or be gone")
        self.people = {tool.name: tool.ask for tool in tools}
        self.tools = [function_tool(tool) for tool in tools]

    async def list(self):
        model = ScriptedModel([DONE])
        await Runner.run(Agent("agent", model=model, tools=self.tools), "list", run_config=self.config)
        return [
            {"name": t.name, "description": t.description, "input_schema": t.params_json_schema}
            for t in model.first_call.tools
        ]

    async def call(self, name, arguments, call_id):
        text = arguments if isinstance(arguments, str) else json.dumps(arguments)
        model = ScriptedModel([[function_call(name, text, call_id=call_id)], DONE])
        done = await finished(Agent("agent", model=model, tools=self.tools), self.config, self.people)
        (item,) = [item for item in done.new_items if item.type == "tool_call_output_item"]
        failed = any(words in str(item.output)[:200] for words in ("not found", "not approved"))
        return {"ok": not failed, "content": str(item.output)}

    async def close(self):
        pass


async def finished(agent, config, people):
    done = await Runner.run(agent, "call", run_config=config)
    while done.interruptions:
        state = done.to_state()
        for item in done.interruptions:
            said = await people[item.tool_name](json.loads(item.raw_item.arguments))
            (state.approve if said else state.reject)(item)
        done = await Runner.run(agent, state, run_config=config)
    return done


def function_tool(tool):
    async def invoke(context, text):
        return json.dumps(await tool.execute(json.loads(text)))

    asks = tool.ask is not None
    return FunctionTool(
        tool.name, tool.description, tool.input_schema, invoke, False, tool.granted, needs_approval=asks
    )
