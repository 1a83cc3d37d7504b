"""Everything in which an embedded copy differs from the contract."""

from collections.abc import Iterator
from typing import Any

from .finding import Finding
from .wrong import texts


def drift(wanted: Any, held: Any, path: tuple[str, ...] = ()) -> Iterator[Finding]:
    """Everything in which a copy differs."""
    if isinstance(wanted, dict) and isinstance(held, dict):
        for key in {*wanted, *held}:
            here = (*path, key)
            if key not in held:
                yield named(here, "missing_tool")
            elif key not in wanted:
                yield named(here, "invented_tool")
            else:
                yield from drift(wanted[key], held[key], here)
        return
    if alike(wanted, held):
        return
    is_list_of_tools = path[:1] == ("profiles",) and path[-1] in ("tools", "adds_tools")
    if is_list_of_tools and texts(wanted) is not None and texts(held) is not None:
        for tool in wanted:
            if tool not in held:
                yield Finding("missing_tool", "/".join((*path, tool)))
        for tool in held:
            if tool not in wanted:
                yield Finding("invented_tool", "/".join((*path, tool)))
        if set(wanted) == set(held):
            yield Finding("drift", "/".join(path))
        return
    yield named(path)


def named(path: tuple[str, ...], of_a_tool: str = "") -> Finding:
    """A difference by where it is. ``of_a_tool`` is its code if it is a whole tool that is missing or invented."""
    where = "/".join(path)
    if path[:1] == ("mcp_tool_reference",) and len(path) == 2 and of_a_tool:
        return Finding(of_a_tool, where)
    if path[:1] != ("profiles",):
        return Finding("drift", where)
    if path[-1] in ("default", "opt_in_only"):
        return Finding("wrong_default", where)
    if path == ("profiles", "full", "tools"):
        return Finding("full_not_star", where)
    return Finding("never_field_drift" if path[-1] == "never_model_facing_fields" else "bad_profile", where)


def alike(one: Any, other: Any) -> bool:
    """Equal, and of one type: for Python 1 equals true."""
    if type(one) is not type(other):
        return False
    if isinstance(one, list):
        return len(one) == len(other) and all(map(alike, one, other))
    return bool(one == other)
