"""Sees every message both ways, above the transport and below the SDK's models.

Listings and answers of tools are taken out here as they came, so that no model of the SDK can fail one for a part of
it, drop its members or fill in defaults. And what nobody asked for goes no further.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from .errand import CURRENT, Errand, Fault
from .frames import Junk
from .limits import McpLimits

if TYPE_CHECKING:
    from mcp.shared.message import SessionMessage

_TAKEN = {"resultType": "complete", "content": [], "tools": [], "ttlMs": 0, "cacheScope": "private"}
"""What the SDK sees in place of a result that was taken: valid for both methods, in every version."""

_WANTED = frozenset(
    {
        "notifications/tools/list_changed",
        "notifications/subscriptions/acknowledged",
        "notifications/cancelled",
    }
)
_METHOD_NOT_FOUND = -32601
_UNSUPPORTED_VERSION = -32022
_WINDOW_S = 0.1


class Tap:
    """What is under way on one connection."""

    def __init__(self, limits: McpLimits, ended: Callable[[], None]) -> None:
        import mcp_types

        self._types = mcp_types
        self._results: type[Any] = mcp_types.JSONRPCResponse
        self._answers: tuple[type[Any], ...] = (mcp_types.JSONRPCResponse, mcp_types.JSONRPCError)
        self._limits = limits
        self._ended = ended
        self._asked: dict[str, tuple[str, Errand | None, bool]] = {}
        self._window = self._count = self._bytes = 0.0
        self._given_up = ""
        self._modern: list[Any] = []
        """The versions of a server that said so when it was no longer waited for."""

    @asynccontextmanager
    async def on(self, transport: Any) -> AsyncIterator[tuple["_Read", "_Write"]]:
        """The same transport, with everything on it seen."""
        async with transport as (read, write):
            yield _Read(read, self), _Write(write, self, getattr(read, "say", None))

    def sent(self, message: Any) -> Errand | None:
        """A message is about to leave. The errand that it is for."""
        method = message.method
        errand = CURRENT.get()
        params = message.params
        if errand is not None and errand.arguments is not None and method == "tools/call":
            params["arguments"] = errand.arguments
        if errand is not None and method == "initialize":  # what became of the question for its era is past
            errand.fault, errand.answered = None, False
        wants_progress = bool(params) and "progressToken" in params.get("_meta", ())
        self._asked[str(message.id)] = (method, errand, wants_progress)
        return errand

    def withdrawn(self, params: Any) -> None:
        """A request was given up; what answers it still comes too late."""
        self._asked.pop(str(params.get("requestId")), None)

    def gone(self) -> None:
        """The stream has ended."""
        self._ended()

    def patience_s(self) -> float:
        """How long its era is asked for. One that answered once is waited for."""
        return self._limits.connect_s if self._modern else self._limits.probe_s

    def give_up(self, id: Any, say: Callable[[Any], None]) -> None:
        """Answer in the server's place that it does not know what it was asked."""
        from mcp.shared.message import SessionMessage

        if str(id) in self._asked:
            self._given_up = str(id)
            error = self._types.ErrorData(code=_METHOD_NOT_FOUND, message="no answer")
            say(SessionMessage(self._types.JSONRPCError(jsonrpc="2.0", id=id, error=error)))

    def sift(self, item: Any) -> Any:
        """A message that came, as the SDK is to see it. None: it is of no use."""
        if isinstance(item, Junk):
            return self._failed(item)
        if isinstance(item, Exception):
            return None
        message = item.message
        if not isinstance(message, self._answers):
            return item if self._is_wanted(message.method, message) else None
        asked = self._asked.pop(str(message.id), None)
        if asked is None:
            if str(message.id) == self._given_up and isinstance(message, self._results):
                self._modern = message.result.get("supportedVersions") or []
            return None
        method, errand, _ = asked
        if errand is not None:
            errand.answered = True
            if method in ("tools/call", "tools/list") and isinstance(message, self._results):
                errand.answer, message.result = message.result, _TAKEN.copy()
            elif method == "initialize" and self._modern and not isinstance(message, self._results):
                # It began slowly, and is of the newest era only: with this error the SDK asks for its era once more.
                data = {"supported": self._modern, "requested": "initialize"}
                message.error = self._types.ErrorData(code=_UNSUPPORTED_VERSION, message="slow to start", data=data)
        return item

    def is_answer(self, item: "SessionMessage") -> bool:
        """Whether it was asked for."""
        return isinstance(item.message, self._answers)

    async def unasked(self, size: int) -> None:
        """Something came that nobody asked for. A server that goes on and on is read more slowly."""
        loop = asyncio.get_running_loop()
        now = loop.time()
        if now - self._window > _WINDOW_S:
            self._window, self._count, self._bytes = now, 0, 0
        self._count += 1
        self._bytes += size
        if self._count > self._limits.junk or self._bytes > self._limits.junk_bytes:
            await asyncio.sleep(self._window + _WINDOW_S - now)

    def _is_wanted(self, method: str, message: Any) -> bool:
        if getattr(message, "id", None) is not None:
            return True  # the SDK answers that nobody here does that
        if method != "notifications/progress":
            return method in _WANTED
        token = (message.params or {}).get("progressToken")
        asked = self._asked.get(str(token))
        return asked is not None and asked[2]

    def _failed(self, junk: Junk) -> "SessionMessage | None":
        """The error of the request that an unusable line answers. None: it answers none, or nobody can tell which."""
        from mcp.shared.message import SessionMessage

        id = junk.id
        if not id and junk.reason == "too_long":
            waiting = [one for one, (method, _, _) in self._asked.items() if method.startswith("tools/")]
            id = waiting[0] if len(waiting) == 1 else ""
        asked = self._asked.pop(id, None)
        if asked is None:
            return None
        if asked[1] is not None:
            asked[1].fault = Fault(junk.reason, f"it gave {junk.told}")
        error = self._types.ErrorData(code=-32603, message=junk.reason)
        return SessionMessage(self._types.JSONRPCError(jsonrpc="2.0", id=id, error=error))


