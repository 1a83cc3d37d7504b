"""``licet lock``: pins what the configured servers list, and shows what is not as it was pinned."""

import argparse
from typing import TYPE_CHECKING

from ..errors import ConfigurationError
from .exits import DONE, FOUND, exit_for

if TYPE_CHECKING:
    from ..project.survey import Surveyed
    from .lock_file import LockFile

EXITS = """exit codes: 0 all is as pinned, or was pinned now; 1 something is not as it was pinned;
2 no trusted configuration, or a variable is not set; 3 a server was not listed, or nobody said yes

examples: licet lock
          licet lock --check
          licet lock --accept git.git_log"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--config", metavar="FILE", help="the configuration; without it licet.yaml, here or above")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--check", action="store_true", help="write nothing; exit 1 if something is not as pinned")
    what.add_argument(
        "--accept", metavar="SERVER[.TOOL]", help="show what changed, ask, and pin exactly what was shown"
    )
    what.add_argument(
        "--classify", metavar="SERVER.TOOL", help="let the words of licet.yaml count again for an accepted tool"
    )
    parser.add_argument(
        "--digest", metavar="DIGEST", help="the answer to --accept and --classify where nobody is asked"
    )
    parser.add_argument("--json", action="store_true", help="one JSON document")
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = EXITS


def run(arguments: argparse.Namespace) -> int:
    from .lock_file import LockFile

    if arguments.digest is not None and not (arguments.accept or arguments.classify):
        raise ConfigurationError("--digest answers --accept or --classify; name one of them")
    file = LockFile.of(arguments.config)
    if arguments.accept is not None:
        from .lock_accept import accept

        return accept(file, arguments.accept, arguments.digest, json=arguments.json)
    if arguments.classify is not None:
        from .lock_classify import classify

        return classify(file, arguments.classify, arguments.digest, json=arguments.json)
    return _pin(file, check=arguments.check, json=arguments.json)


def _pin(file: "LockFile", *, check: bool, json: bool) -> int:
    from ..project.relock import with_missing
    from ..project.survey import pinned_of, survey
    from . import lock_report
    from .lock_listing import asked

    answers, problems = asked(file, file.servers)
    found = survey(file.lock, file.servers, answers, problems)
    lock = file.lock
    for one in found:
        if one.listed is not None:
            lock = with_missing(lock, one.name, one.listed.server)
    written = not check and (lock != file.lock or not file.exists)
    if written:
        file.write(lock)
    pinned = [] if check else pinned_of(found)
    if json:
        lock_report.document(file.path, found, pinned, written=written)
    else:
        lock_report.show(found, check=check)
    return _exit(found, check=check)


def _exit(found: "list[Surveyed]", *, check: bool) -> int:
    """A drift weighs more than a server that is not there: it is what somebody has to look at."""
    if any(one.drifts or (check and one.new) for one in found):
        return FOUND
    problems = [exit_for(one.problem) for one in found if one.problem is not None]
    return min(problems, default=DONE)


__all__ = ["configure", "run"]
