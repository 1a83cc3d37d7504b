"""What ``licet init`` shows and asks. No value of a variable is in any of it."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from . import output
from .lock_report import counted

if TYPE_CHECKING:
    from ..project.config import Declared, Project
    from ..project.moved_values import Mover
    from ..project.offering import Offering

_COLUMNS = (
    "server",
    "tools",
    "only read",
    "destructive",
    "unannotated",
    "colliding",
    "hidden characters",
    "unversioned",
)
_MOST_NAMED = 40


class Report(NamedTuple):
    """All that came of it. ``asked``: there was a terminal to ask at."""

    config: Path
    lock: Path
    text: str
    skipped: Mapping[str, str]
    mover: "Mover"
    found: "Mapping[str, Offering]"
    problems: Mapping[str, str]
    asked: bool


def start_question(server: "Declared") -> str:
    """Before a server is started: what would run, as it is written."""
    floating = _floating(server)
    lines = [f"\nlicet: start {server.id}?", f"  it runs:      {launch(server)}"]
    if server.url:
        lines[1] = f"  it asks:      {server.url}"
    if server.variables:
        lines.append(f"  it is given:  {', '.join(server.variables)}")
    if floating:
        lines.append(f"  unversioned:  {', '.join(floating)}, so whichever version is the newest")
    ending = "Type yes to start it and list its tools, anything else to leave that for later: "
    return "\n".join([*lines, ending])


def belief_question(server: str, offering: "Offering") -> str:
    """Before what a server says of its tools is believed, and those are granted that say they only read."""
    lines = [f"\nlicet: {server} says that {counted(len(offering.reading), 'tool')} of {offering.tools} only read:"]
    lines.append(f"  {', '.join(offering.reading)}")  # all of them: it is what would be granted
    for told, names in (
        ("not among them, may be mistaken for others", offering.colliding),
        ("not among them, hold hidden characters", offering.hidden),
    ):
        if names:
            lines.append(f"  {told}: {_some(names)}")
    ending = (
        "Type yes to believe what it says (read_only: hinted) and to grant these, anything else to write both as"
        " comments: "
    )
    return "\n".join([*lines, ending])


def launch(server: "Declared") -> str:
    """The command line as it is written."""
    from shlex import quote

    return " ".join(quote(word) if "${" not in word else word for word in (server.command, *server.args))


def table(project: "Project", found: "Mapping[str, Offering]", problems: Mapping[str, str]) -> None:
    """One line a server."""
    rows = []
    for server in project.servers:
        one = found.get(server.id)
        floating = ", ".join(_floating(server)) or "-"
        if one is None:
            rows.append((server.id, *["-"] * 6, floating))
            continue
        groups = (one.reading, one.destructive, one.unannotated, one.colliding, one.hidden)
        rows.append((server.id, str(one.tools), *(str(len(names)) for names in groups), floating))
    output.table(_COLUMNS, rows, whole=("server",))
    for own, one in found.items():
        for told, names in (("colliding", one.colliding), ("hidden characters", one.hidden)):
            if names:
                output.line(f"{own}: {told}: {_some(names)}")
        for tool, why in list(one.unusable.items())[:_MOST_NAMED]:
            output.line(f"{own}: {tool} cannot be used: {why}")
        if len(one.unusable) > _MOST_NAMED:
            output.line(f"{own}: {len(one.unusable) - _MOST_NAMED} more cannot be used")
    for own, problem in problems.items():
        if not problem.startswith("not started"):
            output.line(f"{own}: not listed: {problem}")


def show(report: Report, *, dry_run: bool) -> None:
    """What was written, and what is left to do."""
    from ..project.moved_values import still_needed

    for name, why in report.skipped.items():
        output.say(f"licet: {name} is skipped: {why}")
    for server, note in report.mover.notes:
        output.say(f"licet: {server}: {note}")
    if dry_run:
        output.line()
        output.write(report.text)
        output.say("licet: nothing was written and nothing was started")
        return
    output.line(f"wrote {report.config.name} and {report.lock.name}")
    import os

    needed = still_needed(report.mover.needed, os.environ)
    if needed:
        output.line("set before use:")
        for need in needed:
            output.line(f"  {need.name}  ({need.where})")
    if not report.asked:
        output.say(
            "licet: nobody is at a terminal: no server was started, and what is believed and granted stands as comments"
        )
    if report.problems:
        output.say(f"licet: licet lock pins the tools of {', '.join(report.problems)}")


def document(report: Report, *, dry_run: bool) -> None:
    """The same for a program."""
    servers = [
        {
            "server": own,
            "tools": one.tools,
            "only_read": [*one.reading],
            "destructive": [*one.destructive],
            "unannotated": [*one.unannotated],
            "colliding": [*one.colliding],
            "hidden": [*one.hidden],
            "unusable": dict(one.unusable),
        }
        for own, one in report.found.items()
    ]
    output.document(
        {
            "written": [] if dry_run else [str(report.config), str(report.lock)],
            "text": report.text,
            "servers": servers,
            "not_listed": dict(report.problems),
            "skipped": dict(report.skipped),
            "notes": [{"server": server, "note": note} for server, note in report.mover.notes],
            "variables": [need._asdict() for need in report.mover.needed],
        }
    )


def _floating(server: "Declared") -> tuple[str, ...]:
    from ..project.package import floating

    return floating(server.command, server.args) if server.command else ()


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return ", ".join(names[:_MOST_NAMED]) + more


__all__ = ["Report", "belief_question", "document", "launch", "show", "start_question", "table"]
