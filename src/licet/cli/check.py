"""``licet check``: what somebody should look at in a configuration. It starts nothing, and works on any file."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .exits import DONE, FOUND

if TYPE_CHECKING:
    from ..project.inspection.finding import Finding
    from ..project.inspection.inspect import Inspection

_EPILOG = """0 nothing found; 1 something was; 2 there is no such file.
A comment on its line accepts a finding: # licet: allow CODE"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--config", metavar="FILE", help="the configuration; without it licet.yaml, here or above")
    parser.add_argument("--json", action="store_true", help="one JSON document")
    parser.epilog = _EPILOG


def run(arguments: argparse.Namespace) -> int:
    from ..project.inspection.inspect import inspect
    from . import output

    found = inspect(_configuration(arguments.config))
    if arguments.json:
        output.document(_told(found))
    else:
        for line, code, text in found.findings:
            output.write(output.visible(f"{found.file}:{line}: {code}: {text}") + "\n")
        output.say(f"licet: {_count(found)}")
    return FOUND if found.findings else DONE


def _configuration(named: str | None) -> Path:
    from ..project.find import find
    from .configured import configuration

    found = find(Path.cwd(), any_owner=True) if named is None else None
    return found if found is not None else configuration(named)


def _told(found: "Inspection") -> dict[str, Any]:
    def plain(findings: "tuple[Finding, ...]") -> list[dict[str, Any]]:
        return [finding._asdict() for finding in findings]

    return {"file": found.file, "findings": plain(found.findings), "accepted": plain(found.accepted)}


def _count(found: "Inspection") -> str:
    findings, accepted = len(found.findings), len(found.accepted)
    told = f"{findings or 'nothing'} to look at in {found.file}"
    return told + (f", {accepted} accepted by its comments" if accepted else "")


__all__ = ["configure", "run"]
