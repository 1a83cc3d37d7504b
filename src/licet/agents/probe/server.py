"""The probe for an MCP server: two columns, each with a server process and a relay of its own."""

import os
import secrets
import tempfile
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, NamedTuple

from ...errors import ConfigurationError
from ...ledger.sqlite import SqliteLedger
from ...model.principal import Principal
from ...model.server import ServerSpec
from ...policy.operator import Word
from ...ports import Line
from ...runtime.run import Run
from ...runtime.runtime import Runtime
from ..loop import loop
from .case import Attack, Script, Seen
from .control import PATIENCE_S, TASK, played_by_sdk
from .hostile import HostileModel
from .play import PRINCIPAL, id_of
from .relayed import Relayed
from .server_attacks import SERVER, Column, Targets, attacks, grants, targets
from .tamper import Flip, flip_one_byte
from .verdict import Row, evidence_of, row, row_document


class ServerReport(NamedTuple):
    """What the attacks showed. ``command`` is the server's, as it was named; ``unusable`` is what it lists badly."""

    command: str
    tools: int
    readers: int
    unusable: tuple[Line, ...]
    rows: tuple[Row, ...]
    ledger: Path
    runs: tuple[str, ...]
    flip: Flip
    seconds: float

    @property
    def passed(self) -> int:
        """Attacks that the corridor did not stop."""
        return sum(not row.held for row in self.rows)

    @property
    def controlled(self) -> int:
        """Attacks that got to the server by the SDK's client. None: the attacks are blunt and prove nothing."""
        return sum(row.got_through > 0 for row in self.rows)

    @property
    def ok(self) -> bool:
        return not self.passed and self.controlled > 0 and self.flip.found


class _Played(NamedTuple):
    found: Targets
    attacks: tuple[Attack, ...]
    seen: list[list[Seen]]
    lines: tuple[Line, ...]


async def probe_server(command: Sequence[str], ledger: SqliteLedger, seed: int) -> ServerReport:
    """Start the server twice, one after the other, and attack it in both columns. Both are gone afterwards.

    Raises:
        ConfigurationError: the server does not start, is none, or lists no tool; without the extra ``licet[mcp]`` too.
        LedgerUnavailableError: the ledger cannot be read back.
    """
    started = time.monotonic()
    run_id = f"probe-{secrets.token_hex(4)}"
    with tempfile.TemporaryDirectory(prefix="licet-probe-", ignore_cleanup_errors=True) as made:
        folder = Path(made)
        played = await _through_licet(Relayed(folder / "licet", command), command, ledger, run_id, seed)
        bare = Relayed(folder / "sdk", command)
        direct = await played_by_sdk(bare, attacks(played.found, Column(lambda own: own, bare.change)))
        runs = tuple(id_of(run_id, mode) for mode in grants(played.found))
        entries = [entry for run in runs for entry in ledger.entries(run)]
        evidence = evidence_of(entries)
        rows = tuple(row(*facts, evidence) for facts in zip(played.attacks, direct, played.seen, strict=True))
        flip = flip_one_byte(ledger.path, entries, folder)
    readers, writers = len(played.found.readers), len(played.found.writers)
    unusable = tuple(line for line in played.lines if line.tool)
    took = time.monotonic() - started
    return ServerReport(command[0], readers + writers, readers, unusable, rows, ledger.path, runs, flip, took)


async def _through_licet(
    relayed: Relayed, command: Sequence[str], ledger: SqliteLedger, run_id: str, seed: int
) -> _Played:
    from ...sources.mcp.server import McpServer

    server = ServerSpec(id=SERVER, command=relayed.command, args=relayed.args)
    word = Word(read_only="hinted", timeout_s=PATIENCE_S)
    async with AsyncExitStack() as stack:
        runtime = stack.enter_context(Runtime(ledger=ledger))
        source = McpServer(server, word=lambda tool: word, note=runtime.note)
        stack.push_async_callback(source.close)
        lines = await runtime.connect(source)
        _refuse_unavailable(lines, command[0], relayed)
        found = targets(runtime.specs(), seed, _place(command))
        if not found.readers and not found.writers:
            raise ConfigurationError(f"{command[0]} lists no tool that can be used; there is nothing to probe")
        column = Column(lambda own: f"mcp/{SERVER}.{own}", relayed.change)
        listed = attacks(found, column)
        runs = {
            mode: await stack.enter_async_context(
                runtime.run(Principal(PRINCIPAL, grants=granted, mode=mode), id=id_of(run_id, mode))
            )
            for mode, granted in grants(found).items()
        }
        seen = [
            [await _played(runtime, runs[attack.mode], relayed, script) for script in attack.scripts]
            for attack in listed
        ]
    return _Played(found, listed, seen, lines)


async def _played(runtime: Runtime, run: Run, relayed: Relayed, script: Script) -> Seen:
    tools = [spec.model_tool for spec in runtime.tools_for(run.principal)]
    try:
        outcome = await loop(HostileModel(script.moves), run, tools, TASK)
    except Exception as exc:  # a corridor that raises is broken; the table says so and the other attacks go on
        relayed.restore()
        return Seen((), (), (), False, type(exc).__name__)
    relayed.restore()
    results = tuple(result for message in outcome.conversation for result in message.results)
    entered = tuple(one.name for one in relayed.passed())
    return Seen(entered, (), tuple(result.content for result in results), False, results=results)


def _place(command: Sequence[str]) -> str:
    """The last folder or file that the command line names, else the working directory."""
    named = [word for word in command[1:] if os.path.exists(word)]
    return os.path.abspath(named[-1] if named else ".")


def _refuse_unavailable(lines: Sequence[Line], name: str, relayed: Relayed) -> None:
    """Raises ConfigurationError, with the last words of the server's own standard error."""
    for line in lines:
        if line.state == "unavailable":
            words = relayed.last_words()
            said = f"; it said: {words}" if words else ""
            told = line.told if line.reason == "mcp_missing" else f"{name} is no MCP server ({line.reason})"
            raise ConfigurationError(f"{told}{said}")


def document(report: ServerReport) -> dict[str, Any]:
    """The report as one JSON document."""
    return {
        "ok": report.ok,
        "command": report.command,
        "tools": {"listed": report.tools, "read_only_by_hint": report.readers},
        "unusable": [{"tool": line.tool, "reason": line.reason} for line in report.unusable],
        "attacks": [row_document(row) for row in report.rows],
        "got_through": {"called_directly": report.controlled, "through_licet": report.passed},
        **report.flip.document(report.ledger, report.runs),
        "seconds": round(report.seconds, 3),
    }


__all__ = ["ServerReport", "document", "probe_server"]
