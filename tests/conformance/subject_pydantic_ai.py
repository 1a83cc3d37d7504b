"""pydantic-ai over licet, as a subject."""

import json

from bare_pydantic_ai import PydanticAi
from licet_runtime import LicetRuntime

from licet.adapters.pydantic_ai import toolset
from licet.dialects.untrusted import blocks


class LicetInPydanticAi(PydanticAi, LicetRuntime):
    asks_itself = False

    async def setup(self, tools, options):
        await LicetRuntime.setup(self, tools, options)
        who = "model" if options.is_profiled else self.run
        self.tools = toolset(self.runtime, who, profile=options.profile)

    async def call(self, name, arguments, call_id):
        answer = await super().call(name, arguments, call_id)
        told = [json.loads(text) for _, text in blocks(answer["content"])]
        return {**answer, "data": told[0] if told else None}

    async def close(self):
        await LicetRuntime.close(self)
