"""``licet run``: play a scenario, and show what comes onto the ledger while it does."""

import argparse
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import ConfigurationError
from . import output, state
from .exits import DONE, exit_for

if TYPE_CHECKING:
    from ..agents.scenario.gather import Gathered
    from ..agents.scenario.play import Outcome
    from ..doors.registry import ToolRegistry
    from ..ports import Ledger

_ENDS = {
    "quiet": "nobody has anything left to do",
    "input_required": "somebody was asked, and has not answered yet",
}
_TRANSPORTS = ("stdio", "http")
_EPILOG = """One seed gives one story, whatever way its tools are reached: licet ledger diff compares two runs.
MCP_SERVERS and MCP_ORACLE choose servers too; --mcp goes before them."""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "scenario", metavar="NAME|FILE", help="a scenario of this project or of licet, or config/scenarios/NAME.yaml"
    )
    parser.add_argument("--seed", metavar="TEXT", help="what the story is drawn from; else the scenario's own")
    parser.add_argument(
        "--mcp",
        nargs="?",
        const="stdio",
        choices=_TRANSPORTS,
        help="reach the oracle over MCP (stdio if not said)",
    )
    parser.add_argument("--ledger", metavar="FILE", help="the ledger; without it, the one in your state folder")
    parser.add_argument("--json", action="store_true", help="one JSON document, at the end")
    parser.epilog = _EPILOG


def run(arguments: argparse.Namespace) -> int:
    """Play it. The exit code is that of the first turn that came to nothing.

    Raises:
        ConfigurationError: there is no such scenario, or a file of it is not trusted or wrong; nothing began.
        LedgerUnavailableError: no ledger, no run.
    """
    import asyncio

    from ..agents.cast.handlers import HANDLERS
    from ..agents.explore.exploration import SCENARIO
    from ..agents.explore.explorer import HANDLER, Explorer
    from ..agents.scenario.gather import gather, place_of
    from ..agents.scenario.play import play
    from ..ledger import open_ledger
    from ..ledger.seen import SeenLedger
    from ..project.scenario import FOLDER
    from ..project.shelf import ENDING, Shelf
    from .run_view import RunView

    folder, name = Path.cwd(), arguments.scenario
    if os.sep in name or name.endswith(".yaml"):
        folder, name = place_of(name)
    shelf, handlers = Shelf(folder, state.folder()), {**HANDLERS, HANDLER: Explorer}
    if name == SCENARIO and not shelf.has_own(f"{FOLDER}/{name}{ENDING}"):
        return _explore(arguments)
    gathered = gather(name, shelf, handlers=handlers)
    view = RunView(gathered.scenario, quietly=arguments.json)
    path = state.ledger_to_write(arguments.ledger)
    ledger = SeenLedger(open_ledger(path), view.see)
    try:
        with _registry(gathered, ledger, arguments.mcp) as registry:
            outcome = asyncio.run(play(*gathered, registry, seed=arguments.seed, handlers=handlers))
        if arguments.json:
            output.document(_document(gathered, outcome, ledger, path))
        else:
            _told(gathered, outcome)
    finally:
        ledger.close()
    return DONE if not outcome.failed else exit_for(outcome.failed[0])


def _explore(arguments: argparse.Namespace) -> int:
    """What ``licet explore`` is short for: the seed is the folder."""
    from .explore import run as explore

    if arguments.mcp is not None:
        raise ConfigurationError("this scenario reads files in this process, which no server does for it; drop --mcp")
    path = "." if arguments.seed is None else arguments.seed
    given = {"path": path, "full": False, "report": None, "json": arguments.json, "ledger": arguments.ledger}
    return explore(argparse.Namespace(**given))


@contextmanager
def _registry(gathered: "Gathered", ledger: "Ledger", mcp: str | None) -> "Iterator[ToolRegistry]":
    """The registry of the environment or of ``--mcp``, with licet's own tools, which no server stands for."""
    from ..agents.cast.rules import GrantRules
    from ..bundles.files import tools as file_tools
    from ..doors.mcp import MCPResolver, MCPToolClient, default_tool_registry
    from ..doors.registry import ToolRegistry
    from ..intrinsics import intrinsics

    own = (*file_tools(), *intrinsics())
    checks = (GrantRules(*gathered.cast),)
    if mcp == "http":
        from ..model.server import ServerSpec
        from ..policy.operator import Word
        from .grove_server import grove_over_http

        with grove_over_http() as url, ToolRegistry(ledger=ledger, checks=checks) as registry:
            client = MCPToolClient(ServerSpec(id="server1", url=url), word=Word(read_only="hinted"))
            registry.set_resolver(MCPResolver([client]), owned=True)
            yield _with(registry, own)
        return
    environ = {"MCP_ORACLE": "1"} if mcp else None
    with default_tool_registry(environ, ledger=ledger, checks=checks) as registry:
        yield _with(registry, own)


def _with(registry: "ToolRegistry", specs: Any) -> "ToolRegistry":
    for spec in specs:
        registry.register(spec)
    return registry


def _told(gathered: "Gathered", outcome: "Outcome") -> None:
    counts = (
        _count(outcome.turns, "turn"),
        _count(outcome.events, "event"),
        _count(outcome.calls, "call"),
        _count(outcome.tokens, "token"),
    )
    ended = _ENDS.get(outcome.stop, f"{outcome.stop} is reached")
    output.styled_line(output.Styled(f"{', '.join(counts)}; {ended}", "dim"))
    for error in outcome.failed:
        output.say(f"licet: {error.code}: {error}")


def _count(number: int, thing: str) -> str:
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def _document(gathered: "Gathered", outcome: "Outcome", ledger: "Ledger", path: Path) -> dict[str, Any]:
    import json

    from ..model.event import problem_of_kind

    entries = list(ledger.entries(outcome.run_id))
    return {
        "run": outcome.run_id,
        "scenario": gathered.scenario.name,
        "seed": json.loads(entries[0].body)["seed"],
        "stop": outcome.stop,
        "turns": outcome.turns,
        "calls": outcome.calls,
        "tokens": outcome.tokens,
        "events": [
            {
                "actor": entry.actor,
                "kind": entry.kind,
                "payload": json.loads(entry.body),
                "digest": f"sha256:{entry.digest.hex()}",
            }
            for entry in entries
            if not problem_of_kind(entry.kind)
        ],
        "failed": [{"code": error.code, "reason": error.reason, "message": str(error)} for error in outcome.failed],
        "ledger": str(path),
    }


__all__ = ["configure", "run"]
