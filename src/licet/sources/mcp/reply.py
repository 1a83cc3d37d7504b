"""One answer over HTTP/1.1, from the bytes of its connection."""

from typing import Any, NamedTuple

HEAD_BYTES = 64 * 1024
"""Of the names and values of one answer; also what may come in a row without a byte of its body."""
FIELDS = 256

Fields = list[tuple[bytes, bytes]]


class Unreadable(Exception):  # noqa: N818 - what came, and not what went wrong here
    """It is not HTTP as it is taken here."""


class Head(NamedTuple):
    status: int
    fields: Fields


class Reply:
    """Fed by the connection, taken from by whoever asked. ``bodiless``: no body follows, whatever it says (HEAD)."""

    def __init__(self, *, bodiless: bool) -> None:
        from httptools import HttpResponseParser

        self.head: Head | None = None
        self.is_whole = False
        self.is_last = True
        """The connection takes no other request."""
        self.size = 0
        """Bytes of the body that nobody has taken."""
        self._parser: Any = HttpResponseParser(self)
        self._is_bodiless = bodiless
        self._body: list[bytes] = []
        self._fields: Fields = []
        self._field_bytes = 0
        self._barren_bytes = 0

    def feed(self, data: bytes) -> None:
        """What came. Once the answer is whole, anything is too much.

        Raises:
            Unreadable: it is not the answer that was asked for, or would take too much to read.
        """
        if self.is_whole:
            raise Unreadable("more than was asked for")
        had = self.size
        try:
            self._parser.feed_data(data)
        except Exception as exc:  # the parser's own, or one of those below
            self._parser = None
            raise Unreadable(str(exc.__context__ or exc)) from None
        if self.is_whole:
            self._parser = None  # which holds this
            return
        self._barren_bytes = 0 if self.size > had else self._barren_bytes + len(data)
        if self._barren_bytes > HEAD_BYTES:
            raise Unreadable("too much around its body")

    def end(self) -> None:
        """The connection ended, which ends a body that did not say where it ends."""
        self.is_last = True
        if self.head is not None and not any(_bounds(name) for name, _ in self.head.fields):
            self.is_whole = True

    def take(self) -> bytes:
        """What there is of the body."""
        body = b"".join(self._body)
        self._body.clear()
        self.size = 0
        return body

    # --- what the parser tells ---

    def on_message_begin(self) -> None:
        if self.is_whole:
            self.is_last = True
            raise Unreadable("more than was asked for")

    def on_header(self, name: bytes, value: bytes) -> None:
        self._field_bytes += len(name) + len(value)
        self._fields.append((name, value))
        if self._field_bytes > HEAD_BYTES or len(self._fields) > FIELDS:
            raise Unreadable("too many headers")

    def on_headers_complete(self) -> None:
        status = self._parser.get_status_code()
        fields, self._fields = self._fields, []  # what comes after the last head are trailers
        if 100 <= status < 200 and status != 101:
            return
        if status < 200:
            raise Unreadable(f"status {status} was not asked for")
        if any(name.lower() == b"transfer-encoding" and value.lower() != b"chunked" for name, value in fields):
            raise Unreadable("it is packed in a way that was not offered")
        self.head = Head(status, fields)
        self.is_whole = self._is_bodiless

    def on_body(self, body: bytes) -> None:
        if not self.is_whole:
            self._body.append(body)
            self.size += len(body)

    def on_message_complete(self) -> None:
        if self.head is not None and not self.is_whole:
            self.is_whole = True
            self.is_last = not self._parser.should_keep_alive()


def _bounds(name: bytes) -> bool:
    return name.lower() in (b"content-length", b"transfer-encoding")
