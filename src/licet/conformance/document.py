"""A report as one JSON document, which is also what a baseline is read from."""

from typing import TYPE_CHECKING, Any

from .run import Report

if TYPE_CHECKING:
    from .baseline import Baseline

FORMAT = "licet-conformance/1"


def document(report: Report, against: "Baseline | None" = None, *, ok: bool | None = None) -> dict[str, Any]:
    """``ok`` is whether all is as it should be: nothing is red, or all is as the baseline says."""
    made: dict[str, Any] = {
        "format": FORMAT,
        "ok": report.ok if ok is None else ok,
        "target": report.target,
        "seconds": round(report.seconds, 3),
        "outcomes": [
            {
                "vector": one.vector,
                "suite": one.suite,
                "title": one.title,
                "verdict": one.verdict,
                "told": one.told,
                "seconds": round(one.seconds, 3),
            }
            for one in report.outcomes
        ],
    }
    if against is not None:
        made["unexpected"] = list(against.unexpected)
    return made


__all__ = ["FORMAT", "document"]
