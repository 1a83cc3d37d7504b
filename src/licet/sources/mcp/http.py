"""Streamable HTTP such that one bad answer is the end of one request, and never of the client."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import orjson

from ...model.server import ServerSpec
from .decode import Refused, decoded, read_all
from .errand import CURRENT, Fault
from .frames import id_of, is_heavy
from .limits import McpLimits

if TYPE_CHECKING:
    import httpx2

_SESSION = "mcp-session-id"
_LEAVE_S = 1.0
"""For the request that ends a session, when a connection is closed."""
_NOTICE_S = 5.0
"""For a message that has no answer."""
_CONNECT_S = 10.0
_PROBES = 3
"""Times the patience for a process: a late answer cannot be heard here."""
_ERROR_BYTES = 64 * 1024
"""Of an answer that is an error: more of it is not read."""
_STREAM = 8
"""A stream may be as long as so many of the longest messages."""

_BY_STATUS = {401: "unauthorized", 403: "forbidden", 404: "not_found", 429: "rate_limited"}
_WORD = {
    "unauthorized": "it knows no such credentials",
    "forbidden": "these credentials may not do this",
    "not_found": "nothing is there, or no longer",
    "rate_limited": "it was asked too often",
}
_ALWAYS_STATUS = frozenset((401, 403, 407, 429))
"""What they say of the way is said, whatever stands in the body."""


@asynccontextmanager
async def http(server: ServerSpec, limits: McpLimits) -> AsyncIterator[tuple[Any, Any]]:
    """The SDK's own streams over a client of ours, one for the whole life of the connection."""
    import httpx2
    from mcp.client.streamable_http import streamable_http_client

    from .plain import plain

    where = httpx2.URL(server.url)
    inner = plain(where)
    if inner is None:
        verify: Any = await asyncio.to_thread(_trusted) if where.scheme == "https" else False
        inner = httpx2.AsyncHTTPTransport(verify=verify, trust_env=False)
    timeout = httpx2.Timeout(_CONNECT_S, read=None, write=limits.list_s)
    guard = _guard(server, limits, inner)

    class Client(httpx2.AsyncClient):
        """Asks one url only, which is parsed once."""

        def build_request(self, method: str, url: Any, **parts: Any) -> httpx2.Request:
            return super().build_request(method, where, **parts)

    async with (
        Client(
            headers={**server.headers, "accept-encoding": "gzip, identity"},
            transport=guard,
            timeout=timeout,
            follow_redirects=False,
            trust_env=False,
        ) as client,
        streamable_http_client(server.url, http_client=client, max_sse_event_size=limits.line_bytes) as streams,
    ):
        yield streams


def _trusted() -> Any:
    """Reading all certificates takes a while: on a thread."""
    import httpx2

    return httpx2.create_ssl_context(trust_env=False)


