"""``licet check``: what somebody should look at in a configuration, its cast and its contract. It starts nothing."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .exits import DONE, FOUND

if TYPE_CHECKING:
    from ..project.config import Project
    from ..project.inspection.cast import Inspected
    from ..project.inspection.finding import Finding
    from ..project.inspection.inspect import Inspection

_EPILOG = """0 nothing found; 1 something was; 2 there is no such file.
A comment on its line accepts a finding: # licet: allow CODE"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--config", metavar="FILE", help="the configuration; without it licet.yaml, here or above")
    parser.add_argument("--json", action="store_true", help="one JSON document")
    parser.epilog = _EPILOG


def run(arguments: argparse.Namespace) -> int:
    from . import output

    found = _inspected(arguments.config)
    if arguments.json:
        output.document({**_told(found[0]), "config": [_told(one) for one in found[1:]]})
    else:
        for one in found:
            for line, code, text in one.findings:
                output.write(output.visible(f"{one.file}:{line}: {code}: {text}") + "\n")
        output.say(f"licet: {_count(found)}")
    return FOUND if any(one.findings for one in found) else DONE


def _inspected(named: str | None) -> "list[Inspection]":
    """The configuration, then the manifests and scenarios beside it; these alone where there is no configuration."""
    from ..project.find import FILE, find
    from ..project.inspection.contract_file import inspect_contract
    from ..project.inspection.inspect import inspect, inspection_of, written
    from .configured import configuration

    path = find(Path.cwd(), any_owner=True) if named is None else configuration(named)
    if path is None:
        alone = _cast(Path.cwd(), None)
        found = [] if alone is None else alone.inspections
        return found or inspect_contract(Path.cwd()) or [inspect(configuration(named))]
    held = written(path)
    if path.name != FILE:
        cast = _cast(path.parent, None)
        return [inspection_of(held), *(() if cast is None else cast.inspections)]
    cast = _cast(path.parent, held.project)
    agents, inspections = ((), ()) if cast is None else (cast.agents, cast.inspections)
    return [inspection_of(held, agents), *inspections, *inspect_contract(path.parent)]


def _cast(folder: Path, project: "Project | None") -> "Inspected | None":
    """Of the files of the cast. Most projects have none, and what acts them is not imported there."""
    from ..project.manifest import FOLDER as AGENTS
    from ..project.scenario import FOLDER as SCENARIOS

    if not any((folder / one).is_dir() for one in (AGENTS, SCENARIOS)):
        return None
    from ..agents.cast.handlers import HANDLERS
    from ..agents.explore.explorer import HANDLER
    from ..agents.release.models import NAMES
    from ..agents.work.handler import WORKER
    from ..project.inspection.cast import inspect_cast

    return inspect_cast(folder, handlers=[*HANDLERS, HANDLER, WORKER], models=NAMES, project=project)


def _told(found: "Inspection") -> dict[str, Any]:
    def plain(findings: "tuple[Finding, ...]") -> list[dict[str, Any]]:
        return [finding._asdict() for finding in findings]

    return {"file": found.file, "findings": plain(found.findings), "accepted": plain(found.accepted)}


def _count(found: "list[Inspection]") -> str:
    findings, accepted = sum(len(one.findings) for one in found), sum(len(one.accepted) for one in found)
    more = f" and {len(found) - 1} more file{'s' if len(found) > 2 else ''}" if len(found) > 1 else ""
    told = f"{findings or 'nothing'} to look at in {found[0].file}{more}"
    return told + (f", {accepted} accepted by its comments" if accepted else "")


__all__ = ["configure", "run"]
