"""What a run's entries tell of its calls, one after the other."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from ..model.entry import CallRecord, Entry

_ENDED = {
    "tool.completed": "completed",
    "tool.failed": "failed",
    "tool.refused": "refused",
    "tool.denied": "refused",
    "tool.abandoned": "abandoned",
}
"""Kind of the last entry of a call -> its outcome in a word."""

UNKNOWN = "unknown"
"""A call that has a beginning and no end."""


class Told(NamedTuple):
    """One call. ``duration_us`` and ``at_us`` (since 1970) are None where the ledger holds none.

    ``undone`` tells that what it did was rolled back.
    """

    call_id: str
    tool: str
    arguments: Any
    outcome: str
    code: str
    reason: str
    at_us: int | None
    duration_us: int | None
    note: str
    undone: bool = False


def calls_of(entries: "Iterable[Entry]") -> list[Told]:
    """The calls among the entries, in the order in which they began."""
    from ..ledger.call import NOTHING, call_of, extend, fields_of
    from ..ledger.run import ROLLED_BACK

    records: dict[str, CallRecord] = {}
    undone: set[str] = set()
    for entry in entries:
        if entry.kind == ROLLED_BACK:
            listed = fields_of(entry.body).get("calls")
            undone.update(filter(_text, listed) if isinstance(listed, list) else ())
        call_id = call_of(entry.kind, entry.body.decode(errors="replace"))
        if call_id is not None:
            records[call_id] = extend(records.get(call_id, NOTHING), entry)
    return [_told(call_id, record)._replace(undone=call_id in undone) for call_id, record in records.items()]


def _told(call_id: str, record: "CallRecord") -> Told:
    from ..ledger.call import fields_of

    first = record.opened or record.closed
    began = {} if first is None else fields_of(first.body)
    ended = {} if record.closed is None else fields_of(record.closed.body)
    return Told(
        call_id,
        _text(began.get("tool") or ended.get("tool")),
        began.get("arguments"),
        _outcome(record, ended),
        _text(ended.get("code")),
        _text(ended.get("reason")),
        None if first is None else _number(fields_of(first.trace).get("at_us")),
        None if record.closed is None else _number(fields_of(record.closed.trace).get("duration_us")),
        _text(ended.get("note")),
    )


def _outcome(record: "CallRecord", ended: dict[str, Any]) -> str:
    if record.closed is None:
        return UNKNOWN
    if record.closed.kind == "tool.settled":
        return f"settled {_text(ended.get('outcome'))}".rstrip()
    return _ENDED.get(record.closed.kind, record.closed.kind)


def _text(value: Any) -> str:
    """A field as text: a ledger may have been written by anybody."""
    return value if isinstance(value, str) else ""


def _number(value: Any) -> int | None:
    return value if isinstance(value, int) else None


__all__ = ["UNKNOWN", "Told", "calls_of"]
