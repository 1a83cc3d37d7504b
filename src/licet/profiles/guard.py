"""A tool as it is registered: without the fields that no model may see, whoever advertises them."""

from dataclasses import replace
from functools import cache
from typing import NamedTuple

from ..model.names import LOCAL
from ..model.tool import ToolSpec
from .fields import Fields, fields
from .strip import stripped
from .terms import EngineTool, shipped

FREE_PAYLOAD = {"execute_decision": ("metadata",)}
"""Arguments whose content is handed on and read by nobody on the way: ``metadata.force`` never becomes an argument."""


class _Known(NamedTuple):
    """What the shipped contract says, by every name that a tool of the engine may have."""

    tools: dict[str, EngineTool]
    guarded: frozenset[str]
    never: tuple[str, ...]


def fields_of(spec: ToolSpec) -> Fields | None:
    """What no model may see of a tool: what its declaration says, and of the contract's executing tool, on whatever
    server, what the contract says. None: nothing.
    """
    known = _known()
    own = own_name(spec.name)
    by_name = known.never if own in known.guarded else ()
    if not by_name and not spec.never_model_facing:
        return None
    tool = known.tools.get(own)
    free = FREE_PAYLOAD.get(tool.name, ()) if tool is not None else ()
    return fields(tuple(sorted({*by_name, *spec.never_model_facing})), free)


def guarded(spec: ToolSpec, held: Fields | None) -> ToolSpec:
    """The spec itself, or one that names none of these fields: not in its title, its description or its schemas.

    A result's schema that mentions one goes as a whole: what a tool gives back is not changed, so nothing else fits it.
    """
    if held is None:
        return spec
    output = spec.output_schema
    if output is not None and stripped(output, held) != output:
        output = None
    return replace(
        spec,
        title=None if spec.title is None else held.unmentioned(spec.title) or None,
        description=held.unmentioned(spec.description) or _description(spec),
        input_schema=stripped(spec.input_schema, held),
        output_schema=output,
        never_model_facing=tuple(sorted(held.names)),
    )


def answers_at_once(spec: ToolSpec) -> bool:
    """Whether this is the contract's executing tool, on whatever server: its outcome is a receipt or a named gate."""
    return own_name(spec.name) in _known().guarded


def engine_tool(own: str) -> EngineTool | None:
    """The contract's tool behind a name or an alias, flat or as it is over MCP."""
    return _known().tools.get(own)


def own_name(name: str) -> str:
    """A tool's name on its server: what stands behind the namespace, and behind the server where it has one."""
    plugin, _, rest = name.partition("/")
    return rest if plugin == LOCAL else rest.partition(".")[2]


def _description(spec: ToolSpec) -> str:
    tool = engine_tool(own_name(spec.name))
    return "" if tool is None or not spec.description else tool.description


@cache
def _known() -> _Known:
    contract = shipped()
    tools = {}
    for tool in contract.tools.values():
        for name in (tool.name, *tool.aliases):
            tools[name] = tools[contract.prefix + name] = tool
    executing = set(contract.profiles["execute"].tools or ()).difference(contract.profiles["govern"].tools or ())
    never = frozenset(name for name, tool in tools.items() if tool.name in executing)
    return _Known(tools, never, contract.never_model_facing)


__all__ = ["FREE_PAYLOAD", "answers_at_once", "engine_tool", "fields_of", "guarded", "own_name"]
