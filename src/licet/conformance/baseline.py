"""What is expected of a target that does not keep all of the contract yet: an earlier report."""

import json
from collections.abc import Mapping
from typing import NamedTuple, get_args

from ..errors import ConfigurationError
from .document import FORMAT
from .run import Report
from .verdict import Verdict

MAX_BYTES = 16 << 20


class Baseline(NamedTuple):
    """``unexpected`` says in words what is not as expected, ``moved`` of which vectors."""

    unexpected: tuple[str, ...]
    moved: frozenset[str]


def expected(path: str) -> dict[str, Verdict]:
    """Vectors and the verdicts that are expected.

    Raises:
        ConfigurationError: the file cannot be read, or is no report of ``licet conformance --json``.
    """
    try:
        with open(path, "rb") as file:
            data = file.read(MAX_BYTES + 1)
        report = json.loads(data)
    except OSError as exc:
        raise ConfigurationError(f"--baseline {path}: {exc.strerror}") from None
    except ValueError:
        report = None
    outcomes = report.get("outcomes") if isinstance(report, dict) and report.get("format") == FORMAT else None
    if len(data) > MAX_BYTES or not isinstance(outcomes, list) or not all(map(_is_outcome, outcomes)):
        raise ConfigurationError(f"--baseline {path}: this is no report; write one with licet conformance --json")
    return {one["vector"]: one["verdict"] for one in outcomes}


def _is_outcome(one: object) -> bool:
    return isinstance(one, dict) and isinstance(one.get("vector"), str) and one.get("verdict") in get_args(Verdict)


def compared(baseline: Mapping[str, Verdict], report: Report) -> Baseline:
    """Everything that is not as expected: worse, better, or not in the baseline at all.

    Red is red, whatever the verdict's word. A vector of the baseline that was not chosen now is left aside.
    """
    unexpected, moved = [], set()
    for one in report.outcomes:
        before = baseline.get(one.vector)
        if before is None and not one.is_green:
            unexpected.append(f"{one.vector} is {one.verdict}, and not in the baseline: {one.told}")
        elif before is not None and _kind(before) != _kind(one.verdict):
            unexpected.append(
                f"{one.vector} is {one.verdict} instead of {before}" + (f": {one.told}" if one.told else "")
            )
        else:
            continue
        moved.add(one.vector)
    return Baseline(tuple(unexpected), frozenset(moved))


def _kind(verdict: Verdict) -> str:
    return verdict if verdict in ("passed", "not applicable") else "red"


__all__ = ["Baseline", "compared", "expected"]
