"""``licet probe -- COMMAND ...``: a hostile model plays on an MCP server, by the SDK's client and through licet."""

import argparse
from collections.abc import Sequence
from contextlib import closing
from typing import TYPE_CHECKING

from ..errors import ConfigurationError
from . import output, state
from .exits import DONE, FOUND
from .probe_table import entries_in, show_end, show_ledger, verdict

if TYPE_CHECKING:
    from ..agents.probe.server import ServerReport
    from ..agents.probe.verdict import Row

_SHOWN_UNUSABLE = 5


def run(arguments: argparse.Namespace) -> int:
    """Say what is started, attack it, and show both columns.

    Raises:
        ConfigurationError: the command is no MCP server, or lists nothing; or another target was named as well.
        LedgerUnavailableError: no ledger, no call.
    """
    import asyncio

    from ..agents.probe.server import document, probe_server
    from ..ledger.sqlite import SqliteLedger

    command: Sequence[str] = arguments.command_line
    if arguments.folder is not None or arguments.source is not None:
        raise ConfigurationError("DIR and --from do not go with -- COMMAND; probe one after the other")
    if not command or not command[0]:
        raise ConfigurationError("there is no command after --; write licet probe -- COMMAND ARGUMENT ...")
    with closing(SqliteLedger(state.ledger_to_write(arguments.ledger))) as ledger:
        output.say(_announced(command))
        report = asyncio.run(probe_server(command, ledger, arguments.seed))
    output.document(document(report)) if arguments.json else show(report)
    return DONE if report.ok else FOUND


def show(report: "ServerReport") -> None:
    """The table, what could not be probed, the evidence and the sum."""
    output.table(("attack", "by the SDK's client", "through licet", "ledger entry"), map(_cells, report.rows))
    for line in report.unusable[:_SHOWN_UNUSABLE]:
        output.line(f"not probed, licet quarantines it: {line.tool} ({line.reason})")
    if len(report.unusable) > _SHOWN_UNUSABLE:
        output.line(f"and {len(report.unusable) - _SHOWN_UNUSABLE} more; --json shows all")
    show_ledger(report.ledger, report.runs, report.flip)
    tools = "1 tool" if report.tools == 1 else f"{report.tools} tools"
    show_end(
        report.ok,
        f"{len(report.rows)} attacks on {report.command}, {tools}, {report.readers} read-only by hint, "
        f"{report.seconds:.1f} s: {report.controlled} got through by the SDK's client, ",
        f"{report.passed} through licet",
    )


def _announced(command: Sequence[str]) -> str:
    more = len(command) - 1
    arguments = "" if not more else " and 1 argument" if more == 1 else f" and {more} arguments"
    return (
        f"starting {command[0]}{arguments} twice, behind a relay that hands on calls only of tools that are "
        "read-only by hint"
    )


def _cells(row: "Row") -> tuple[output.Cell, ...]:
    name = row.attack.name if len(row.tried) == 1 else f"{row.attack.name} ({len(row.tried)})"
    return name, _direct(row), verdict(row), entries_in(row)


def _direct(row: "Row") -> output.Cell:
    """What the SDK's client let happen, or who stopped it; an honest call is neither."""
    done = [tried.harm for tried in row.tried if tried.harm]
    if done:
        return output.Styled(done[0], "red")
    stopped = [tried.stopped for tried in row.tried if tried.stopped]
    return output.Styled(f"stopped: {max(stopped, key=stopped.count)}" if stopped else "answered", "dim")


__all__ = ["run", "show"]
