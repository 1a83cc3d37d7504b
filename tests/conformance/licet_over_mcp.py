"""Licet's own runtime as a subject, with the tools on an MCP server."""

from licet_runtime import Asks, LicetRuntime

from licet import Principal, Runtime
from licet.conformance.mcp_subject import refuse_what_does_not_go_over_mcp
from licet.dialects.names import WireNames
from licet.model.server import ServerSpec
from licet.policy.operator import Word
from licet.profiles import flat_names, principal, shipped
from licet.sources.mcp.server import McpServer


class LicetOverMcp(LicetRuntime):
    is_gateway = True

    async def setup(self, tools, options):
        refuse_what_does_not_go_over_mcp(options.needs, calls_have_ids=True, arguments_may_be_text=True, asks=True)
        if self.runtime is not None:
            self.run.next_turn()
            return
        never = shipped().never_model_facing if options.is_profiled else ()
        words = {f"mcp/algenta.{tool.name}": word(tool, never) for tool in tools}
        self.source = McpServer(self.server(options), word=words.get)
        self.runtime = Runtime(approver=Asks(tools))
        await self.runtime.connect(self.source)
        self.run = self.runtime.begin(holder(tools, options))
        self.shown, names = self.runtime.tools_for(self.run.principal), self.run.principal.grants
        self.names = WireNames(names, flat_names(names) if options.is_profiled else {})

    def server(self, options):
        return ServerSpec(id="algenta", command=options.upstream[0], args=options.upstream[1:])

    async def list(self):
        if "mcp/algenta" in self.runtime.withheld:
            raise ConnectionError(self.runtime.withheld["mcp/algenta"].message)
        return await super().list()

    async def close(self):
        if self.runtime is not None:
            await self.source.close()
        await super().close()


def word(tool, never):
    return Word(read_only=tool.read_only, approval=tool.ask is not None, withheld=never)


def holder(tools, options):
    if options.is_profiled:
        return principal("model", options.profile, server="mcp/algenta")
    granted = [f"mcp/algenta.{tool.name}" for tool in tools if tool.granted]
    return Principal("model", grants=granted, mode="workspace_write")


class LicetOverHttp(LicetOverMcp):
    def server(self, options):
        return ServerSpec(id="algenta", url=options.upstream_url)
