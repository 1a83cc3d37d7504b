"""What a model was asked and said, as entries: enough to go on from, and to tell that it was so.

``model.begun`` holds what was said first, ``model.asked`` the digest of everything sent and the results among it,
``model.answered`` the words and calls, ``model.ended`` why there was no further. No key is among it; arguments are
redacted and capped as those of calls are.
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import orjson

from ...dialects.untrusted import escaped
from ...ledger.redact import redact
from ...model.call import Request
from ...model.entry import Draft
from ...model.result import ToolResult
from ...model.tool import Offered
from ...ports import Clock, Ledger, Message, Model
from ...runtime.append import append
from ...runtime.clock import SystemClock
from ...runtime.run import Run
from ...schema.canonical import NotJson, freeze, freeze_text
from ..spoken.digest import EMPTY, digest_of_result, sent_after
from ..spoken.entries import ANSWERED, ASKED, BEGUN, ENDED
from .withheld import withheld

MOST_VALUE_BYTES = 64 * 1024
"""Of one text, or of the arguments of one call."""

MOST_ARGUMENT_BYTES = 1024 * 1024


class Record:
    """Writes the entries of one loop. ``sent`` is the digest of the conversation as far as it was sent."""

    def __init__(self, ledger: Ledger, run: Run, *, clock: Clock | None = None, sent: str = EMPTY) -> None:
        self.sent = sent
        self._ledger = ledger
        self._run = run
        self._clock = clock or SystemClock()
        self._key = os.urandom(32)
        self._asked = 0

    @property
    def goes_on(self) -> bool:
        """Whether what was said before stands on the ledger already."""
        return self.sent != EMPTY

    async def begun(self, model: Model, said: Sequence[Message], tools: Sequence[Offered]) -> None:
        """Which model, what it is told first, what it is offered. Raises LedgerUnavailableError."""
        if self._run.may_go_on and not self._run.answers:
            who = self._run.principal.name
            answers = [entry for entry in self._ledger.entries(self._run.id) if entry.kind == ANSWERED]
            self._run.answers = sum(entry.actor == who for entry in answers)
        told = [{"role": message.role, "text": self._text(message.text)} for message in said]
        kept_back = withheld(model, tools)
        offered = [tool.name for tool in tools if tool.name not in kept_back]
        body: dict[str, Any] = {"from": self.sent, "model": model.name, "said": told, "tools": offered}
        if kept_back:
            body["withheld"] = {name: escaped(why) for name, why in kept_back.items()}
        packed = await self._put(BEGUN, body)
        self.sent = sent_after(self.sent, packed)

    async def asked(self, results: Iterable[ToolResult]) -> None:
        """It is about to be asked. ``results`` are those that it has not seen yet. Raises LedgerUnavailableError."""
        told = [_told(result) for result in results]
        self.sent = sent_after(self.sent, *(one["digest"].encode() for one in told))
        self._asked += 1
        await self._put(ASKED, {"ask": self._asked, "results": told, "sent": self.sent})

    async def answered(self, said: Message, requests: Sequence[Request]) -> None:
        """What it said. ``requests`` are its calls under the ids of the ledger. Raises LedgerUnavailableError."""
        calls = [self._call(asked, request) for asked, request in zip(said.calls, requests, strict=True)]
        body: dict[str, Any] = {"calls": calls, "ended": said.ended, "text": self._text(said.text)}
        if said.usage != (0, 0):
            body["usage"] = {"input": said.usage.input_tokens, "output": said.usage.output_tokens}
        if said.lost != (0, 0):
            body["lost"] = {"input": said.lost.input_tokens, "output": said.lost.output_tokens}
        if said.hosted:
            body["hosted"] = len(said.hosted)
        self.sent = sent_after(self.sent, await self._put(ANSWERED, body))

    async def ended(self, stop: str, **counts: int) -> None:
        """Why it is not asked further. Raises LedgerUnavailableError."""
        await self._put(ENDED, {"stop": stop, **counts})

    def own_id(self) -> str:
        """An id for a call whose model gave it none; no model can say it."""
        return f":{self._run.mint()}"

    def _call(self, asked: Request, request: Request) -> dict[str, Any]:
        shown, is_whole = _shown(asked.arguments, self._key)
        told: dict[str, Any] = {
            "arguments": orjson.Fragment(shown),
            "call": request.call_id,
            "tool": escaped(asked.tool),
        }
        if asked.call_id is not None:
            told["id"] = escaped(asked.call_id)[:512]
        if not is_whole:
            told["partly"] = True
        return told

    def _text(self, text: str) -> Any:
        packed = orjson.dumps(text.encode("utf-8", "backslashreplace").decode())
        if len(packed) <= MOST_VALUE_BYTES:
            return orjson.Fragment(packed)
        return orjson.Fragment(redact(packed, key=self._key, limit_bytes=MOST_VALUE_BYTES))

    async def _put(self, kind: str, body: Mapping[str, Any]) -> bytes:
        packed = orjson.dumps(body, option=orjson.OPT_SORT_KEYS)
        trace = b'{"at_us":%d}' % (self._clock.time_ns() // 1000)
        draft = Draft(self._run.id, kind, self._run.principal.name, packed, trace)
        await append(self._ledger, draft, durable=False)
        return packed


def record_for(model: Model, ledger: Ledger, run: Run, *, clock: Clock | None = None) -> Record | None:
    """A record, if the model is one whose words nobody could tell again: a provider's (``recorded`` is True)."""
    return Record(ledger, run, clock=clock) if getattr(model, "recorded", False) else None


def _told(result: ToolResult) -> dict[str, str]:
    told = {"call": result.call_id, "digest": digest_of_result(result)}
    if result.code is not None:
        told["code"] = result.code
    if result.reason:
        told["reason"] = result.reason
    return told


def _shown(arguments: Mapping[str, Any] | str | bytes | None, key: bytes) -> tuple[bytes, bool]:
    """Arguments as JSON: an object, or the text that is none; and whether that is all of them."""
    try:
        if isinstance(arguments, str | bytes):
            packed, read = freeze_text(arguments, limit_bytes=MOST_ARGUMENT_BYTES)
        else:
            packed, read = freeze({} if arguments is None else dict(arguments), limit_bytes=MOST_ARGUMENT_BYTES)
    except (NotJson, TypeError, ValueError):
        read = None
    if isinstance(read, dict):
        shown = redact(packed, key=key, limit_bytes=MOST_VALUE_BYTES)
        return shown, shown is packed
    if not isinstance(arguments, str | bytes):
        return orjson.dumps(f"<{type(arguments).__name__}>"), False
    text = arguments if isinstance(arguments, str) else arguments.decode("utf-8", "backslashreplace")
    data = text.encode("utf-8", "backslashreplace")
    shown = redact(data, key=key, limit_bytes=MOST_VALUE_BYTES)
    return (orjson.dumps(data.decode()), True) if shown is data else (shown, False)


__all__ = ["MOST_VALUE_BYTES", "Record", "record_for"]
