"""One server for all wires: it answers what it was told to, in order, and remembers what it was asked."""

import json
import socket
import threading
from collections.abc import Iterable
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple, Protocol, Self

from .reply import Broken, Cut, Hang, Mixed, Reply, Said, Status


class Asked(NamedTuple):
    """One request."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]


class Wire(Protocol):
    """A provider's module."""

    def whole(self, said: Said) -> bytes: ...

    def pieces(self, said: Said) -> list[bytes]: ...

    def error(self, status: Status) -> bytes: ...

    def streams(self, asked: Asked) -> bool: ...

    STREAM: str


class Loopback:
    """Use as ``with Loopback(wire, *replies) as server``. The last reply is given again and again."""

    def __init__(self, wire: Any, *replies: Reply) -> None:
        self.wire = wire
        self.replies = list(replies)
        self.asked: list[Asked] = []
        self.begun = threading.Event()
        """Set once a request is there."""
        self.hung = threading.Event()
        """Set once one is not answered."""
        self.closing = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self._server.block_on_close = False
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def next(self) -> Reply:
        return self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def _handler(server: Loopback) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def handle(self) -> None:
            with suppress(ConnectionResetError):  # whoever asked has heard enough
                super().handle()

        def do_POST(self) -> None:
            length = int(self.headers.get("content-length") or 0)
            body = json.loads(self.rfile.read(length) or b"{}")
            asked = Asked(self.path, {name.lower(): value for name, value in self.headers.items()}, body)
            server.asked.append(asked)
            server.begun.set()
            with suppress(BrokenPipeError, ConnectionResetError):
                self._answer(asked, server.next())

        def _answer(self, asked: Asked, reply: Reply) -> None:
            wire, streams = server.wire, server.wire.streams(asked)
            match reply:
                case Status(code, headers):
                    self._whole(wire.error(reply), code, headers)
                case Broken(body, code, headers):
                    self._whole(body, code, headers)
                case Said() if streams:
                    self._pieces(wire.pieces(reply))
                    self._end()
                case Said():
                    self._whole(wire.whole(reply))
                case Mixed(said, order):
                    self._pieces(order(wire.pieces(said)))
                    self._end()
                case Cut(said, count, cleanly) if streams:
                    self._pieces(wire.pieces(said)[:count])
                    if cleanly:
                        self._end()
                    else:
                        self._drop()
                case Cut(said):
                    whole = wire.whole(said)
                    self._head({"content-type": "application/json", "content-length": str(len(whole))})
                    self.wfile.write(whole[: len(whole) // 2])
                    self.wfile.flush()
                    self._drop()
                case Hang(said):
                    if said is not None and streams:
                        self._pieces(wire.pieces(said)[:2])
                    server.hung.set()
                    server.closing.wait(30)
                    self._drop()

        def _head(self, headers: dict[str, str], code: int = 200) -> None:
            self.send_response(code)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()

        def _whole(self, body: bytes, code: int = 200, headers: Any = ()) -> None:
            self._head({"content-type": "application/json", "content-length": str(len(body)), **dict(headers)}, code)
            self.wfile.write(body)

        def _pieces(self, pieces: Iterable[bytes]) -> None:
            self._head({"content-type": server.wire.STREAM, "transfer-encoding": "chunked"})
            for piece in pieces:
                self.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece))
                self.wfile.flush()

        def _end(self) -> None:
            self.wfile.write(b"0\r\n\r\n")

        def _drop(self) -> None:
            self.close_connection = True
            with suppress(OSError):
                self.connection.shutdown(socket.SHUT_RDWR)

        def log_message(self, format: str, *args: object) -> None:
            """Nothing: tests say what they saw."""

    return Handler


__all__ = ["Asked", "Loopback", "Wire"]
