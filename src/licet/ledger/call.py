"""How entries tell the story of one call: which kinds open it, which close it, and where its id stands."""

from collections.abc import Iterable
from typing import Any

import orjson

from ..model.entry import CallRecord, Entry

REQUESTED = "tool.requested"
REFUSED = frozenset({"tool.refused", "tool.denied"})
"""Stopped before a transport. Where nothing was requested, such an entry is the whole call: beginning and end."""

FAILED = frozenset({"tool.failed", "tool.abandoned"})
"""Stopped after a transport was touched."""

CLOSES = REFUSED | FAILED | {"tool.completed", "tool.settled"}
"""Kinds that end a call."""

CALL_KINDS = CLOSES | {REQUESTED}

NOTHING = CallRecord(None, None)
"""What is known of a call id that is not on the ledger."""

_FIRST = '{"call":"'


def call_of(kind: str, body: str) -> str | None:
    """The call id that an entry belongs to, or None: another kind of entry, or a body that names no call."""
    if kind not in CALL_KINDS:
        return None
    if body.startswith(_FIRST):  # canonical bodies that have no key before "call" need no parser
        end = body.find('"', 9)
        if end > 0 and "\\" not in body[9:end]:
            return body[9:end]
    elif (found := _of_an_intent(body)) is not None:
        return found
    value = fields_of(body).get("call")
    return value if isinstance(value, str) else None


def _of_an_intent(body: str) -> str | None:
    """The call id in a body whose last two keys are its call and its tool, as plain text; None: ask a parser.

    The last brace of a JSON object ends it, so what stands in front of that without another brace is its own.
    """
    parts = body.rsplit('"', 6)
    if len(parts) < 7:
        return None
    before, call_id, comma, key, colon, tool, end = parts
    if (comma, key, colon, end) != (",", "tool", ":", "}") or not before.endswith(',"call":'):
        return None
    return None if "\\" in call_id or "\\" in tool else call_id


def fields_of(packed: str | bytes) -> dict[str, Any]:
    """The fields of a body or a trace; an empty dict where it is no JSON object."""
    try:
        value = orjson.loads(packed)
    except orjson.JSONDecodeError:
        return {}
    return value if isinstance(value, dict) else {}


def extend(record: CallRecord, entry: Entry) -> CallRecord:
    """What is known of a call once ``entry``, one of its own, was read too.

    The first end after the last beginning counts: a late second end changes nothing that was told before.
    """
    if entry.kind == REQUESTED:
        return CallRecord(entry, None)
    if record.closed is not None or entry.kind not in CLOSES:
        return record
    opened = entry if record.opened is None and entry.kind in REFUSED else record.opened
    return CallRecord(opened, entry)


def record_of(entries: Iterable[Entry]) -> CallRecord:
    """What the entries of one call tell, in order."""
    record = NOTHING
    for entry in entries:
        record = extend(record, entry)
    return record


__all__ = [
    "CALL_KINDS",
    "CLOSES",
    "FAILED",
    "NOTHING",
    "REFUSED",
    "REQUESTED",
    "call_of",
    "extend",
    "fields_of",
    "record_of",
]
