"""A person's word on a call that has a beginning and no end."""

import time
from collections.abc import Container
from typing import Literal, get_args

import orjson

from ..errors import ConfigurationError, LedgerError
from ..model.entry import Draft, Entry
from ..ports import Ledger
from .call import fields_of
from .run import AT_US

Outcome = Literal["done", "failed"]


def settle(
    ledger: Ledger,
    call_id: str,
    outcome: Outcome,
    note: str,
    actor: str,
    *,
    in_flight: Container[str] = (),
    at_us: int | None = None,
) -> Entry:
    """Close a call whose effect is unknown with the entry ``tool.settled`` of ``actor``, and give that entry.

    It is on stable storage when this returns; the thread waits for it. ``in_flight`` holds the ids of calls that run in
    this process; a call of another process cannot be told from one that crashed, so look before you settle. ``at_us``
    is now by default, in microseconds since 1970.

    Raises:
        ConfigurationError: the outcome is another word, or there is no note or no actor.
        LedgerError: the call is not on the ledger, has an end, or is still under way.
        LedgerUnavailableError: the entry could not be written.
    """
    if outcome not in get_args(Outcome):
        raise ConfigurationError(f"a call is settled as done or failed, not as {outcome!r}")
    if not note.strip() or not actor.strip():
        raise ConfigurationError("who settles a call says who they are and, in a note, how they know what it did")
    opened, closed = ledger.find(call_id)
    if closed is not None:
        raise LedgerError(
            f"the call {call_id!r} has an end already: entry {closed.seq}, {closed.kind}; there is nothing to settle"
        )
    if opened is None:
        raise LedgerError(f"no call {call_id!r} is on this ledger: its verification lists the calls without an end")
    if call_id in in_flight:
        raise LedgerError(f"the call {call_id!r} is under way in this process: wait for its end, or abort it")
    told = {"call": call_id, "note": note, "outcome": outcome, "tool": fields_of(opened.body).get("tool")}
    trace = {AT_US: time.time_ns() // 1000 if at_us is None else at_us}
    draft = Draft(opened.run_id, "tool.settled", actor, _packed(told), _packed(trace))
    ledger.append(draft, durable=True)
    ledger.flush()
    settled = ledger.find(call_id).closed
    if settled is None or settled.actor != actor or settled.body != draft.body:
        raise LedgerError(f"the call {call_id!r} came to another end meanwhile; yours stands on the ledger after it")
    return settled


def _packed(value: object) -> bytes:
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    except orjson.JSONEncodeError as exc:
        raise ConfigurationError(f"the note is not text in UTF-8: {exc}") from exc


__all__ = ["Outcome", "settle"]
