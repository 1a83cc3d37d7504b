"""What both ports have in common: a bearer token, a bounded body, and an answer in JSON."""

import json
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

MOST_BODY = 1 << 20


def header(scope: Scope, name: bytes) -> str | None:
    """The one header of this name; None where there is none, or several."""
    found = [value for key, value in scope["headers"] if key.lower() == name]
    return found[0].decode("latin-1") if len(found) == 1 else None


def bearer(scope: Scope) -> str:
    """The token of the request; empty: there is none."""
    scheme, _, token = (header(scope, b"authorization") or "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


async def body(receive: Receive) -> bytes | None:
    """The whole body; None: it is too large, or the other side went away."""
    read: bytes = b""
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return None
        read += bytes(message.get("body", b""))
        if len(read) > MOST_BODY:
            return None
        if not message.get("more_body"):
            return read


async def answer(send: Send, status: int, value: Any) -> None:
    text = json.dumps(value, ensure_ascii=False).encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(text)).encode()),
        (b"cache-control", b"no-store"),
    ]
    if status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": text})


def error(status: int, code: str, message: str) -> dict[str, Any]:
    return {"error": {"status": status, "code": code, "message": message}}


__all__ = ["MOST_BODY", "App", "Receive", "Scope", "Send", "answer", "bearer", "body", "error", "header"]
