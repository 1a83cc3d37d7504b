"""The checks before anything of the protocol is read over HTTP: who asks, from where, and how much."""

import asyncio
import hmac
import logging
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

import orjson

from .strictly import readable

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]
Refusal = tuple[int, str]

PATH = "/mcp"

MAX_BODY = 4 << 20
"""Bytes of one request."""

BODY_S = 30.0
"""For a request to arrive whole."""

_METHODS = frozenset(("GET", "POST", "DELETE"))
_INVALID_REQUEST = -32600
_log = logging.getLogger("licet.gateway")


class Door:
    """Lets in what speaks to this very host and port, from no foreign page, with the token, as JSON.

    ``token`` None asks for none. Nothing behind it can show a traceback, and no header reaches further than the SDK.
    """

    def __init__(self, app: App, *, port: int, token: str | None) -> None:
        at = "" if port == 80 else f":{port}"
        self._app = app
        self._hosts = frozenset(f"{name}{at}".encode() for name in ("127.0.0.1", "localhost"))
        self._origins = frozenset(b"http://" + host for host in self._hosts)
        self._bearer = None if token is None else f"Bearer {token}".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return  # no web sockets, and no lifespan: whoever made the application runs it
        begun = False

        async def sent(message: MutableMapping[str, Any]) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            await self._through(scope, receive, sent)
        except Exception as exc:  # most often a client that is gone: nobody is left to be answered
            _log.debug("a request over HTTP ended early", exc_info=exc)
            if not begun:
                await _refuse(send, 500, "this request cannot be answered")

    async def _through(self, scope: Scope, receive: Receive, send: Send) -> None:
        # White space around a value is no part of it (RFC 9110, section 5.5), and not every parser takes it off.
        scope["headers"] = [(name, value.strip(b" \t")) for name, value in scope["headers"]]
        refusal = self._refusal(scope)
        if refusal is None and scope["method"] == "POST":
            body = await _body(scope, receive)
            if isinstance(body, bytes):
                receive = _replayed(readable(body), receive)
            else:
                refusal = body
        if refusal is not None:
            await _refuse(send, *refusal)
        else:
            await self._app(scope, receive, send)

    def _refusal(self, scope: Scope) -> Refusal | None:
        if _only(scope, b"host") not in self._hosts:
            return 421, "the Host header is not this server's address"
        if _only(scope, b"origin") not in (None, *self._origins):
            return 403, "no page of another origin may ask"
        if self._bearer is not None and not hmac.compare_digest(_only(scope, b"authorization") or b"", self._bearer):
            return 401, "a token is needed"
        if scope["path"] != PATH:
            return 404, f"there is nothing here but {PATH}"
        if scope["method"] not in _METHODS:
            return 405, "use POST, GET or DELETE"
        if scope["method"] == "POST" and _media_type(scope) != b"application/json":
            return 415, "send application/json"
        return None


TWICE = b"\0"
"""In place of a header that stands twice: it equals nothing that is allowed."""


def _only(scope: Scope, name: bytes) -> bytes | None:
    values = [value for key, value in scope["headers"] if key == name]
    return values[0] if len(values) == 1 else TWICE if values else None


def _media_type(scope: Scope) -> bytes:
    return (_only(scope, b"content-type") or b"").partition(b";")[0].strip().lower()


async def _body(scope: Scope, receive: Receive) -> bytes | Refusal:
    length = _only(scope, b"content-length") or b"0"
    if not length.isdigit() or int(length[:20]) > MAX_BODY:
        return 413, f"a request has at most {MAX_BODY} bytes"
    held = bytearray()
    try:
        async with asyncio.timeout(BODY_S):
            while True:
                message = await receive()
                if message["type"] != "http.request":
                    raise ConnectionError("the client went away")
                held += message.get("body", b"")
                if len(held) > MAX_BODY:
                    return 413, f"a request has at most {MAX_BODY} bytes"
                if not message.get("more_body", False):
                    return bytes(held)
    except TimeoutError:
        return 408, f"a request arrives within {BODY_S:g} seconds"


def _replayed(body: bytes, receive: Receive) -> Receive:
    waiting = [{"type": "http.request", "body": body, "more_body": False}]

    async def next_message() -> MutableMapping[str, Any]:
        return waiting.pop() if waiting else await receive()

    return next_message


async def _refuse(send: Send, status: int, told: str) -> None:
    error = {"jsonrpc": "2.0", "id": None, "error": {"code": _INVALID_REQUEST, "message": told}}
    body = orjson.dumps(error)
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    if status == 401:
        headers.append((b"www-authenticate", b'Bearer realm="licet"'))
    if status in (408, 413):
        headers.append((b"connection", b"close"))  # the rest of the body is not read
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


__all__ = ["MAX_BODY", "PATH", "Door"]
