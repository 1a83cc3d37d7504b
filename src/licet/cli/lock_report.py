"""What ``licet lock`` says: one line for each thing that is not as it was pinned, and a document."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import output

if TYPE_CHECKING:
    from ..project.drift import Drift
    from ..project.survey import Surveyed

_STYLES = {"breaking": "red", "narrowing": "yellow", "compatible": "green", "text only": "yellow"}


def show(found: "Sequence[Surveyed]", *, check: bool) -> None:
    """The report, and on standard error what to do about it."""
    for one in found:
        _server(one, check=check)
    if not found:
        output.line("no server is configured or pinned")
    drifts = [drift for one in found for drift in one.drifts]
    if drifts:
        what = "1 thing is" if len(drifts) == 1 else f"{len(drifts)} things are"
        output.say(
            f"licet: {what} not as pinned; licet lock --accept {_short(drifts[0])} shows the difference and asks"
        )
    if check and any(one.new for one in found):
        output.say("licet: what is not pinned is not listed and not called; licet lock pins it")


def _server(one: "Surveyed", *, check: bool) -> None:
    if one.problem is not None:
        why = str(one.problem).removeprefix(f"{one.name}: ")
        output.styled_line(output.Styled(one.name, "bold"), f": not listed: {why}")
    adds = not any(not drift.tool for drift in one.drifts)
    for drift in one.drifts:
        for text in words(drift):
            output.styled_line(
                output.Styled(drift.name, "bold"), ": ", text, output.Styled(f" ({drift.kind})", _style(drift))
            )
    for drift in one.new:
        told = "not pinned" if check or not adds else "pinned"
        output.line(f"{drift.name}: {told}")
    for tool, why in one.quarantined.items():
        if not any(drift.tool == tool for drift in one.drifts):
            output.line(f"{one.name}.{tool}: cannot be used: {why}")
    if one.listed is not None and not one.drifts and not one.new:
        output.line(f"{one.name}: as pinned, {counted(len(one.listed.server.tools), 'tool')}")


def words(drift: "Drift") -> list[str]:
    """What is different, a line each."""
    if drift.state == "new":
        return ["new"]
    if drift.state == "quarantined":
        return [f"cannot be used any more: {drift.reason}"]
    if drift.state == "vanished":
        return ["not in the configuration any more" if not drift.tool else "the server lists it no more"]
    return [change.words for change in drift.changes]


def document(path: Path, found: "Iterable[Surveyed]", pinned: Sequence[str], *, written: bool) -> None:
    """The same for a program."""
    servers = [*found]
    output.document(
        {
            "lock": str(path),
            "written": written,
            "servers": [_told_server(one) for one in servers],
            "pinned": [*pinned],
            "drift": [told(drift) for one in servers for drift in one.drifts],
        }
    )


def told(drift: "Drift") -> dict[str, Any]:
    """One drift as JSON."""
    return {
        "name": drift.name,
        "server": drift.server,
        "tool": drift.tool or None,
        "state": drift.state,
        "class": str(drift.kind),
        "words": words(drift),
        "changes": [
            {"part": change.part, "at": change.at, "told": change.told, "class": str(change.kind)}
            for change in drift.changes
        ],
        "diff": drift.diff,
        "digest": drift.digest,
    }


def counted(number: int, thing: str) -> str:
    """``1 tool``, ``2 tools``."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def _told_server(one: "Surveyed") -> dict[str, Any]:
    problem = one.problem
    return {
        "server": one.name,
        "listed": one.listed is not None,
        "tools": None if one.listed is None else sorted(one.listed.server.tools),
        "note": {} if one.listed is None else dict(one.listed.server.note),
        "new": [drift.name for drift in one.new],
        "quarantined": dict(one.quarantined),
        "code": None if problem is None else problem.code,
        "reason": getattr(problem, "reason", None) or None,
        "problem": None if problem is None else str(problem),
    }


def _short(drift: "Drift") -> str:
    return drift.name.partition("/")[2] if drift.name.startswith("mcp/") else drift.name


def _style(drift: "Drift") -> str:
    return _STYLES[drift.kind]


__all__ = ["counted", "document", "show", "told", "words"]
