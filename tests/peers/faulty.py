"""An MCP server in plain Python whose faults are chosen by its arguments, over standard input and output.

    python faulty.py [FAULT | NAME=VALUE ...]

What it was asked is written to the file of ``log=``, a line each, so that a test can count it.
"""

import json
import os
import signal
import subprocess
import sys
import threading
import time

LATEST = "2026-07-28"
SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId"


def options(words):
    """Faults by name: True, or the text after the equals sign."""
    return {word.partition("=")[0]: word.partition("=")[2] or True for word in words}


class Faulty:
    """What it knows and how it answers, apart from how the answers travel."""

    def __init__(self, faults, send, raw):
        self.faults = faults
        self.send = send
        self.raw = raw
        self.answers = {}
        self.waiting = {}
        self.listening = []
        self.described = "says it back"

    def log(self, line):
        if path := self.faults.get("log"):
            with open(path, "a") as file:
                file.write(line + "\n")

    def is_modern(self):
        return "modern" in self.faults

    def tools(self):
        echo = {"name": "echo", "description": self.described, "inputSchema": {"type": "object"}}
        names = [f"tool_{n}" for n in range(int(self.faults.get("tools", 0)))]
        names += [name for name in self.faults.get("names", "").split(",") if name]
        tools = [echo, *({**echo, "name": name} for name in names)]
        if "badtool" in self.faults:
            tools += [{"name": "no_schema"}, {"name": 7, "inputSchema": []}, "no object"]
        return tools

    def handle(self, message):
        """One message. Answers go out by ``send``."""
        method, id, params = message.get("method"), message.get("id"), message.get("params") or {}
        if method is None:
            self.answers[id] = message
            if id in self.waiting:
                told = message.get("error", {}).get("message") or "granted"
                self.text(self.waiting.pop(id), told)
            return
        if id is None:
            if method == "notifications/cancelled":
                self.log(f"cancelled {params['requestId']}")
                if "late" in self.faults:
                    self.text(params["requestId"], "late")
            return
        self.log(f"{method} {params.get('name', '')}".strip())
        name = method.replace("/", "_")
        getattr(self, name, self.unknown)(id, params)

    def unknown(self, id, params):
        self.error(id, -32601, "Method not found")

    def server_discover(self, id, params):
        if "nodiscover" in self.faults:
            return
        if "slow_discover" in self.faults:
            time.sleep(float(self.faults["slow_discover"]))
        if not self.is_modern():
            self.unknown(id, params)
            return
        about = {"io.modelcontextprotocol/serverInfo": {"name": "faulty", "version": "1"}}
        can = {"tools": {"listChanged": True}}
        self.result(id, {"supportedVersions": [LATEST], "capabilities": can, "_meta": about})

    def initialize(self, id, params):
        if "noinit" in self.faults:
            return
        if "exit_in_init" in self.faults:
            self.die(int(self.faults["exit_in_init"]))
        if self.is_modern():
            self.unknown(id, params)
            return
        version = self.faults.get("version", "2025-06-18")
        can = {"tools": {"listChanged": True}}
        about = {"name": "faulty", "version": "1"}
        self.result(id, {"protocolVersion": version, "capabilities": can, "serverInfo": about})

    def subscriptions_listen(self, id, params):
        if "no_listen" in self.faults:
            self.unknown(id, params)
            return
        self.listening.append(id)
        about = {"_meta": {SUBSCRIPTION: id}, "notifications": params["notifications"]}
        self.send({"jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged", "params": about})
        if "loses_listeners" in self.faults and len(self.listening) < 3:
            self.error(id, -32000, "lost")

    def tools_list(self, id, params):
        faults = self.faults
        if "nolist" in faults:
            return
        if "list_error" in faults:
            self.error(id, -32603, faults["list_error"])
        elif "no_tools" in faults:
            self.result(id, {"tool": []})
        elif "same_cursor" in faults:
            self.result(id, {"tools": [], "nextCursor": "again"})
        elif "endless" in faults:
            self.result(id, {"tools": [], "nextCursor": str(int(params.get("cursor", 0)) + 1)})
        elif "fat_pages" in faults:
            tool = {**self.tools()[0], "description": "d" * int(faults["fat_pages"])}
            self.result(id, {"tools": [tool], "nextCursor": str(int(params.get("cursor", 0)) + 1)})
        else:
            self.result(id, {"tools": self.tools()})
        if "list_then_exit" in faults:
            self.die(0)

    def tools_call(self, id, params):
        name, arguments = params["name"], params.get("arguments") or {}
        token = (params.get("_meta") or {}).get("progressToken")
        act = getattr(self, f"call_{name}", None)
        if act is None:
            self.text(id, json.dumps(arguments))
        else:
            act(id, arguments, token)

    # --- one tool for each way to fail ---

    def call_hang(self, id, arguments, token):
        pass

    def call_die(self, id, arguments, token):
        self.die(3)

    def call_partial(self, id, arguments, token):
        self.raw(b'{"jsonrpc":"2.0","id":%d,"resu' % id)
        self.die(1)

    def call_twice(self, id, arguments, token):
        self.text(id, "first")
        self.text(id, "second")

    def call_big(self, id, arguments, token):
        self.text(id, "y" * arguments["bytes"])

    def call_big_id_last(self, id, arguments, token):
        text = json.dumps({"content": [{"type": "text", "text": "y" * arguments["bytes"]}]})
        self.raw(b'{"result":%s,"jsonrpc":"2.0","id":%d}\n' % (text.encode(), id))

    def call_endless_line(self, id, arguments, token):
        for _ in range(arguments["bytes"] // 65536):
            self.raw(b" " * 65536)
        self.raw(b"\n")
        self.text(id, "after it")

    def call_heavy(self, id, arguments, token):
        self.result(id, {"content": [], "structuredContent": {"many": [[]] * arguments["parts"]}})

    def call_garbage(self, id, arguments, token):
        for line in (b"DEBUG: about to answer\n", b"\xff\xfe oops\n", b'{"jsonrpc":\n', b"[]\n", b"null\n", b"\n"):
            self.raw(line)
        self.raw(b"z" * arguments.get("bytes", 0) + b"\n")
        self.text(id, "after garbage")

    def call_bad_utf8(self, id, arguments, token):
        self.raw(b'{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"a\xffb\\ud800c"}]}}\n' % id)

    def call_big_integer(self, id, arguments, token):
        self.result(id, {"content": [], "structuredContent": {"n": 2**80, "z": None}})

    def call_no_result(self, id, arguments, token):
        self.send({"jsonrpc": "2.0", "id": id, "result": [1]})

    def call_odd_result(self, id, arguments, token):
        self.result(id, {"oops": 1})

    def call_text_id(self, id, arguments, token):
        self.text(str(id), "text id")

    def call_rpc_error(self, id, arguments, token):
        self.error(id, arguments.get("code", -32050), arguments.get("message", "it went wrong"))

    def call_progress(self, id, arguments, token):
        for step in range(arguments["steps"]):
            params = {"progressToken": token, "progress": step + 1, "total": arguments["steps"], "message": "s" * 9}
            self.send({"jsonrpc": "2.0", "method": "notifications/progress", "params": params})
        self.text(id, f"token {token is not None}")

    def call_changed(self, id, arguments, token):
        self.described = "changed"
        for about in [{"_meta": {SUBSCRIPTION: one}} for one in self.listening] if self.is_modern() else [{}]:
            self.send({"jsonrpc": "2.0", "method": "notifications/tools/list_changed", "params": about})
        self.text(id, "changed")

    def call_ask(self, id, arguments, token):
        self.waiting[f"ask-{id}"] = id
        params = {
            "messages": [],
            "maxTokens": 1,
            "message": "?",
            "requestedSchema": {"type": "object", "properties": {}},
        }
        self.send({"jsonrpc": "2.0", "id": f"ask-{id}", "method": arguments["method"], "params": params})

    def call_environment(self, id, arguments, token):
        self.result(id, {"content": [], "structuredContent": dict(os.environ)})

    def call_descriptors(self, id, arguments, token):
        self.text(id, " ".join(sorted(os.listdir("/proc/self/fd"), key=int)))

    def call_deaf(self, id, arguments, token):
        self.text(id, "deaf")
        self.log("deaf")
        time.sleep(600)

    def call_flood(self, id, arguments, token):
        """Notifications without end, and an answer among them."""
        note = {"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "x" * 200}}
        lines = {"notes": json.dumps(note).encode() + b"\n", "nothing": b"\n" * 60000, "garbage": b"no\n" * 20000}
        junk = lines[arguments.get("of", "notes")]
        threading.Thread(target=lambda: [self.raw(junk) for _ in iter(int, 1)], daemon=True).start()
        time.sleep(0.2)
        self.text(id, "flooding")

    # --- ways to answer ---

    def result(self, id, result):
        if self.is_modern():
            result = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private", **result}
        self.send({"jsonrpc": "2.0", "id": id, "result": result})

    def text(self, id, text):
        self.result(id, {"content": [{"type": "text", "text": text}]})

    def error(self, id, code, message):
        self.send({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}})

    def die(self, status):
        os._exit(status)


def main():
    faults = options(sys.argv[1:])
    lock = threading.Lock()

    def raw(data):
        with lock:
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()

    server = Faulty(faults, lambda message: raw(json.dumps(message).encode() + b"\n"), raw)
    server.log(f"start {os.getpid()}")
    if "ignore_term" in faults:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if "grandchild" in faults:
        held = subprocess.Popen(["sleep", "600"], stdin=subprocess.DEVNULL)
        server.log(f"grandchild {held.pid}")
    if said := faults.get("stderr"):
        print(said, file=sys.stderr, flush=True)
    if "exit_at_once" in faults:
        sys.exit(int(faults["exit_at_once"]))
    if "banner" in faults:
        raw(b"Welcome!\n\xff\xfe\n")
    if "stderr_flood" in faults:
        threading.Thread(target=lambda: [sys.stderr.write("e" * 4096) for _ in iter(int, 1)], daemon=True).start()
    if "never_reads" in faults:
        time.sleep(600)
    for line in sys.stdin.buffer:
        server.handle(json.loads(line))
    server.log("eof")
    if "ignore_eof" in faults:
        while True:
            time.sleep(600)


if __name__ == "__main__":
    main()
