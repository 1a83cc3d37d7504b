"""LangChain over licet, as a subject."""

import json

from bare_langchain import LangChain
from licet_runtime import LicetRuntime

from licet.adapters.langchain import middleware
from licet.adapters.langchain import tools as structured_tools
from licet.conformance import UnsupportedError
from licet.dialects.untrusted import blocks


class LicetInLangChain(LangChain, LicetRuntime):
    asks_itself = False

    async def setup(self, tools, options):
        if "text" in options.needs:
            raise UnsupportedError("its calls hold an object; a model's text is read by each integration of a model")
        await LicetRuntime.setup(self, tools, options)
        who = "model" if options.is_profiled else self.run
        self.tools = structured_tools(self.runtime, who, profile=options.profile)
        self.middleware = [middleware(self.runtime, self.run)]

    async def call(self, name, arguments, call_id):
        answer = await super().call(name, arguments, call_id)
        told = [json.loads(text) for _, text in blocks(answer["content"])]
        return {**answer, "data": told[0] if told else None}

    async def close(self):
        await LicetRuntime.close(self)
