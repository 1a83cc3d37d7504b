"""A surface of fake tools before the SDK's own client, in memory."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

from mcp import Client

from licet import Principal, Runtime
from licet.catalog import Tool
from licet.gateway.refusals import Refusals
from licet.gateway.server import Gateway
from licet.gateway.surface import Surface

ERAS = ("auto", "legacy")


@asynccontextmanager
async def gateway(
    runtime: Runtime, principal: Principal, *, names: Mapping[str, str] | None = None, told: list[str] | None = None
) -> AsyncIterator[Gateway]:
    """The gateway over a runtime. What it says on standard error goes to ``told``."""
    said = [] if told is None else told
    served = Gateway(Surface(runtime, principal, names=names or {}), Refusals(said.append, ("--agent", "coder")))
    try:
        yield served
    finally:
        await served.close()


@asynccontextmanager
async def client(
    era: str,
    *tools: Tool,
    mode: str = "read_only",
    ledger: Any = None,
    told: list[str] | None = None,
    names: Mapping[str, str] | None = None,
    grants: tuple[str, ...] | None = None,
    **options: Any,
) -> AsyncIterator[Client]:
    """A connected client of one era; everything is granted if ``grants`` says nothing else."""
    with Runtime(tools, ledger=ledger) as runtime:
        granted = [tool.spec.name for tool in tools] if grants is None else grants
        principal = Principal("coder", grants=granted, mode=mode)  # type: ignore[arg-type]
        async with (
            gateway(runtime, principal, names=names, told=told) as served,
            Client(served.server, mode=era, cache=None, **options) as connected,
        ):
            yield connected
