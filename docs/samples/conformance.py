import asyncio
from typing import Any

from licet.conformance import InProcess, UnsupportedError, chosen, examine, run


class MyRuntime:
    """As many are: it looks a tool up, and calls it."""

    def __init__(self) -> None:
        self.tools: dict[str, Any] = {}

    async def call(self, name: str, arguments: Any) -> tuple[bool, str]:
        if name not in self.tools:
            return False, "there is no such tool"
        try:
            return True, str(await self.tools[name].execute(arguments))
        except Exception:
            return False, "the tool failed"


# --8<-- [start:subject]
class Mine:
    async def setup(self, tools, options):
        self.runtime = MyRuntime()
        for tool in tools:  # .name, .description, .input_schema, .read_only, .idempotent, .granted, .ask
            if tool.ask or not tool.granted:
                raise UnsupportedError("it asks nobody, and hides no tools")  # the vector is not applicable
            self.runtime.tools[tool.name] = tool

    async def list(self):
        shown = ("name", "description", "input_schema")
        return [{member: getattr(tool, member) for member in shown} for tool in self.runtime.tools.values()]

    async def call(self, name, arguments, call_id):  # arguments: an object, or the text that the model wrote
        ok, text = await self.runtime.call(name, arguments)
        return {"ok": ok, "content": text}  # content is what the model reads; code and data may stand beside it

    async def close(self):
        pass


# --8<-- [end:subject]

# --8<-- [start:tests]
conformance_suites = ["core"]  # and conformance_profiles; both if absent


def test_my_runtime(conformance_vector):
    examine(Mine, conformance_vector)


# --8<-- [end:tests]
report = asyncio.run(run(InProcess(Mine), chosen(["core"])))
found = {outcome.vector: outcome.verdict for outcome in report.outcomes}
for vector in ("names.unknown", "hidden.called", "arguments.required", "errors.secret"):
    print(vector, found[vector])
# prints:
# names.unknown passed
# hidden.called not applicable
# arguments.required failed
# errors.secret passed