class _Read:
    """The read stream of the SDK's client."""

    def __init__(self, inner: Any, tap: Tap) -> None:
        self._inner = inner
        self._tap = tap

    @property
    def last_context(self) -> Any:
        return getattr(self._inner, "last_context", None)

    async def receive(self) -> Any:
        import anyio

        try:
            return await self.__anext__()
        except StopAsyncIteration:
            raise anyio.EndOfStream from None

    def __aiter__(self) -> "_Read":
        return self

    async def __anext__(self) -> Any:
        while True:
            try:
                item = await self._inner.__anext__()
            except BaseException:
                self._tap.gone()
                raise
            sifted = self._tap.sift(item)
            if sifted is not None and self._tap.is_answer(sifted):
                return sifted
            await self._tap.unasked(item.size if isinstance(item, Junk) else 0)
            if sifted is not None:
                return sifted

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def __aenter__(self) -> "_Read":
        await self._inner.__aenter__()
        return self

    async def __aexit__(self, *exc: Any) -> Any:
        return await self._inner.__aexit__(*exc)


class _Write:
    """The write stream of the SDK's client."""

    def __init__(self, inner: Any, tap: Tap, say: Callable[[Any], None] | None) -> None:
        self._inner = inner
        self._tap = tap
        self._say = say

    async def send(self, item: "SessionMessage", /) -> None:
        import anyio

        message: Any = item.message
        errand = None
        if hasattr(message, "method"):
            if getattr(message, "id", None) is not None:
                errand = self._tap.sent(message)
                self._expect(message)
            elif message.method == "notifications/cancelled":
                self._tap.withdrawn(message.params or {})
        if errand is None:
            await self._inner.send(item)
            return
        errand.sent = True
        try:
            await self._inner.send(item)
        except (anyio.ClosedResourceError, anyio.BrokenResourceError):
            errand.sent = False
            raise

    def _expect(self, message: Any) -> None:
        if message.method == "server/discover" and self._say is not None:
            loop = asyncio.get_running_loop()
            loop.call_later(self._tap.patience_s(), self._tap.give_up, message.id, self._say)

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def __aenter__(self) -> "_Write":
        await self._inner.__aenter__()
        return self

    async def __aexit__(self, *exc: Any) -> Any:
        return await self._inner.__aexit__(*exc)
