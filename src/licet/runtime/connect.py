"""Registers what servers offer: at the edge, before any call, and never by itself."""

import asyncio
from collections.abc import Sequence

from ..catalog import Catalog, Tool
from ..errors import RegistrationError, ServerUnavailableError
from ..model.names import server_of
from ..model.verdict import Deny
from ..ports import Line, Listing, RemoteSource


async def connect(catalog: Catalog, sources: Sequence[RemoteSource]) -> tuple[Line, ...]:
    """Ask all sources at once, and register in their order. What cannot be registered is withheld, with its reason."""
    asked = await asyncio.gather(*(_listed(source) for source in sources))
    return tuple(
        line
        for source, listing in zip(sources, asked, strict=True)
        for line in _registered(catalog, source.name, listing)
    )


async def _listed(source: RemoteSource) -> Listing | ServerUnavailableError:
    try:
        return await source.list()
    except ServerUnavailableError as exc:
        return exc


def _registered(catalog: Catalog, server: str, listing: Listing | ServerUnavailableError) -> list[Line]:
    before = [name for name in catalog.tools if server_of(name) == server]
    if isinstance(listing, ServerUnavailableError):
        for name in before:
            catalog.remove(name)
        deny = Deny(listing.code, str(listing), listing.reason, "licet tools says how its servers are")
        catalog.withhold({server: deny}, under=server)
        return [Line(server, "unavailable", reason=listing.reason, told=str(listing))]
    offered = [Tool(tool.spec, tool.transport) for tool in listing.tools]
    for name in set(before).difference(tool.spec.name for tool in offered):
        catalog.remove(name)
    refused = _added(catalog, offered)
    withheld = {name: Deny("quarantined", told, "not_registered") for name, told in refused.items()}
    catalog.withhold({**listing.withheld, **withheld}, under=server)
    lines = [Line(server, "quarantined", name, "not_registered", told) for name, told in refused.items()]
    return [*listing.report, *lines]


def _added(catalog: Catalog, tools: list[Tool]) -> dict[str, str]:
    """Register all at once, or one by one where that fails; and give what was refused, with its reason."""
    try:
        catalog.add(tools, replace=True)
    except RegistrationError:
        pass
    else:
        return {}
    refused: dict[str, str] = {}
    for tool in tools:
        try:
            catalog.add([tool], replace=True)
        except RegistrationError as exc:
            refused[tool.spec.name] = str(exc)
            catalog.remove(tool.spec.name)  # what stood there before is not what its server means now
    return refused
