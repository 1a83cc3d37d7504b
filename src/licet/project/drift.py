"""The difference between what is locked and what a server lists now."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from ..schema.canonical import digest
from ..schema.pin import pinned
from .lock_text import of_launch, of_tool
from .locked import LockedServer, LockedTool
from .schema_drift import Kind, schema_changes, worst
from .words import diff, lines_changed, shown, turned

State = Literal["changed", "vanished", "new", "quarantined"]

_PARTS = ("title", "description", "input_schema", "output_schema", "annotations")


class Change(NamedTuple):
    """One thing that is different. ``part`` is the part of the definition, ``at`` a JSON pointer into it or empty."""

    part: str
    at: str
    told: str
    kind: Kind

    @property
    def words(self) -> str:
        """``input_schema /properties/path/type: string -> number``."""
        return f"{self.part} {self.at}: {self.told}" if self.at else f"{self.part}: {self.told}"


@dataclass(frozen=True, slots=True)
class Drift:
    """One tool, or with an empty ``tool`` one launch, that is not what is locked.

    ``digest`` names exactly what would be locked instead; a vanished tool has one, too.
    """

    server: str
    tool: str
    state: State
    changes: tuple[Change, ...]
    digest: str
    old: str
    new: str
    reason: str = ""

    @property
    def name(self) -> str:
        """The canonical name of the tool, or that of the server."""
        return f"{self.server}.{self.tool}" if self.tool else self.server

    @property
    def kind(self) -> Kind:
        return worst(change.kind for change in self.changes) if self.state == "changed" else Kind.BREAKING

    @property
    def diff(self) -> str:
        """Of the lock's own text."""
        return diff(self.old, self.new, self.name)


def tool_changes(old: LockedTool, new: LockedTool) -> tuple[Change, ...]:
    """What became of a definition, part by part; empty if the pin is the same."""
    changed = [part for part in _PARTS if getattr(old.pin, part) != getattr(new.pin, part)]
    return tuple(change for part in changed for change in _of_part(part, old, new))


def launch_changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[Change, ...]:
    """What became of a launch: whatever it is, another program may answer."""
    names = sorted(name for name in old.keys() | new.keys() if old.get(name) != new.get(name))
    return tuple(Change("launch", f"/{name}", _other(old.get(name), new.get(name)), Kind.BREAKING) for name in names)


def launch_drift(name: str, old: LockedServer, new: LockedServer) -> Drift | None:
    """How a server is started now, against how it was when it was locked."""
    if old.launch_digest == new.launch_digest:
        return None
    changes = launch_changes(old.launch, new.launch)
    return Drift(name, "", "changed", changes, new.launch_digest, of_launch(old), of_launch(new))


def tool_drift(
    server: str, tool: str, old: LockedTool | None, new: LockedTool | None, quarantined: str = ""
) -> Drift | None:
    """One tool against what is locked; None where nothing is different. ``quarantined`` is why it cannot be used."""
    if old is None:
        return None if new is None else Drift(server, tool, "new", (), new.pin.whole, "", of_tool(new))
    if new is None:
        state: State = "quarantined" if quarantined else "vanished"
        return Drift(server, tool, state, (), gone(old.pin.whole), of_tool(old), "", quarantined)
    if old.pin.whole == new.pin.whole:
        return None
    return Drift(server, tool, "changed", tool_changes(old, new), new.pin.whole, of_tool(old), of_tool(new))


def server_drift(
    name: str, old: LockedServer | None, new: LockedServer, quarantined: Mapping[str, str] | None = None
) -> list[Drift]:
    """Everything of one server that is not as locked: its launch first, then its tools by name."""
    why = quarantined or {}
    known = {} if old is None else old.tools
    found = [
        tool_drift(name, tool, known.get(tool), new.tools.get(tool), why.get(tool, ""))
        for tool in sorted(known.keys() | new.tools.keys())
    ]
    launch = None if old is None else launch_drift(name, old, new)
    return [drift for drift in (launch, *found) if drift is not None]


def gone(whole: str) -> str:
    """What names the removal of something that is locked under a digest."""
    return digest(pinned({"removed": whole}))


def server_digest(server: LockedServer) -> str:
    """What names a whole server as it would be locked: its launch, and each of its tools."""
    tools = {name: tool.pin.whole for name, tool in server.tools.items()}
    return digest(pinned({"launch": server.launch_digest, "tools": tools}))


def _of_part(part: str, old: LockedTool, new: LockedTool) -> Iterator[Change]:
    before, after = getattr(old.definition, part), getattr(new.definition, part)
    if part == "description":
        yield Change(part, "", lines_changed(before, after), Kind.TEXT)
    elif part == "title":
        yield Change(part, "", _other(before, after), Kind.TEXT)
    elif part == "annotations":
        for claim in ("destructive", "idempotent", "open_world", "read_only"):
            one, other = getattr(before, claim), getattr(after, claim)
            if one is not other:
                yield Change(part, f"/{claim}", f"{_claim(one)} -> {_claim(other)}", Kind.BREAKING)
    else:
        for change in schema_changes(before, after):
            yield Change(part, *change)


def _other(old: Any, new: Any) -> str:
    """From one value to another, where None is none."""
    if old is None:
        return f"+ {shown(new)}"
    return f"- {shown(old)}" if new is None else turned(old, new)


def _claim(said: bool | None) -> str:
    return "nothing said" if said is None else str(said).lower()


__all__ = [
    "Change",
    "Drift",
    "State",
    "gone",
    "launch_changes",
    "launch_drift",
    "server_digest",
    "server_drift",
    "tool_changes",
    "tool_drift",
]
