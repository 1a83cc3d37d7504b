"""A call id runs at most once: what the ledger already says of it is the answer."""

from typing import Any

import orjson

from ..dialects.untrusted import escaped
from ..ledger.call import REFUSED
from ..model.call import ToolCall
from ..model.entry import CallRecord, Entry
from ..model.result import Effect, Renderer, ToolResult
from ..model.verdict import Deny
from .authorize import AuthorizedCall, NeedsApproval
from .normalise import failure
from .record import Recorder

REUSED = Deny(
    "call_id_reused",
    "this call id stands on the ledger for another call",
    remedy="use a new call id; leave it out to let licet make one",
)
MINTED = Deny(
    "invalid_arguments",
    "licet makes call ids of this form itself, and this one is not on the ledger",
    reason="call_id",
    remedy="choose another call id; leave it out to let licet make one",
)
UNDER_WAY = Deny("call_id_reused", "a call of this id is under way", reason="under_way", remedy="wait for its result")


def recall_refused(
    record: CallRecord, call: ToolCall, recorder: Recorder, decided: AuthorizedCall | NeedsApproval | Deny
) -> Deny | None:
    """Why a used call id is not answered with its record.

    The record is for the same principal, tool and arguments only, and what a call gave is for one that still may make
    it. Redacted arguments are compared by their HMAC, whose key lives as long as the runtime: after a restart they
    differ.
    """
    first = record.opened or record.closed
    if first is None or first.actor != call.principal.name:
        return REUSED
    body, was_refused = orjson.loads(first.body), first.kind in REFUSED
    arguments = orjson.dumps(body.get("arguments"), option=orjson.OPT_SORT_KEYS)  # as text: to Python 1 equals True
    tool = escaped(call.tool) if was_refused else call.tool
    if body.get("tool") != tool or arguments != recorder.shown(call, was_refused=was_refused):
        return REUSED
    return decided if isinstance(decided, Deny) and not was_refused else None


def recalled(record: CallRecord, call: ToolCall, took_ns: int, renderer: Renderer) -> ToolResult:
    """The recorded end as a result; a beginning without an end is ``effect_unknown``, and never starts again."""
    metadata: dict[str, Any] = {"replayed": True}
    end: Entry | None = record.closed
    if end is None:
        problem = "the ledger holds the beginning of this call and no end; what it did is unknown"
        remedy = {"remedy": f"find out, then: licet ledger settle {call.id} done|failed --note TEXT"}
        return failure(call, "effect_unknown", problem, "unknown", took_ns, renderer, {**metadata, **remedy})
    body = orjson.loads(end.body)
    if end.kind == "tool.completed":
        output = body["output"]
        data = orjson.dumps(output, option=orjson.OPT_SORT_KEYS)
        if b'"redacted":"hmac-sha256:' in data or b'"truncated":{' in data:
            metadata["reason"] = "record_incomplete"
        return ToolResult(call.id, call.tool, True, output, None, None, "done", took_ns / 1e6, metadata, data, renderer)
    code = str(
        body.get("code") or {"tool.abandoned": "aborted", "tool.settled": "effect_unknown"}.get(end.kind, "error")
    )
    if body.get("reason"):
        metadata["reason"] = body["reason"]
    if end.kind == "tool.settled":
        metadata["settled"] = body.get("outcome")
    message = str(body.get("message") or f"the ledger says {end.kind}")
    effect: Effect = "none" if end.kind in ("tool.refused", "tool.denied") else body.get("effect", "unknown")
    return failure(call, code, message, effect, took_ns, renderer, metadata)
