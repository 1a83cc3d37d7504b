"""How entries tell the story of one call: which kinds open it, which close it, and where its id stands."""

import re
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

AN_INTENT = r'\{.*,"call":"([\w.:-]*)","tool":"[\w./-]*"\}'
"""A whole body that ends with its call and its tool. The last brace of a JSON object ends it, so these are its own."""

AN_END = r'\{"call":"([\w.:-]*)"'
"""How a body begins that has no key before its call."""

_an_intent = re.compile(AN_INTENT, re.DOTALL | re.ASCII).fullmatch
_an_end = re.compile(AN_END, re.ASCII).match


def call_of(kind: str, body: str) -> str | None:
    """The call id that an entry belongs to, or None: another kind of entry, or a body that names no call."""
    if kind not in CALL_KINDS:
        return None
    plainly = _an_intent(body) if kind == REQUESTED else _an_end(body)
    if plainly is not None:  # as most do
        named: str = plainly[1]
        return named
    value = fields_of(body).get("call")
    return value if isinstance(value, str) else None


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
    "AN_END",
    "AN_INTENT",
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