def _guard(server: ServerSpec, limits: McpLimits, inner: "httpx2.AsyncBaseTransport") -> Any:
    """A transport around another, which answers an error of the protocol for whatever goes wrong below."""
    import httpx2

    origin = _origin(httpx2.URL(server.url))

    class Body(httpx2.AsyncByteStream):
        """Decoded bytes, counted."""

        def __init__(self, response: httpx2.Response, most: int) -> None:
            self._response = response
            self._most = most

        async def __aiter__(self) -> AsyncIterator[bytes]:
            try:
                async for chunk in decoded(self._response, self._most):
                    yield chunk
            except Refused as exc:
                _note(exc.fault)
                raise httpx2.SSEError(exc.fault.reason) from None

        async def aclose(self) -> None:
            await self._response.aclose()

    class Guard(httpx2.AsyncBaseTransport):
        async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
            if _origin(request.url) != origin:  # nobody follows a redirect; and if somebody did, it ends here
                return self._instead(request, Fault("redirected", "another origin was asked for", unsent=True))
            if request.method == "DELETE":
                request.extensions = {**request.extensions, "timeout": dict.fromkeys(_TIMEOUTS, _LEAVE_S)}
            patience_s = _patience(request, limits.probe_s * _PROBES)
            try:
                if patience_s is None:
                    return await self._answer(request, await inner.handle_async_request(request))
                async with asyncio.timeout(patience_s):
                    return await self._answer(request, await inner.handle_async_request(request))
            except TimeoutError:
                return self._error(request, 404, -32601, "no answer")
            except Refused as exc:
                return self._instead(request, exc.fault)
            except httpx2.TransportError as exc:
                if request.method != "POST":
                    raise  # the SDK takes it
                unsent = isinstance(exc, httpx2.ConnectError | httpx2.ConnectTimeout | httpx2.PoolTimeout)
                told = "it could not be reached" if unsent else "the connection broke before it answered"
                return self._instead(request, Fault("closed", told, unsent=unsent))

        async def _answer(self, request: httpx2.Request, response: httpx2.Response) -> httpx2.Response:
            response.request = request
            status = response.status_code
            if 300 <= status < 400:
                await response.aclose()
                raise Refused(Fault("redirected", f"it redirects (status {status}), which is not followed"))
            if request.method != "POST":
                most = limits.line_bytes * _STREAM if request.method != "GET" else 0
                return self._passed(response, Body(response, most))
            if status >= 400:
                return await self._refusal(request, response)
            kind = response.headers.get("content-type", "").lower()
            if kind.startswith("text/event-stream"):
                return self._passed(response, Body(response, limits.line_bytes * _STREAM))
            content = await read_all(response, limits.line_bytes)
            if content and not kind.startswith("application/json"):
                raise Refused(Fault("not_mcp", "it answered with something that is not JSON"))
            asked, given = id_of(request.content), id_of(content)
            if asked and given is not None and given != asked:
                raise Refused(Fault("malformed", "what it gave does not answer what it was asked"))
            if is_heavy(content, limits.message_parts):
                raise Refused(Fault("too_long", f"it gave an answer of more than {limits.message_parts} parts"))
            return self._passed(response, content)

        async def _refusal(self, request: httpx2.Request, response: httpx2.Response) -> httpx2.Response:
            status = response.status_code
            content = await read_all(response, _ERROR_BYTES, cut=True)
            lost = _SESSION in request.headers and (status == 404 or (status == 400 and b"session" in content.lower()))
            if status not in _ALWAYS_STATUS and not lost and _is_error(content):
                return self._passed(response, content, kind="application/json")
            reason = _BY_STATUS.get(status, "server_error" if status >= 500 else "http_error")
            told = f"it answered with status {status}"
            told += f": {_WORD[reason]}" if reason in _WORD else ""
            raise Refused(Fault(reason, told, session_lost=lost))

        def _passed(
            self, response: httpx2.Response, body: "bytes | httpx2.AsyncByteStream", kind: str = ""
        ) -> httpx2.Response:
            """The same answer with a body that was decoded already."""
            dropped = (b"content-encoding", b"content-length", b"transfer-encoding")
            headers = [(name, value) for name, value in response.headers.raw if name.lower() not in dropped]
            if kind:
                headers = [pair for pair in headers if pair[0].lower() != b"content-type"]
                headers.append((b"content-type", kind.encode()))
            if isinstance(body, bytes):
                return httpx2.Response(response.status_code, headers=headers, content=body)
            return httpx2.Response(response.status_code, headers=headers, stream=body)

        def _instead(self, request: httpx2.Request, fault: Fault) -> httpx2.Response:
            if request.method == "POST":
                _note(fault)
            return self._error(request, 502, -32603, fault.reason)

        def _error(self, request: httpx2.Request, status: int, code: int, message: str) -> httpx2.Response:
            body = {"jsonrpc": "2.0", "id": None, "error": {"code": code, "message": message}}
            return httpx2.Response(status, headers={"content-type": "application/json"}, content=orjson.dumps(body))

        async def aclose(self) -> None:
            await inner.aclose()

    return Guard()


_TIMEOUTS = ("connect", "read", "write", "pool")


def _note(fault: Fault) -> None:
    """Write it down for whoever asked: the SDK runs this in the context of the one who did."""
    errand = CURRENT.get()
    if errand is not None:
        errand.fault = fault


def _patience(request: "httpx2.Request", probe_s: float) -> float | None:
    """Seconds for an answer. None: whoever asked ends it; what nobody waits for holds up what comes after it."""
    if request.method != "POST":
        return None
    if request.headers.get("mcp-method") == "server/discover":
        return probe_s
    content = request.content
    if len(content) > _ERROR_BYTES:
        return None
    body = orjson.loads(content)
    return None if "id" in body and "method" in body else _NOTICE_S


def _is_error(content: bytes) -> bool:
    """Whether it is an error of the protocol, which tells more than the status."""
    try:
        body = orjson.loads(content)
    except ValueError:
        return False
    error = body.get("error") if isinstance(body, dict) and body.get("jsonrpc") == "2.0" else None
    return isinstance(error, dict) and type(error.get("code")) is int and isinstance(error.get("message"), str)


def _origin(url: "httpx2.URL") -> tuple[str, str, int | None]:
    return url.scheme, url.host, url.port
