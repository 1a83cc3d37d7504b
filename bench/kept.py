"""Results that stand in the repository, for the page and the picture."""

import json
from pathlib import Path
from typing import Any

from bench.measure import ROOT, Figure

SUITES = {
    "core": "core",
    "ledger": "ledger",
    "scale": "scale",
    "cold": "cold",
    "explore": "explore",
    "mcp": "mcp_calls",
    "serve": "serve",
    "workflow": "workflow",
    "install": "install",
    "dialects": "dialects",
    "loop": "loop",
    "adapters": "adapters",
    "decisions": "decisions",
}
"""The suites in the order in which they are told, and the module of each."""

BUILT = ROOT / "build" / "bench"
KEPT = ROOT / "docs" / "benchmarks"
Document = dict[str, Any]


def write(folder: Path, suite: str, document: Document) -> str:
    """Where it was written, seen from the root of the project."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{suite}.json"
    file.write_text(json.dumps(document, indent=1) + "\n")
    return str(file.relative_to(ROOT))


def read(folder: Path = KEPT) -> dict[str, Document]:
    """The kept documents by suite, in the order in which they are told."""
    files = {suite: folder / f"{suite}.json" for suite in SUITES}
    return {suite: json.loads(file.read_text()) for suite, file in files.items() if file.exists()}


def plain(found: Figure) -> Document:
    gate = found.gate
    values = {"median": found.median, "low": found.low, "high": found.high}
    limits = {"must": gate.must, "aim": gate.aim}
    return {
        "name": gate.name,
        "case": gate.case,
        "peer": gate.peer,
        **{name: None if value is None else short(value) for name, value in {**limits, **values}.items()},
        "processes": found.processes,
        "rounds": found.rounds,
    }


def short(value: float) -> float:
    """Four digits: the fifth was noise."""
    return float(f"{value:.4g}")
