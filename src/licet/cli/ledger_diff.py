"""``licet ledger diff``: the first event in which two stories differ."""

import argparse
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

from ..errors import ConfigurationError
from . import output
from .configured import ledger_of_run
from .exits import DONE, FOUND

if TYPE_CHECKING:
    from ..ledger.compare import Comparison
    from ..model.entry import Entry


class _Side(NamedTuple):
    """``run_id`` is None for a whole ledger."""

    path: Path
    run_id: str | None
    entries: "Iterator[Entry]"

    @property
    def shown(self) -> str:
        return str(self.path) if self.run_id is None else f"run {self.run_id}"


def run(arguments: argparse.Namespace) -> int:
    from ..ledger.compare import compare

    with _side(arguments.a) as a, _side(arguments.b) as b:
        found = compare(a.entries, b.entries)
    if not found.same and not found.differs:
        raise ConfigurationError(f"neither {a.shown} nor {b.shown} holds an event of an agent; nothing was compared")
    if arguments.json:
        output.document(_document(a, b, found))
    elif found.differs:
        _differ(a, b, found)
    else:
        output.styled_line(
            output.Styled("the same", "bold green"), f"  {_events(found.same)} of {a.shown} and {b.shown}"
        )
    return FOUND if found.differs else DONE


@contextmanager
def _side(named: str) -> "Iterator[_Side]":
    """What FILE, FILE:RUN or RUN stands for."""
    from .records import known_run, opened

    file, colon, run = named, "", ""
    if not os.path.lexists(named):
        file, colon, run = named.rpartition(":")
        if not colon:
            file, run = "", named
    path = ledger_of_run(run or None, file or None)
    with opened(path) as records:
        run_id = known_run(records.runs(), run) if run else None
        yield _Side(path, run_id, records.entries(run_id))


def _differ(a: _Side, b: _Side, found: "Comparison") -> None:
    output.styled_line(
        output.Styled("different", "bold yellow"), f"  after {_events(found.same)} that are the same: {_how(found)}"
    )
    for letter, side, entry in (("A", a, found.a), ("B", b, found.b)):
        output.styled_line(output.Styled(f"{letter}  ", "bold"), f"{side.shown}: {_told(entry)}")
        if entry is not None:
            output.styled_line(output.Styled(output.json_text(_payload(entry)), "dim"), indent=3)


def _how(found: "Comparison") -> str:
    """The difference in words."""
    a, b = found.a, found.b
    if a is None or b is None:
        return f"{'A' if a is None else 'B'} ends there, and {'B' if a is None else 'A'} goes on"
    if a.kind != b.kind:
        return "the kinds differ"
    if a.actor != b.actor:
        return "the agents differ"
    one, other = _payload(a), _payload(b)
    if not isinstance(one, dict) or not isinstance(other, dict):
        return "the payloads differ"
    keys = [key for key in sorted({*one, *other}) if key not in one or key not in other or one[key] != other[key]]
    return f"the payloads differ in {', '.join(keys)}" if keys else "the payloads are written differently"


def _told(entry: "Entry | None") -> str:
    return "nothing more" if entry is None else f"{entry.kind} of {entry.actor}, entry {entry.seq}"


def _payload(entry: "Entry") -> Any:
    try:
        return orjson.loads(entry.body)
    except orjson.JSONDecodeError:
        return entry.body.decode("utf-8", "replace")


def _events(number: int) -> str:
    return "1 event" if number == 1 else f"{number:,} events"


def _document(a: _Side, b: _Side, found: "Comparison") -> dict[str, Any]:
    return {
        "same": not found.differs,
        "events": found.same,
        "difference": _how(found) if found.differs else None,
        "a": _side_document(a, found.a),
        "b": _side_document(b, found.b),
    }


def _side_document(side: _Side, entry: "Entry | None") -> dict[str, Any]:
    told = None
    if entry is not None:
        told = {"seq": entry.seq, "kind": entry.kind, "actor": entry.actor, "payload": _payload(entry)}
    return {"ledger": str(side.path), "run": side.run_id, "event": told}


__all__ = ["run"]
