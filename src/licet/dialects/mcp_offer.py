"""Tools as the Model Context Protocol lists them to a client that knows nothing of the runtime."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from ..model.names import short
from ..model.tool import ModelTool, Offered, ToolSpec
from .loss import Loss
from .lower import lowered
from .lower.forms import MCP
from .mcp_tool import HEADER, without_headers
from .names import WireNames, serve_name

_NONE: Mapping[str, str] = MappingProxyType({})


class McpOffer(NamedTuple):
    """``tools`` is what ``tools/list`` answers, ``refused`` says of each tool that is not in it why."""

    tools: list[dict[str, Any]]
    names: WireNames
    losses: tuple[Loss, ...]
    refused: Mapping[str, str]


def compile(tools: Iterable[ToolSpec | Offered], *, chosen: Mapping[str, str] = _NONE) -> McpOffer:
    """The tools under the names that they are served by. ``chosen`` are your own, by canonical name.

    A client holds any JSON Schema, so nothing is lowered; an order to repeat an argument in a header goes.

    Raises:
        ConfigurationError: a chosen name is not legal, or looks like another that was chosen.
    """
    refused: dict[str, str] = {}
    called: dict[str, ModelTool] = {}
    for tool in tools:
        shown = tool.model_tool if isinstance(tool, ToolSpec) and tool.source != "hosted" else tool
        if isinstance(shown, ModelTool):
            called.setdefault(shown.name, shown)
        else:
            refused[shown.name] = f"{short(shown.name)!r} is run by a model's provider, and cannot be served"
    names = WireNames(called, chosen, encode=serve_name)
    refused |= names.refused
    listed = [(wire, called[name]) for wire, name in names.offered.items()]
    losses = {loss for _, tool in listed for loss in _losses(tool)}
    return McpOffer([_told(wire, tool) for wire, tool in listed], names, tuple(sorted(losses)), refused)


def _told(wire: str, tool: ModelTool) -> dict[str, Any]:
    told: dict[str, Any] = {"name": wire}
    if tool.description:
        told["description"] = tool.description
    told["inputSchema"] = without_headers(lowered(tool, MCP).schema)
    return told


def _losses(tool: ModelTool) -> Iterable[Loss]:
    low = lowered(tool, MCP)
    yield from low.losses
    if without_headers(low.schema) != low.schema:
        yield Loss(tool.name, "", HEADER, "dropped")


__all__ = ["McpOffer", "compile"]
