"""An MCP server whose tools are its own, over standard input and output. Its argument is the promise that it breaks."""

import json
import sys

import jsonschema_rs

FAULT = sys.argv[1] if len(sys.argv) > 1 else ""
SCHEMA = {
    "type": "object",
    "properties": {
        "a": {"type": "integer", "maximum": 1000},
        "b": {"type": "integer", "maximum": 1000},
        "how": {"enum": ["add", "multiply"]},
    },
    "required": ["a", "b"],
    "additionalProperties": False,
}
OVERLOOKED = {
    "arguments.required": "required",
    "arguments.type": "type",
    "arguments.extra": "additionalProperties",
    "arguments.enum": "enum",
    "arguments.bound": "maximum",
}
ALIKE = {
    "names.case": str.lower,
    "names.look-alike": lambda name: name.replace("\u200b", ""),
    "names.space": str.strip,
    "names.prefix": lambda name: name.rpartition(".")[2],
    "names.longer": lambda name: name.removesuffix("_2"),
}
listings = calls = 0


def listed():
    global listings
    listings += 1
    names = {"names.valid": ("sum up", "wipe"), "names.distinct": ("sum", "sum")}.get(FAULT, ("sum", "wipe"))
    told = "changed" if FAULT == "arguments.schema" and listings > 1 else "Sums two numbers."
    hints = {"readOnlyHint": True} if FAULT != "no hints" else {}
    first = {"name": names[0], "description": told, "inputSchema": SCHEMA, "annotations": hints}
    return [first, {"name": names[1], "description": "Wipes all.", "inputSchema": {"type": "object"}}]


def called(name, arguments):
    global calls
    calls += 1
    name = ALIKE.get(FAULT, str)(name)
    if name == "wipe":
        with open("wiped", "w"):
            return text("wiped")
    is_unknown = (name == "" and FAULT == "names.empty") or ("no_such" in name and FAULT == "names.unknown")
    if name not in ("sum", "sum up") and not is_unknown:
        raise LookupError(name)
    errors = jsonschema_rs.validator_for(SCHEMA).iter_errors(arguments)
    wrong = [one for one in errors if list(one.schema_path)[-1] != OVERLOOKED.get(FAULT)]
    if wrong and not is_unknown:
        return {**text(wrong[0].message), "isError": True}
    if FAULT == "once.own" and calls > 6:
        return {**text("too much at once"), "isError": True}
    return text("42")


def text(words):
    return {"content": [{"type": "text", "text": words}], "isError": False}


for line in sys.stdin:
    message = json.loads(line)
    method, params = message.get("method"), message.get("params", {})
    answer = {}
    if method == "initialize":
        answer["result"] = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {}}
    elif method == "tools/list":
        answer["result"] = {"tools": listed()}
    elif method == "tools/call":
        try:
            answer["result"] = called(params["name"], params["arguments"])
        except LookupError:
            answer["error"] = {"code": -32602, "message": "there is no such tool"}
    if answer and FAULT != "hangs":
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **answer}), flush=True)
    if FAULT == "twice" and answer:
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **answer}), flush=True)
    if FAULT == "chatters":
        print("\x1b[2Jlistening", flush=True)
