"""``licet ledger show``."""

import argparse
from collections import deque
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from .exits import DONE

if TYPE_CHECKING:
    from ..model.entry import Entry
    from .records import Records

_STYLES = {
    "tool.refused": "yellow",
    "tool.denied": "yellow",
    "tool.failed": "red",
    "tool.abandoned": "red",
    "tool.completed": "green",
    "tool.requested": "cyan",
}


def run(arguments: argparse.Namespace) -> int:
    from . import output
    from .configured import ledger_to_read
    from .records import opened

    with opened(ledger_to_read(arguments, arguments.file, arguments.run)) as records:
        entries = _chosen(records, arguments)
        if arguments.json:
            output.documents(_document(entry) for entry in entries)
            return DONE
        shown = 0
        for entry in entries:
            shown += 1
            if not _line(entry):
                break
    if not shown:
        output.say("licet: no such entry is on this ledger")
    return DONE


def _chosen(records: "Records", arguments: argparse.Namespace) -> "Iterable[Entry]":
    from .records import known_run

    run_id = None if arguments.run is None else known_run(records.runs(), arguments.run)
    entries = records.unknown() if arguments.unknown else records.entries(run_id)
    found = _filtered(entries, run_id, arguments.kind)
    return found if arguments.limit is None else deque(found, maxlen=arguments.limit)


def _filtered(entries: "Iterable[Entry]", run_id: str | None, kind: str | None) -> "Iterator[Entry]":
    for entry in entries:
        if run_id not in (None, entry.run_id):
            continue
        if kind is None or entry.kind == kind or entry.kind.partition(".")[2] == kind:
            yield entry


def _line(entry: "Entry") -> bool:
    """One line; on a terminal the body stands below, so that it can be read without scrolling sideways.

    False: nobody reads any more.
    """
    from .moment import moment
    from .output import Styled, json_text, on_terminal, styled_line

    at_us = _object(entry.trace).get("at_us")
    told = (
        f"{entry.seq:>6}  ",
        Styled(f"{moment(at_us if isinstance(at_us, int) else None):<19}  ", "dim"),
        Styled(f"{entry.kind:<17}  ", _STYLES.get(entry.kind, "")),
        f"{entry.run_id or '-'}  {entry.actor}",
    )
    body = json_text(_object(entry.body))
    if on_terminal():
        return styled_line(*told) and styled_line(Styled(body, "dim"), indent=8)
    return styled_line(*told, "  ", body)


def _document(entry: "Entry") -> dict[str, Any]:
    return {
        "seq": entry.seq,
        "run_id": entry.run_id,
        "kind": entry.kind,
        "actor": entry.actor,
        "body": _object(entry.body),
        "trace": _object(entry.trace),
        "digest": entry.digest.hex(),
        "head": entry.head.hex(),
    }


def _object(packed: bytes) -> dict[str, Any]:
    """The object that the bytes hold; bytes that hold none, which no licet wrote, stand under ``not_json``."""
    import json

    try:
        value = json.loads(packed)
    except (ValueError, RecursionError):
        value = None
    return value if isinstance(value, dict) else {"not_json": packed.decode(errors="replace")}


__all__ = ["run"]
