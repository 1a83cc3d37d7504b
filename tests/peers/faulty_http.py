"""The server of ``faulty.py`` over streamable HTTP on 127.0.0.1, with the faults that only HTTP has.

    python faulty_http.py [FAULT | NAME=VALUE ...]

It writes its port in one line, and serves until its standard input ends. Faults of HTTP: ``status=401`` for all
requests, ``call_status=404`` for calls, ``call_kind=html|drop|bomb|hang|stream_then_drop|accepted|redirect``, ``sse``
for answers as a stream, ``session`` for a session id.
"""

import contextlib
import gzip
import json
import os
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from faulty import Faulty, options

FAULTS = options(sys.argv[1:])
FORGOT = []


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.plain(405, b"", "text/plain")

    def do_DELETE(self):
        if "deaf_delete" in FAULTS:
            time.sleep(600)
        self.plain(200, b"", "text/plain")

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        method = body.get("method", "answer")
        said = []
        server = Faulty(FAULTS, said.append, lambda data: None)
        given = self.headers.get("authorization", "")
        server.log(f"http {method} {given}".strip())
        is_call = method == "tools/call"
        if is_call and "forgets_once" in FAULTS and not FORGOT:
            FORGOT.append(body)
            self.plain(404, b"", "text/plain")
            return
        if status := FAULTS.get("status") or (is_call and FAULTS.get("call_status")):
            self.plain(int(status), FAULTS.get("body", "<h1>no</h1>").encode(), FAULTS.get("kind", "text/html"))
            return
        if where := FAULTS.get("redirect"):
            self.plain(307, b"", "text/plain", location=where)
            return
        if is_call and (kind := FAULTS.get("call_kind")):
            server.log(f"ran {body['params']['name']}")
            getattr(self, kind)(body)
            return
        server.handle(body)
        if "id" not in body or "method" not in body:
            self.plain(202, b"", "text/plain")
            return
        if not said:
            time.sleep(600)
        data = json.dumps(said[-1]).encode()
        if "sse" in FAULTS:
            events = b"".join(b"event: message\ndata: " + json.dumps(one).encode() + b"\n\n" for one in said)
            self.plain(200, events, "text/event-stream")
        else:
            extra = {"Mcp-Session-Id": "s-1"} if "session" in FAULTS and method == "initialize" else {}
            self.plain(200, data, "application/json", **extra)

    # --- ways to answer a call ---

    def html(self, body):
        self.plain(200, b"<html>hello</html>", "text/html")

    def accepted(self, body):
        self.plain(202, b"", "text/plain")

    def hang(self, body):
        time.sleep(600)

    def drop(self, body):
        self.head(200, "application/json", 1000)
        self.cut()

    def stream_then_drop(self, body):
        self.head(200, "text/event-stream", 1000)
        self.wfile.write(b": hello\n\n")
        self.cut()

    def bomb(self, body):
        packed = gzip.compress(b"0" * (200 * 1024 * 1024), 1)
        self.head(200, "application/json", len(packed), **{"Content-Encoding": "gzip"})
        self.wfile.write(packed)

    def strange_packing(self, body):
        self.head(200, "application/json", 3, **{"Content-Encoding": "br"})
        self.wfile.write(b"abc")

    def other_id(self, body):
        self.plain(200, b'{"jsonrpc": "2.0", "id": 99, "result": {"content": []}}', "application/json")

    def no_id(self, body):
        error = b'{"jsonrpc": "2.0", "id": null, "error": {"code": 1, "message": "whose?"}}'
        self.plain(200, error, "application/json")

    def a_note(self, body):
        self.plain(200, b'{"jsonrpc": "2.0", "method": "notifications/message", "params": {}}', "application/json")

    def no_json(self, body):
        self.plain(200, b"{'no': json}", "application/json")

    def packed(self, body):
        answer = {"jsonrpc": "2.0", "id": body["id"], "result": {"content": [{"type": "text", "text": "g" * 100_000}]}}
        data = gzip.compress(json.dumps(answer).encode())
        self.head(200, "application/json", len(data), **{"Content-Encoding": "gzip"})
        self.wfile.write(data)

    def endless(self, body):
        self.head(200, "application/json", 1 << 40)
        try:
            while True:
                self.wfile.write(b" " * 65536)
        except OSError:
            self.cut()

    def big_event(self, body):
        self.head(200, "text/event-stream", 1 << 40)
        try:
            self.wfile.write(b"data: ")
            while True:
                self.wfile.write(b"0" * 65536)
        except OSError:
            self.cut()

    def redirect(self, body):
        self.plain(307, b"", "text/plain", location=FAULTS["to"])

    # --- parts ---

    def plain(self, status, data, kind, **extra):
        self.head(status, kind, len(data), **extra)
        self.wfile.write(data)

    def head(self, status, kind, length, **extra):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(length))
        for name, value in extra.items():
            self.send_header(name, value)
        self.end_headers()

    def cut(self):
        self.close_connection = True
        with contextlib.suppress(OSError):
            self.wfile.flush()
            self.connection.shutdown(2)


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, *_):
        pass  # whoever asked went away in the middle of an answer


def main():
    server = Server(("127.0.0.1", int(FAULTS.get("port", 0))), Handler)
    print(server.server_address[1], flush=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    sys.stdin.read()
    os._exit(0)


if __name__ == "__main__":
    main()
