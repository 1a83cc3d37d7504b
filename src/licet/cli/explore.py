"""``licet explore [PATH]``: the main job, from the shell."""

import argparse
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ..errors import ConfigurationError
from . import output, state
from .exits import DONE, FOUND, REFUSED

if TYPE_CHECKING:
    from ..agents.explore.fact import Report
    from ..agents.loop import Bounds
    from ..ports import Model
    from .progress import Progress
    from .report_file import ReportFile


_EPILOG = """With --model a model explores, under the same grants: it reads below PATH and nothing else, and its report
is its own words. openai:NAME, anthropic:NAME, google:NAME and bedrock:NAME are asked over the network, with the key
that their usual variable holds; local is a model on this machine. Without --model nothing is asked.
0 done; 1 the ledger does not verify; 2 a package, a key or a name is missing; 3 a bound is used up and there is no
report; 4 the provider gave no answer, or there is no ledger. licet resume RUN goes on where a model stood still."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("path", metavar="PATH", nargs="?", default=".", help="the project's folder; this one if absent")
    parser.add_argument("--model", metavar="NAME", help="let a model explore: openai:NAME, anthropic:NAME, ..., local")
    parser.add_argument("--full", action="store_true", help="count every line and show everything")
    parser.add_argument("--json", action="store_true", help="one JSON document, complete, instead of Markdown")
    parser.add_argument("--report", metavar="FILE", help="write the report to FILE, whole or not at all")
    parser.add_argument("--ledger", metavar="FILE", help="the ledger; without it, the one in your state folder")
    bounds = parser.add_argument_group("bounds of a model")
    bounds.add_argument("--max-calls", metavar="N", type=_above_0, help="calls of tools")
    bounds.add_argument("--max-tokens", metavar="N", type=_above_0, help="tokens, sent and written")
    bounds.add_argument("--max-seconds", metavar="N", type=_above_0, help="seconds in all")
    parser.epilog = _EPILOG


def run(arguments: argparse.Namespace) -> int:
    """Explore, then print or write the report. 1: the ledger does not verify.

    Raises:
        ConfigurationError: PATH, FILE or the model cannot be used; nothing was explored.
        LedgerUnavailableError: no ledger, no call.
        ProviderError: the model gave no answer.
    """
    from ..agents.explore.exploration import Watch, explore
    from .progress import Progress
    from .report_file import ReportFile

    root = _folder(arguments.path)
    written = None if arguments.report is None else ReportFile(arguments.report)
    if arguments.ledger is None:
        _refuse_inside(str(state.ledger_file()), root)
    bounds = bounds_of(arguments)
    with Progress() as progress:
        model = None if arguments.model is None else model_of(arguments.model, progress)
        ledger = str(state.ledger_to_write(arguments.ledger))
        watch = Watch(progress.begun, progress.answered)
        with resumable(progress, model):
            report = explore(root, ledger, watch, model=model, bounds=bounds, thorough=arguments.full)
    return shown(report, arguments, written)


def shown(report: "Report", arguments: argparse.Namespace, written: "ReportFile | None") -> int:
    """Print or write a report, and give the exit code."""
    if written is not None:
        written.write(_text(report, arguments))
        output.say(f"the report is in {written.path}")
    elif arguments.json or not output.on_terminal():
        output.write(_text(report, arguments))
    else:
        from .report_screen import show

        show(report, full=arguments.full)
    if not report.account.verified:
        return FOUND
    told = report.told
    return REFUSED if report.findings is None and told is not None and not told.text else DONE


def bounds_of(arguments: argparse.Namespace) -> "Bounds":
    """Those that were given, the others as they are."""
    from ..agents.explore.exploration import BOUNDS

    given = {"calls": arguments.max_calls, "tokens": arguments.max_tokens, "seconds": arguments.max_seconds}
    said = {name: value for name, value in given.items() if value is not None}
    if said and arguments.model is None:
        raise ConfigurationError("the bounds are those of a model; name one with --model, or leave them out")
    return BOUNDS._replace(**said)


def model_of(name: str, progress: "Progress") -> "Model":
    """The model of this name, whose words ``progress`` shows as they come.

    Raises:
        ConfigurationError: there is none of this name, or its package or key is missing.
    """
    from ..providers.named import model_from

    return model_from(name, listener=progress if progress.is_shown else None)


@contextmanager
def resumable(progress: "Progress", model: "Model | None") -> Iterator[None]:
    """Say how to go on where a large model was interrupted, or gave no answer."""
    from ..errors import ProviderError

    try:
        yield
    except (KeyboardInterrupt, ProviderError):
        if getattr(model, "recorded", False) and progress.run_id:
            output.say(f"licet resume {progress.run_id} goes on from what stands on the ledger")
        raise


def _above_0(text: str) -> int:
    if not text.isascii() or not text.isdecimal() or not 0 < int(text) <= 10**12:
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is no number above 0")
    return int(text)


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


__all__ = ["bounds_of", "configure", "model_of", "resumable", "run", "shown"]
