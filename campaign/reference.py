"""The contract's checks a second time, naively and from its text alone, to be compared with the real ones.

It imports nothing of licet and shares no type with it. Slow and plain on purpose: who doubts a verdict reads it here.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

ALNUM = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

OWN_POLICY = (".git", ".mcp.json", ".claude", ".cursor", ".vscode", ".codex", "licet.yaml", "licet.yml", "licet.lock")
STATE = ".licet"


class Tool(NamedTuple):
    """``pointers`` lead to the arguments that hold paths; ``access`` is the most that the tool may use."""

    name: str
    source: str
    tool_type: str
    group: str | None
    reads: bool
    asks: bool
    access: str
    pointers: tuple[str, ...]


class Caller(NamedTuple):
    """``grants`` are exact names, ``sets`` are pairs of kind and value."""

    grants: tuple[str, ...]
    sets: tuple[tuple[str, str], ...]
    mode: str
    access: str
    roots: tuple[str, ...]


class Call(NamedTuple):
    """``arguments`` is None while listing. Whether they are JSON and fit the schema, who made them knows."""

    name: str
    arguments: Mapping[str, Any] | None
    is_json: bool = True
    fits: bool = True


Said = Callable[[str, Mapping[str, Any] | None], str]
"""A check: of a canonical name and arguments it says permit, ask, "deny CODE", raise, or anything else."""


def canonical(name: str) -> str | None:
    """``namespace/name``, or None: it is no name."""
    whole = name if "/" in name else f"local/{name}"
    parts = whole.split("/")
    good = len(parts) == 2 and len(whole) <= 320 and all(p and p[0] in ALNUM for p in parts)
    return whole if good and all(c in ALNUM + "_.-" for p in parts for c in p) else None


def alike(pattern: str, text: str) -> bool:
    if not pattern:
        return not text
    if pattern[0] == "*":
        return alike(pattern[1:], text) or (text != "" and alike(pattern, text[1:]))
    return text != "" and pattern[0] in ("?", text[0]) and alike(pattern[1:], text[1:])


def holds(caller: Caller, tools: Sequence[Tool], name: str) -> bool:
    """By an exact grant, or by a set, which is about registered tools only, and about none that a provider runs."""
    if any(canonical(grant) == name for grant in caller.grants):
        return True
    registered = [tool for tool in tools if tool.name == name and tool.source != "hosted"]
    for kind, value in caller.sets:
        for tool in registered:
            if kind == "full" or (kind == "group" and tool.group == value):
                return True
            if kind == "glob" and covers(value, name):
                return True
    return False


def covers(pattern: str, name: str) -> bool:
    """Namespace by namespace, and server by server where both name one; else the rest of the name as a whole."""
    wanted_plugin, wanted = (pattern if "/" in pattern else f"local/{pattern}").split("/")
    plugin, rest = name.split("/")
    if not alike(wanted_plugin, plugin):
        return False
    if plugin == "local" or "." not in wanted or "." not in rest:
        return alike(wanted, rest)
    return all(alike(*pair) for pair in zip(wanted.split(".", 1), rest.split(".", 1), strict=True))


def listed_by_mode(mode: str, tool: Tool) -> bool:
    if mode == "read_only":
        return tool.reads or (tool.source == "builtin" and tool.tool_type == "intrinsic")
    return mode in ("workspace_write", "danger_full_access")


def reach(caller: Caller, tool: Tool) -> tuple[str, ...] | None:
    """The roots that are left when the narrower of both wins; None: everywhere."""
    if caller.access == "danger_full_access":
        return None if tool.access == "danger_full_access" else ()
    if caller.access == "none" or tool.access == "none":
        return ()
    return caller.roots[:1] if "current_project" in (caller.access, tool.access) else caller.roots


def components(path: str) -> list[str]:
    return [part for part in path.split("/") if part not in ("", ".")]


def stays_below(parts: list[str]) -> bool:
    depth = 0
    for part in parts:
        depth += -1 if part == ".." else 1
        if depth < 0:
            return False
    return True


def path_is_inside(path: Any, roots: tuple[str, ...] | None) -> bool:
    """By its text alone, each root being the place that nothing may climb above."""
    if not isinstance(path, str) or "\0" in path:
        return False
    if roots is None:
        return True
    if not path.startswith("/"):
        return bool(roots) and stays_below(components(path))
    parts = components(path)
    starts = [components(root) for root in roots]
    return any(parts[: len(start)] == start and stays_below(parts[len(start) :]) for start in starts)


def is_protected(path: str, tool: Tool) -> bool:
    """By any of its parts, in any case; a ledger is one too, and licet's state is not to be read either."""
    parts = [part.casefold() for part in components(path)]
    changes_policy = any(part in OWN_POLICY or part.endswith(STATE) for part in parts)
    return STATE in parts or (not tool.reads and changes_policy)


def steps_of(pointer: str) -> list[str]:
    return [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]]


def paths_in(value: Any, steps: list[str]) -> list[Any]:
    """What a pointer leads to; a missing path is the base, written as a dot."""
    if not steps:
        return [value]
    if steps[0] == "*":
        return [path for item in value for path in paths_in(item, steps[1:])] if isinstance(value, list) else ["."]
    return paths_in(value[steps[0]], steps[1:]) if isinstance(value, dict) and steps[0] in value else ["."]


def verdict(tools: Sequence[Tool], caller: Caller, checks: Sequence[Said], approver: bool, call: Call) -> str:
    """permit, ask, or "deny CODE"."""
    name = canonical(call.name)
    if name is None or not holds(caller, tools, name):
        return "deny not_granted"
    tool = next((tool for tool in tools if tool.name == name), None)
    if tool is None:
        return "deny unknown_tool"
    if tool.source == "hosted":
        return "deny hosted_tool"
    if not listed_by_mode(caller.mode, tool):
        return "deny mode_forbids"
    if call.arguments is not None and not (call.is_json and call.fits):
        return "deny invalid_arguments"
    within = reach(caller, tool)
    if tool.access != "none" and within == ():
        return "deny path_violation"  # it works on files, and there is no place for it
    asked_for = [path for pointer in tool.pointers for path in paths_in(call.arguments or {}, steps_of(pointer))]
    if call.arguments is not None and not all(path_is_inside(path, within) for path in asked_for):
        return "deny path_violation"
    if within is not None and any(is_protected(path, tool) for path in asked_for):
        return "deny path_violation"
    said = [word for check in checks for word in (check(name, None), check(name, call.arguments))]
    for word in said:
        if word.startswith("deny "):
            return word
        if word not in ("permit", "ask"):
            return "deny check_failed"
    if tool.asks or "ask" in said:
        return "ask" if approver else "deny approval_denied"
    return "permit"
