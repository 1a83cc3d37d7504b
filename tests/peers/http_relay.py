"""A relay in front of a server over HTTP, in a thread of the test: it notes what passes and can change a listing."""

import json
import threading
from http.client import HTTPConnection, HTTPResponse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from urllib.parse import urlsplit

from peers.relay import passing, rewritten

HOP_BY_HOP = {"connection", "content-length", "host", "keep-alive", "transfer-encoding"}


class HttpRelay:
    """``with HttpRelay(url) as relay``: ``relay.url`` leads to the same server, ``relay.passed`` holds what went to it,
    and ``relay.change`` is the tool that every later listing describes otherwise."""

    def __init__(self, url: str) -> None:
        self.passed: list[str] = []
        self.change = ""
        target = urlsplit(url)
        relay = self

        class Handler(BaseHTTPRequestHandler):
            def relay(self) -> None:
                body = self.rfile.read(int(self.headers.get("content-length", 0)))
                what = passing(json.loads(body)) if body else self.command
                relay.passed.append(what)
                upstream = HTTPConnection(target.hostname or "", target.port)
                kept = {name: value for name, value in self.headers.items() if name.lower() not in HOP_BY_HOP}
                upstream.request(self.command, self.path, body or None, kept)
                answer = upstream.getresponse()
                self.send_response(answer.status)
                for name, value in answer.getheaders():
                    if name.lower() not in HOP_BY_HOP:
                        self.send_header(name, value)
                self.end_headers()
                if what == "tools/list" and relay.change:
                    self.wfile.write(changed(answer, relay.change))
                else:
                    while piece := answer.read1():
                        self.wfile.write(piece)
                upstream.close()

            do_GET = do_POST = do_DELETE = relay  # noqa: N815 - the names that the server looks for

            def log_message(self, *_: object) -> None:
                """Nothing to standard error."""

        class Server(ThreadingHTTPServer):
            def handle_error(self, *_: object) -> None:
                """A client that goes away ends its own thread."""

        self._server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}{target.path}"

    def __enter__(self) -> "HttpRelay":
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, _: type[BaseException] | None, __: BaseException | None, ___: TracebackType | None) -> None:
        self._server.shutdown()
        self._server.socket.close()


def changed(answer: HTTPResponse, tool: str) -> bytes:
    """The listing of an answer that is one JSON document, or a stream of events."""
    text = answer.read().decode()
    if not answer.getheader("content-type", "").startswith("text/event-stream"):
        return json.dumps(rewritten(json.loads(text), tool)).encode()
    lines = []
    for line in text.splitlines():
        data = line.removeprefix("data:")
        lines.append(
            "data: " + json.dumps(rewritten(json.loads(data), tool)) if data != line and data.strip() else line
        )
    return "\n".join([*lines, "", ""]).encode()
