"""``licet call``: one call through the corridor."""

import argparse
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import BY_CODE, ConfigurationError, RuleViolation
from . import configured, principal
from .exits import DONE, exit_for_kind

if TYPE_CHECKING:
    from ..ledger.sqlite import SqliteLedger
    from ..model.principal import Principal
    from ..model.result import ToolResult
    from ..model.tool import ToolSpec
    from ..runtime.runtime import Runtime


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("tool", metavar="TOOL", help="its name, such as read")
    parser.add_argument(
        "arguments", metavar="JSON", nargs="?", help="its arguments, a JSON object; - reads them from standard input"
    )
    principal.configure(parser)
    configured.add_options(parser)
    parser.add_argument(
        "--run", metavar="RUN", help="stay in a run: its id, the beginning of it, last, or a new id to begin one"
    )
    parser.add_argument("--call-id", metavar="ID", help="an id of your own, under which this call runs at most once")
    parser.add_argument("--ledger", metavar="FILE", help="the ledger; it is begun if there is none")
    shown = parser.add_mutually_exclusive_group()
    shown.add_argument("--json", action="store_true", help="one JSON document: the output, the effect, the ids")
    shown.add_argument("--rendered", action="store_true", help="the fenced block that a model would read")
    parser.epilog = 'example: licet call read \'{"path": "README.md"}\' --grant read --root .'


def run(arguments: argparse.Namespace) -> int:
    from .payload import payload

    given = payload(arguments.arguments)
    if configured.is_asked_for(arguments):
        return _by_agent(arguments, given)
    registered = principal.registered_from(arguments)
    who = principal.principal_from(arguments, principal.specs_of(registered))
    if isinstance(registered, list):
        ledger = _ledger(arguments.ledger, who)
        runtime = principal.runtime_over(registered, ledger=ledger, approver=principal.terminal_approver())
    elif arguments.ledger is None:
        ledger, runtime = None, registered
    else:
        raise ConfigurationError(f"the Runtime of --from {arguments.source} has a ledger of its own; drop --ledger")
    try:
        run_id = None if arguments.run is None else _run_id(runtime, arguments.run)
        result, run_id = _called(runtime, who, run_id, arguments, given)
    finally:
        runtime.close()
        if ledger is not None:
            ledger.close()  # what is in line is written before anything is shown
    return _told(result, run_id, runtime.specs(), who, arguments)


def _called(
    runtime: "Runtime", who: "Principal", run_id: str | None, arguments: argparse.Namespace, given: str | bytes | None
) -> "tuple[ToolResult, str]":
    import asyncio

    from .load import quiet_stdout

    with quiet_stdout(), _given_up():
        return asyncio.run(_call(runtime, who, run_id, arguments, given))


async def _call(
    runtime: "Runtime", who: "Principal", run_id: str | None, arguments: argparse.Namespace, given: str | bytes | None
) -> "tuple[ToolResult, str]":
    from .output import say

    async with runtime.run(who, id=run_id) as begun:
        say(f"licet: run {begun.id}")
        return await begun.call(arguments.tool, given, call_id=arguments.call_id), begun.id


def _by_agent(arguments: argparse.Namespace, given: str | bytes | None) -> int:
    from .agent import AtWork, with_agent

    async def called(at: AtWork) -> "tuple[ToolResult, str, Principal, list[ToolSpec]]":
        run_id = None if arguments.run is None else _run_id(at.runtime, arguments.run)
        result, begun = await _call(at.runtime, at.principal, run_id, arguments, given)
        return result, begun, at.principal, at.runtime.specs()

    with _given_up():
        result, run_id, who, specs = with_agent(
            arguments, called, recorded=True, approver=principal.terminal_approver()
        )
    return _told(result, run_id, specs, who, arguments)


@contextmanager
def _given_up() -> Iterator[None]:
    from .output import say

    try:
        yield
    except KeyboardInterrupt:
        say("licet: the call was given up; licet runs last shows how far it came")
        raise


def _told(
    result: "ToolResult", run_id: str, specs: "list[ToolSpec]", who: "Principal", arguments: argparse.Namespace
) -> int:
    from ..model.names import short
    from . import output
    from .remedy import remedy_for

    remedy = ""
    if result.metadata.get("replayed"):
        settled = result.metadata.get("settled")
        word = f", settled as {settled} by a person" if settled else ""
        output.say(f"licet: the call {result.call_id} is on the ledger: this is its record{word}; nothing ran")
    if not result.success:
        name = short(result.tool)
        spec = next((spec for spec in specs if spec.name == result.tool), None)
        remedy = remedy_for(
            result.code or "", result.reason, result.metadata.get("remedy", ""), tool=name, spec=spec, principal=who
        )
        output.say(f"licet: {_outcome(result)}: {result.error}")
        if remedy:
            output.say(f"licet: remedy: {remedy}")
    if arguments.json:
        output.document(
            {
                "run": run_id,
                "call": result.call_id,
                "tool": short(result.tool),
                "success": result.success,
                "output": result.output,
                "blocks": list(result.blocks),
                "code": result.code,
                "reason": result.reason or None,
                "error": result.error,
                "remedy": remedy or None,
                "effect": result.effect,
                "duration_ms": round(result.duration_ms, 3),
                "metadata": {key: value for key, value in result.metadata.items() if key not in ("reason", "remedy")},
            }
        )
    elif arguments.rendered:
        output.write(result.content + "\n")
    elif result.success:
        output.write(output.json_text(result.output, indent=2 if output.on_terminal() else None) + "\n")
    return DONE if result.success else exit_for_kind(BY_CODE.get(result.code or "", RuleViolation))


def _outcome(result: "ToolResult") -> str:
    """What happened to the call, and whether anything else did."""
    codes = ", ".join(word for word in (result.code, result.reason) if word)
    if result.effect == "none":
        return f"refused ({codes}), nothing ran"
    return f"failed ({codes}), its effect is {result.effect}"


def _run_id(runtime: "Runtime", named: str) -> str:
    """A run on the ledger that a person means, else the new id itself."""
    from .records import LAST, find_run

    runs = getattr(runtime.ledger, "runs", None)
    if runs is None and named == LAST:
        raise ConfigurationError("the ledger of this Runtime does not tell its runs; give the run's id")
    return (find_run(runs(), named) if runs is not None else None) or named


def _ledger(named: str | None, who: "Principal") -> "SqliteLedger":
    from ..ledger.sqlite import SqliteLedger

    _refuse_within_reach(configured.ledger_here(named, quietly=True), who)
    return SqliteLedger(configured.ledger_here_to_write(named))


def _refuse_within_reach(path: Path, who: "Principal") -> None:
    """Raises ConfigurationError: the run might overwrite its own evidence."""
    from ..policy.protected import why_unwritable

    if who.mode == "read_only":
        return
    real = os.path.realpath(path)
    for root in map(os.path.realpath, who.paths.roots):
        inside = os.path.commonpath((root, real)) == root
        if inside and not why_unwritable(os.path.relpath(real, root).split(os.sep)):
            raise ConfigurationError(
                f"the ledger {path} lies inside --root {root}, where this run may write; "
                "keep it elsewhere: --ledger FILE, or LICET_HOME"
            )


__all__ = ["configure", "run"]
