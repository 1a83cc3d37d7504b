"""``licet explore [PATH]``: the main job, from the shell."""

import argparse
import os
from typing import TYPE_CHECKING

from ..errors import ConfigurationError
from . import output, state
from .exits import DONE, FOUND

if TYPE_CHECKING:
    from ..agents.explore.fact import Report


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("path", metavar="PATH", nargs="?", default=".", help="the project's folder; this one if absent")
    parser.add_argument("--full", action="store_true", help="count every line and show everything")
    parser.add_argument("--json", action="store_true", help="one JSON document, complete, instead of Markdown")
    parser.add_argument("--report", metavar="FILE", help="write the report to FILE, whole or not at all")
    parser.add_argument("--ledger", metavar="FILE", help="the ledger; without it, the one in your state folder")


def run(arguments: argparse.Namespace) -> int:
    """Explore, then print or write the report. 1: the ledger does not verify.

    Raises:
        ConfigurationError: PATH or FILE cannot be used; nothing was explored.
        LedgerUnavailableError: no ledger, no call.
    """
    from ..agents.explore.exploration import Watch, explore
    from .progress import Progress
    from .report_file import ReportFile

    root = _folder(arguments.path)
    written = None if arguments.report is None else ReportFile(arguments.report)
    if arguments.ledger is None:
        _refuse_inside(str(state.ledger_file()), root)
    ledger = str(state.ledger_to_write(arguments.ledger))
    with Progress() as progress:
        watch = Watch(progress.begun, progress.answered)
        report = explore(root, ledger, watch, thorough=arguments.full)
    if written is not None:
        written.write(_text(report, arguments))
        output.say(f"the report is in {written.path}")
    elif arguments.json or not output.on_terminal():
        output.write(_text(report, arguments))
    else:
        from .report_screen import show

        show(report, full=arguments.full)
    return DONE if report.account.verified else FOUND


def _text(report: "Report", arguments: argparse.Namespace) -> str:
    if arguments.json:
        from ..agents.explore.document import document

        return output.json_text(document(report), indent=2) + "\n"
    from ..agents.explore.markdown import markdown
    from ..agents.explore.page import page

    return markdown(page(report, full=arguments.full))


def _folder(path: str) -> str:
    """The folder to explore, which may be named by a link."""
    if not path or "\0" in path or not os.path.lexists(path):
        problem = "does not exist"
    elif not os.path.isdir(path):
        problem = "is not a directory"
    elif not os.access(path, os.R_OK | os.X_OK):
        problem = "cannot be read"
    else:
        return path
    raise ConfigurationError(f"{path!r} {problem}; name a project's folder: licet explore PATH")


def _refuse_inside(ledger: str, root: str) -> None:
    """What is explored stays as it is, so the default ledger does not stand in it."""
    inside, outside = os.path.realpath(ledger), os.path.realpath(root)
    if os.path.commonpath([inside, outside]) == outside:
        raise ConfigurationError(
            f"the ledger {ledger} would stand inside {root!r}, which is only read; "
            "explore a folder below it, set LICET_HOME, or name another place with --ledger FILE"
        )


__all__ = ["configure", "run"]
