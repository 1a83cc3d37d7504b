"""One agent of a file: who it is, what it was granted, how much its runs may change and where."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ..errors import ConfigurationError
from ..model.names import canonical, short
from ..model.paths import RunMode
from ..model.principal import GrantSet
from ..policy.operator import Rule
from .declared import Tell
from .engine import Engine, engine, mode_of
from .place import Place, quoted

EVERYWHERE = "danger_full_access"


class Grant(NamedTuple):
    """One exact grant: the canonical name of a tool, and what its arguments may be."""

    tool: str
    rules: tuple[Rule, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """``globs`` are patterns of canonical names. ``roots`` are as written: relative to the folder of the file,
    absolute, or ``danger_full_access`` alone. ``names`` is canonical name -> the name under which a tool is served.
    ``line`` is where the file names it, 0 for an agent that no file names.
    """

    name: str
    mode: RunMode = "read_only"
    tools: tuple[Grant, ...] = ()
    globs: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    engine: Engine | None = None
    roots: tuple[str, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    max_calls: int | None = None
    line: int = 0


def agent(name: str, entry: Mapping[str, Any] | None, *, line: int, tell: Tell, place: Place | None = None) -> Agent:
    """The agent of one entry, whose shape is right. ``tell`` is told what is wrong with it.

    ``place`` is where the entry stands, if not under ``agents``.
    """
    held = entry or {}
    place = ("agents", name) if place is None else place
    profile = engine(held["profile"], (*place, "profile"), tell) if "profile" in held else None
    if profile is not None and not place:
        tell(("profile",), "a profile is for an agent of licet.yaml; grant tools, globs or groups")
    asked = held["mode"].replace("-", "_") if "mode" in held else None
    mode = mode_of(profile, asked, place, tell)
    return Agent(
        name=name,
        mode=mode,
        tools=tuple(_grants(held.get("tools") or (), (*place, "tools"), tell)),
        globs=tuple(_globs(held.get("globs") or (), (*place, "globs"), tell)),
        groups=tuple(_groups(held.get("groups") or (), (*place, "groups"), tell)),
        engine=profile,
        roots=_roots(held.get("roots") or (), mode, (*place, "roots"), tell),
        names=_names(held.get("names") or {}, (*place, "names"), tell),
        max_calls=whole(held.get("max_calls")),
        line=line,
    )


def whole(number: Any) -> Any:
    """``5`` for ``5.0``, which JSON Schema takes for a whole number too; anything else as it is."""
    return int(number) if isinstance(number, float) and number.is_integer() else number


def tool_name(text: str, place: Place, tell: Tell) -> str | None:
    """The canonical name, or None once ``tell`` was told why there is none."""
    try:
        return canonical(text)
    except ConfigurationError as exc:
        tell(place, str(exc))
        return None


def _grants(items: Iterable[Any], place: Place, tell: Tell) -> Iterable[Grant]:
    seen: dict[str, int] = {}
    for at, item in enumerate(items):
        text, asked = (item, {}) if isinstance(item, str) else next(iter(item.items()))
        here: Place = (*place, at)
        if "*" in text or "?" in text:
            tell(here, f"{quoted(text)} is a pattern, and a grant is an exact name; patterns stand under globs")
            continue
        name = tool_name(text, here, tell)
        if name is None:
            continue
        if name in seen:
            tell(here, f"{quoted(short(name))} is granted by item {seen[name]} already; write all its rules there")
            continue
        seen[name] = at
        yield Grant(name, tuple(_rules(asked, (*here, text), tell)))


def _rules(asked: Mapping[str, Mapping[str, Any]], place: Place, tell: Tell) -> Iterable[Rule]:
    """A key is an argument's name, or a JSON pointer where it begins with a slash."""
    for argument, said in asked.items():
        escaped = argument.replace("~", "~0").replace("/", "~1")
        pointer = argument if argument.startswith("/") else f"/{escaped}"
        try:
            yield Rule(pointer, **said)
        except ConfigurationError as exc:
            tell((*place, argument), str(exc).removeprefix(f"the rule for {pointer}: "))


def _globs(patterns: Iterable[str], place: Place, tell: Tell) -> Iterable[str]:
    for at, pattern in enumerate(patterns):
        try:
            yield GrantSet.glob(pattern).value
        except ConfigurationError as exc:
            tell((*place, at), str(exc))


def _groups(groups: Iterable[str], place: Place, tell: Tell) -> Iterable[str]:
    for at, group in enumerate(groups):
        if not group or "*" in group or "?" in group:
            tell((*place, at), f"{quoted(group)} is no group's name; use one such as read_only_builtins or mcp/git")
        else:
            yield group


def _roots(roots: Iterable[str], mode: RunMode, place: Place, tell: Tell) -> tuple[str, ...]:
    held = tuple(EVERYWHERE if root.replace("-", "_") == EVERYWHERE else root for root in roots)
    if EVERYWHERE in held:
        if len(held) > 1:
            tell(place, f"{EVERYWHERE} means everywhere; drop the other roots")
        elif mode != EVERYWHERE:
            tell(place, f"{EVERYWHERE} is legal only in the mode of that name; name a folder, such as .")
    for at, root in enumerate(held):
        if not root or "\0" in root or "${" in root or root.startswith("~"):
            tell((*place, at), f"{quoted(root)} is no folder; write one relative to this file, or absolute")
    return held


def _names(chosen: Mapping[str, str], place: Place, tell: Tell) -> dict[str, str]:
    names: dict[str, str] = {}
    for text, wire in chosen.items():
        name = tool_name(text, (*place, text), tell)
        if name is None:
            continue
        taken = next((other for other, used in names.items() if used == wire), None)
        if taken is not None:
            tell((*place, text), f"{quoted(wire)} is the name of {quoted(short(taken))} already; choose another")
        elif name in names:
            tell((*place, text), f"{quoted(short(name))} has a name already; drop one of the two")
        else:
            names[name] = wire
    return names
