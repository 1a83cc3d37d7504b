"""Room 2. Holds the call's place on the ledger: intent before effect, exactly one end, cancellation included."""

import os
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from typing import Any, Literal, get_args

import orjson

from ..catalog import Bound
from ..dialects.untrusted import escaped
from ..errors import ConfigurationError, LedgerUnavailableError
from ..ledger.redact import redact
from ..model.call import ToolCall
from ..model.entry import CallRecord, Draft
from ..model.result import ToolResult
from ..model.verdict import Deny
from ..ports import Clock, Ledger, Receipt
from .limits import Limits
from .observe import Observers
from .own_ledger import OwnLedger

Durability = Literal["effects", "strict"]
"""Which entries are waited for: those of calls that may change something, or all of them."""

_MOST_NAMES = 4096
_new = tuple.__new__  # every call makes two Drafts: this is half the price of the NamedTuple's constructor


class Recorder:
    """Writes the entries of calls. What it returns is awaited where the entry has to be durable first."""

    def __init__(
        self, ledger: Ledger, clock: Clock, limits: Limits, durability: Durability, observers: Observers | None
    ) -> None:
        self.ledger = ledger
        self.is_new: Callable[[str], bool] = _unsure
        """Whether it is known without a look that no call of this id stands on the ledger. False says nothing."""
        self.ended: Callable[[str], object] = _unsure
        """Told of the id that a caller chose for a call, once nothing more is written of it."""
        self._append = ledger.append
        if type(ledger) is OwnLedger and ledger.take():
            self.is_new, self.ended, self._append = ledger.is_new, ledger.ended, ledger.record
        self._now_ns = clock.time_ns
        self._value_bytes = limits.ledger_value_bytes
        self._refused_bytes = limits.refused_text_bytes
        if durability not in get_args(Durability):
            raise ConfigurationError(f"durability is one of {', '.join(get_args(Durability))}, not {durability!r}")
        self._strict = durability == "strict"
        self._key = os.urandom(32)
        self._plain_names: set[str] = set()
        self._observers = observers

    def waits(self, tool: Bound) -> bool:
        """Whether the entries of this tool are durable before the call goes on."""
        return self._strict or not tool.reads

    def opened(self, call: ToolCall, tool: Bound) -> Receipt | None:
        """The intent, before the effect."""
        call_id, run_id, principal, _, shown, _, _ = call
        plain = tool.names_are_plain
        if plain is None:
            plain = tool.look_at_names()
        if not plain or len(shown) > self._value_bytes:
            shown = redact(shown, key=self._key, limit_bytes=self._value_bytes)
        now_ns, append = self._now_ns, self._append  # a callable attribute is called faster by a name of its own
        body = b'{"arguments":%b,"call":"%b%b' % (shown, call_id.encode(), tool.body_end)
        trace = b'{"at_us":%d%b' % (now_ns() // 1000, tool.trace_end)
        draft = _new(Draft, (run_id, "tool.requested", principal.name, body, trace))
        try:
            return append(draft, durable=self._strict or not tool.reads)
        except Exception as exc:
            raise unavailable(exc) from exc

    def closed(self, call: ToolCall, tool: Bound, result: ToolResult, took_ns: int) -> Receipt | None:
        """The end of a call that was opened."""
        call_id, run_id, principal, _, _, _, _ = call
        if result.success:
            kind = "tool.completed"
            shown = self._shown(result.json, result.output, self._value_bytes)
            body = b'{"call":"%b","output":%b}' % (call_id.encode(), shown)
        else:
            kind = "tool.refused" if result.effect == "none" else "tool.failed"
            told = {"call": call_id, "code": result.code, "effect": result.effect, "reason": result.reason}
            if result.cause is not None:
                told["error"] = type(result.cause).__name__  # its text may hold anything, so it stays off the ledger
            body = orjson.dumps(told, option=orjson.OPT_SORT_KEYS)
        now_ns, append = self._now_ns, self._append
        trace = b'{"at_us":%d,"duration_us":%d%b' % (now_ns() // 1000, took_ns // 1000, tool.trace_end)
        draft = _new(Draft, (run_id, kind, principal.name, body, trace))
        try:
            receipt = append(draft, durable=self._strict or not tool.reads)
        except Exception as exc:
            raise unavailable(exc) from exc
        if self._observers is not None:
            self._observers.see(draft)
        return receipt

    def refused(self, call: ToolCall, deny: Deny, call_id: str, read: dict[str, Any] | None = None) -> Receipt | None:
        """The one entry of a call that never reached a transport. ``read`` are its arguments, as far as anybody could.

        ``call_id`` is another than the call's own if that one stands on the ledger already.
        """
        own_id, run_id, principal, tool, payload, problem, _ = call
        shown = self._shown(payload, read, self._refused_bytes)
        code, message, reason, _ = deny
        tool = tool if problem is None else escaped(tool)
        told = _told(code, message[: self._refused_bytes], reason, tool, None if call_id == own_id else own_id)
        body = b'{"arguments":%b,"call":"%b",%b' % (shown, call_id.encode(), told)
        kind = "tool.denied" if code in ("approval_denied", "approval_expired") else "tool.refused"
        now_ns, append = self._now_ns, self._append
        draft = _new(Draft, (run_id, kind, principal.name, body, b'{"at_us":%d}' % (now_ns() // 1000)))
        try:
            receipt = append(draft, durable=self._strict)
        except Exception as exc:
            raise unavailable(exc) from exc
        if self._observers is not None:
            self._observers.see(draft)
        return receipt

    def _shown(self, data: bytes, value: Any, limit_bytes: int) -> bytes:
        """The canonical JSON of a value as the ledger holds it. Names that were no secret's are not looked at again."""
        flat = len(data) <= limit_bytes and data.rfind(b"{") == 0  # no second brace: all names are the outermost
        if flat and value is not None and self._plain_names.issuperset(value):
            return data
        shown = redact(data, key=self._key, limit_bytes=limit_bytes)
        if shown is data and type(value) is dict and len(self._plain_names) < _MOST_NAMES:
            self._plain_names.update(value)
        return shown

    def approved(self, call: ToolCall, by: str, bound: str) -> Receipt | None:
        body = {"binding": bound, "by": by, "call": call.id}
        return self._put(self._draft(call, "tool.approved", body), durable=True)

    def checkpointed(self, call: ToolCall, token: Any) -> Receipt | None:
        """What an undo needs, durable before the effect."""
        return self._put(self._draft(call, "tool.checkpointed", {"call": call.id, "token": token}), durable=True)

    def scrubbed(self, call: ToolCall, removed: tuple[str, ...]) -> Receipt | None:
        """What was taken out of its arguments, as pointers; it stands before the intent, which is waited for."""
        return self._put(self._draft(call, "tool.scrubbed", {"call": call.id, "removed": list(removed)}), durable=False)

    def replayed(self, call: ToolCall, call_id: str) -> Receipt | None:
        """Somebody asked again for a call that had ended: nothing ran."""
        return self._put(self._draft(call, "tool.replayed", {"call": call_id, "of": call.id}), durable=False)

    def abandoned(self, call: ToolCall, *, touched: bool) -> None:
        """The end of a call whose caller went away. In line at once: a cancellation cannot get in between."""
        body = {"call": call.id, "effect": "unknown" if touched else "none"}
        with suppress(LedgerUnavailableError):  # the beginning without an end says the same
            self._close(self._draft(call, "tool.abandoned", body), durable=False)

    def noted(
        self, run_id: str, actor: str, kind: str, body: dict[str, Any], *, durable: bool = False
    ) -> Receipt | None:
        """An entry about a run rather than a call."""
        trace = b'{"at_us":%d}' % (self._now_ns() // 1000)
        text = orjson.dumps(body, option=orjson.OPT_SORT_KEYS)
        return self._put(Draft(run_id, kind, actor, text, trace), durable=durable or self._strict)

    def find(self, call_id: str) -> CallRecord:
        try:
            return self.ledger.find(call_id)
        except Exception as exc:
            raise unavailable(exc) from exc

    def shown(self, call: ToolCall, *, was_refused: bool) -> bytes:
        """The arguments as the ledger holds them, of a call that was opened or of one that was refused."""
        limit_bytes = self._refused_bytes if was_refused else self._value_bytes
        return redact(call.payload, key=self._key, limit_bytes=limit_bytes)

    def _draft(self, call: ToolCall, kind: str, body: dict[str, Any]) -> Draft:
        text = orjson.dumps(body, option=orjson.OPT_SORT_KEYS)
        return Draft(call.run_id, kind, call.principal.name, text, b'{"at_us":%d}' % (self._now_ns() // 1000))

    def _put(self, draft: Draft, *, durable: bool) -> Receipt | None:
        try:
            return self._append(draft, durable=durable)
        except Exception as exc:
            raise unavailable(exc) from exc

    def _close(self, draft: Draft, *, durable: bool) -> Receipt | None:
        waiting = self._put(draft, durable=durable)
        if self._observers is not None:
            self._observers.see(draft)
        return waiting


def _unsure(_: str) -> bool:
    """Of another ledger nothing is known without a look."""
    return False


@lru_cache(maxsize=256)
def _told(code: str, message: str, reason: str, tool: str, named: str | None) -> bytes:
    """The end of a refusal's body, from ``code`` on: a model that is told no asks again, and is told the same."""
    told = {"code": code, "message": message, "named": named, "reason": reason, "tool": tool}
    if named is None:
        del told["named"]
    if not reason:
        del told["reason"]
    return orjson.dumps(told, option=orjson.OPT_SORT_KEYS)[1:]


def unavailable(exc: Exception) -> LedgerUnavailableError:
    """Whatever a ledger raises means that it cannot be written."""
    if isinstance(exc, LedgerUnavailableError):
        return LedgerUnavailableError(*exc.args)
    return LedgerUnavailableError(f"the ledger raised {type(exc).__name__}: {exc}")
