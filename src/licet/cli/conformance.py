"""``licet conformance TARGET``: whether a tool runtime, a framework or an MCP server keeps the contract."""

import argparse
from typing import TYPE_CHECKING

from ..errors import ConfigurationError
from . import output
from .exits import DONE, FOUND

if TYPE_CHECKING:
    from ..conformance.baseline import Baseline
    from ..conformance.run import Report
    from ..conformance.target import Target
    from ..conformance.vector import Vector
    from ..conformance.verdict import Outcome

TAKES_COMMAND_LINE = True

_COLOURS = {"passed": "green", "not applicable": "dim"}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument(
        "target",
        metavar="TARGET",
        nargs="?",
        help="MODULE:CLASS or FILE.py:CLASS, a subject in Python; or the URL of an MCP server",
    )
    parser.add_argument(
        "--lines", action="store_true", help="the command after -- is a subject that speaks JSON lines, and no server"
    )
    parser.add_argument("--suite", metavar="NAME", action="append", default=[], help="core or profile; both if absent")
    parser.add_argument(
        "--profile",
        metavar="NAME",
        action="append",
        default=[],
        help="of the profile suite only what is about it; a server of its own tools serves this profile",
    )
    parser.add_argument(
        "--only", metavar="VECTOR", action="append", default=[], help="only this vector; may be repeated"
    )
    parser.add_argument("--baseline", metavar="FILE", help="what is expected: an earlier report of --json")
    parser.add_argument(
        "--allow-effects", action="store_true", help="call also tools of a server that may write or reach out"
    )
    parser.add_argument(
        "--env",
        metavar="NAME",
        action="append",
        default=[],
        help="hand on this variable; without it a target gets none",
    )
    parser.add_argument(
        "--header",
        metavar="NAME=VARIABLE",
        action="append",
        default=[],
        help="send this header to a URL, from a variable",
    )
    parser.add_argument("--patience", metavar="SECONDS", type=float, default=10.0, help="for one answer; 10 if absent")
    parser.add_argument("--json", action="store_true", help="one JSON document, which --baseline reads")
    parser.add_argument("--junit", metavar="FILE", help="write a report that build servers read, too")
    parser.add_argument("--list", action="store_true", dest="listed", help="show the vectors; nothing is started")
    parser.usage = "licet conformance [TARGET] [options] [-- COMMAND ...]"
    parser.epilog = (
        "After --, the command of an MCP server, or of a gateway: there the word {upstream} stands for the command of "
        "a server with the suite's own tools. Exit codes: 0 nothing is red, or all is as the baseline says; 1 "
        "something is; 2 usage, or the target does not start."
    )


def run(arguments: argparse.Namespace) -> int:
    """Play the vectors and show what came of them.

    Raises:
        ConfigurationError: there is no such target, suite, profile, vector or file, or the target does not start.
    """
    import asyncio

    from ..conformance.baseline import compared, expected
    from ..conformance.document import document
    from ..conformance.run import run as play
    from ..conformance.vector import chosen
    from .report_file import ReportFile

    vectors = chosen(arguments.suite, arguments.profile, arguments.only)
    if arguments.listed:
        return _list(vectors, arguments.json)
    if not 0 < arguments.patience <= 600:
        raise ConfigurationError("--patience is above 0 and at most 600 seconds")
    target = _target(arguments)
    baseline = None if arguments.baseline is None else expected(arguments.baseline)
    junit = None if arguments.junit is None else ReportFile(arguments.junit, "--junit")
    report = asyncio.run(play(target, vectors, patience_s=arguments.patience))
    against = None if baseline is None else compared(baseline, report)
    if junit is not None:
        from ..conformance.junit import junit as junit_text

        junit.write(junit_text(report, against))
    ok = report.ok if against is None else not against.unexpected
    if arguments.json:
        output.document(document(report, against, ok=ok))
    else:
        show(report, against, ok=ok)
    return DONE if ok else FOUND


def show(report: "Report", against: "Baseline | None", *, ok: bool) -> None:
    """A line for each vector, and the sum."""
    rows = [_cells(outcome, against) for outcome in report.outcomes]
    output.table(("vector", "verdict", "what was seen"), rows, whole=("vector", "verdict"))
    parts = [f"{report.count('passed')} passed"]
    red = sum(not outcome.is_green for outcome in report.outcomes)
    parts += [f"{red} red", f"{report.count('not applicable')} not applicable"]
    told = f"{len(report.outcomes)} vectors on {report.target}, {report.seconds:.1f} s: {', '.join(parts)}"
    if against is None:
        last = "." if red or report.count("passed") else "; nothing was examined."
        output.styled_line(told, output.Styled(last, "bold green" if ok else "bold red"))
        return
    output.line(f"{told}.")
    for line in against.unexpected:
        output.styled_line(output.Styled("unexpected ", "bold red"), line)
    as_expected = "all as the baseline says." if ok else f"{len(against.unexpected)} not as the baseline says."
    output.styled_line(output.Styled(as_expected, "bold green" if ok else "bold red"))


def _cells(outcome: "Outcome", against: "Baseline | None") -> tuple[output.Cell, ...]:
    colour = _COLOURS.get(outcome.verdict, "bold red")
    told = outcome.told or outcome.title
    expected = against is not None and not outcome.is_green and outcome.vector not in against.moved
    verdict = f"{outcome.verdict} (expected)" if expected else outcome.verdict
    return outcome.vector, output.Styled(verdict, "yellow" if expected else colour), output.Styled(told, "dim")


def _list(vectors: "tuple[Vector, ...]", as_json: bool) -> int:
    if as_json:
        output.document([{"vector": one.id, "suite": one.suite, "title": one.title} for one in vectors])
    else:
        output.table(("vector", "suite", "what is promised"), [(one.id, one.suite, one.title) for one in vectors])
    return DONE


def _target(arguments: argparse.Namespace) -> "Target":
    import os

    from ..conformance import target as targets

    environment = {name: os.environ[name] for name in arguments.env if name in os.environ}
    command = arguments.command_line
    if command is not None:
        if arguments.target is not None:
            raise ConfigurationError("name one target: either TARGET or the command after --")
        if not command or not command[0]:
            raise ConfigurationError("there is no command after --; write licet conformance -- COMMAND ARGUMENT ...")
        if arguments.lines:
            return targets.Lines(command, environment)
        return targets.server(command, environment, allow_effects=arguments.allow_effects, profiles=arguments.profile)
    if arguments.target is None:
        raise ConfigurationError(
            "name what is examined: MODULE:CLASS, FILE.py:CLASS, a URL, or -- COMMAND of an MCP server"
        )
    if arguments.lines:
        raise ConfigurationError("--lines goes with a command after --")
    if arguments.target.startswith(("http://", "https://")):
        headers = _headers(arguments.header)
        return targets.address(
            arguments.target, headers, allow_effects=arguments.allow_effects, profiles=arguments.profile
        )
    return targets.python(arguments.target, environment)


def _headers(given: "list[str]") -> dict[str, str]:
    """A secret stands in a variable, and never on a command line that others can read."""
    import os

    headers = {}
    for one in given:
        name, equals, variable = one.partition("=")
        if not equals or not name or variable not in os.environ:
            raise ConfigurationError(f"--header {one!r} is not NAME=VARIABLE with a variable that is set")
        headers[name] = os.environ[variable]
    return headers


__all__ = ["TAKES_COMMAND_LINE", "configure", "run", "show"]
