"""Requests over plain HTTP/1.1 to one server, as the client of the SDK sends them: no proxy, no environment."""

import re
from typing import TYPE_CHECKING, Self

from .pool import Pool
from .wire import Wire

if TYPE_CHECKING:
    import httpx2

_TOKEN = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_VALUE = re.compile(rb"[\t\x20-\x7e\x80-\xff]*")
_TARGET = re.compile(rb"[\x21-\x7e]+")
_FRAMING = (b"content-length", b"transfer-encoding")
_BODILESS = ("GET", "HEAD", "DELETE")
"""Methods that need not say that they have no body."""


def plain(url: "httpx2.URL") -> "httpx2.AsyncBaseTransport | None":
    """A transport to where the url leads. None: it is no ``http://``, or the parser is not installed."""
    import httpx2

    if url.scheme != "http" or not _has_parser():
        return None
    pool = Pool(url.raw_host.decode(), url.port or 80)

    class Body(httpx2.AsyncByteStream):
        """Takes what comes until it is closed: from then on the connection is somebody else's."""

        def __init__(self, wire: Wire, read_s: float | None) -> None:
            self._wire: Wire | None = wire
            self._read_s = read_s

        def __aiter__(self) -> Self:
            return self

        async def __anext__(self) -> bytes:
            if self._wire is None:
                raise httpx2.StreamClosed
            if body := await self._wire.read(self._read_s):
                return body
            raise StopAsyncIteration

        async def aclose(self) -> None:
            wire, self._wire = self._wire, None
            if wire is not None:
                pool.give(wire)

    class Plain(httpx2.AsyncBaseTransport):
        async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
            written = _written(request, await request.aread())
            patience = request.extensions.get("timeout", {})
            read_s = patience.get("read")
            wire = await pool.take(patience)
            try:
                head = await wire.ask(
                    written, bodiless=request.method == "HEAD", write_s=patience.get("write"), read_s=read_s
                )
            except BaseException:
                pool.give(wire)
                raise
            return httpx2.Response(head.status, headers=head.fields, stream=Body(wire, read_s))

        async def aclose(self) -> None:
            await pool.close()

    return Plain()


def _has_parser() -> bool:
    try:
        import httptools  # noqa: F401 - whether it is there
    except ImportError:
        return False
    return True


def _written(request: "httpx2.Request", body: bytes) -> bytes:
    """All of it. Where it ends is said here, whatever its headers say.

    Raises:
        httpx2.LocalProtocolError: a name or a value would be more than itself. Nothing is sent.
    """
    import httpx2

    method, target = request.method.encode(), request.url.raw_path
    fields = [pair for pair in request.headers.raw if pair[0].lower() not in _FRAMING]
    if body or request.method not in _BODILESS:
        fields.append((b"Content-Length", b"%d" % len(body)))
    if not (
        _TOKEN.fullmatch(method)
        and _TARGET.fullmatch(target)
        and all(_TOKEN.fullmatch(name) and _VALUE.fullmatch(value) for name, value in fields)
    ):
        raise httpx2.LocalProtocolError("a header that cannot be written")
    lines = [b"%b: %b\r\n" % pair for pair in fields]
    return b"".join((method, b" ", target, b" HTTP/1.1\r\n", *lines, b"\r\n", body))
