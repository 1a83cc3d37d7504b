"""openai-agents over licet, as a subject."""

import json

from bare_openai_agents import OpenAiAgents
from licet_runtime import LicetRuntime

from licet.adapters.call_id import own_id
from licet.adapters.openai_agents import run_config
from licet.adapters.openai_agents import tools as function_tools
from licet.dialects.untrusted import blocks


class LicetInOpenAiAgents(OpenAiAgents, LicetRuntime):
    asks_itself = False

    async def setup(self, tools, options):
        await LicetRuntime.setup(self, tools, options)
        self.tools = function_tools(self.runtime, self.run)
        self.config = run_config(self.runtime, self.run, tracing_disabled=True)

    async def call(self, name, arguments, call_id):
        answer = await super().call(name, arguments, call_id)
        told = [json.loads(text) for _, text in blocks(answer["content"])]
        closed = self.runtime.ledger.find(own_id(self.run.id, call_id)).closed  # the SDK has no flag for a failure
        ok = closed is not None and closed.kind == "tool.completed"
        return {"ok": ok, "content": answer["content"], "data": told[0] if told else None}

    async def close(self):
        await LicetRuntime.close(self)
