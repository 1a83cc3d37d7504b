"""Licet's own runtime as a subject: tools are functions of this process."""

import json

from licet import Principal, Runtime, ToolCapability, ToolSpec
from licet.conformance import UnsupportedError
from licet.dialects.names import WireNames
from licet.model.names import canonical
from licet.profiles import principal, shipped
from licet.profiles.guard import own_name


class LicetRuntime:
    runtime = None
    asks_itself = True

    async def setup(self, tools, options):
        if self.runtime is not None or options.source_is_dead:
            raise UnsupportedError("functions of this process have no source that could change or be gone")
        self.people = {tool.name: tool.ask for tool in tools}
        approver = Asks(tools) if self.asks_itself else None
        self.runtime = Runtime((spec(tool, options) for tool in tools), approver=approver)
        granted = Principal("model", grants=[tool.name for tool in tools if tool.granted], mode="workspace_write")
        self.run = self.runtime.begin(principal("model", options.profile) if options.is_profiled else granted)
        self.shown = self.runtime.tools_for(self.run.principal)
        self.names = WireNames(one.name for one in self.shown)

    async def list(self):
        told = ((self.names.encode(one.name), one.description, dict(one.input_schema)) for one in self.shown)
        return [dict(zip(("name", "description", "input_schema"), one, strict=True)) for one in told]

    async def call(self, name, arguments, call_id):
        tool = self.names.decode(name) or f"not offered: {name}"
        result = await self.run.call(tool, arguments, call_id=call_id)
        data = result.output if result.success else result.structured
        return {"ok": result.success, "content": result.content, "code": result.code, "data": data}

    async def close(self):
        if self.runtime is not None:
            self.runtime.close()


class Asks:
    """The person whom the suite gives a tool."""

    name = "person"

    def __init__(self, tools):
        self.people = {tool.name: tool.ask for tool in tools}

    async def approve(self, request):
        return await self.people[own_name(canonical(request.tool))](json.loads(request.arguments))


def spec(tool, options):
    async def handler(**arguments):
        return await tool.execute(arguments)

    flags = ToolCapability(
        read_only=tool.read_only,
        writes=not tool.read_only,
        idempotent=tool.idempotent,
        human_approval_required=tool.ask is not None,
    )
    return ToolSpec(
        name=tool.name,
        description=tool.description,
        input_schema=tool.input_schema,
        capabilities=flags,
        never_model_facing=shipped().never_model_facing if options.is_profiled else (),
        handler=handler,
    )
