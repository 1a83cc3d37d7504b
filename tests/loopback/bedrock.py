"""The wire of Bedrock's Converse, ``POST /model/NAME/converse``; its stream is framed as AWS event streams are."""

import json
import struct
import zlib
from typing import Any

from . import sse
from .reply import Call, Said, Status
from .server import Asked

STREAM = "application/vnd.amazon.eventstream"


def streams(asked: Asked) -> bool:
    return asked.path.endswith("/converse-stream")


def _end(said: Said) -> str:
    return said.end or ("tool_use" if said.calls else "end_turn")


def _usage(said: Said) -> dict[str, int]:
    sent, got = said.tokens
    return {"inputTokens": sent, "outputTokens": got, "totalTokens": sent + got}


def _block(place: int, call: Call) -> str:
    id = f"tooluse_{place}" if call.id is None else call.id
    head = json.dumps({"toolUseId": id, "name": call.name})
    return f'{{"toolUse": {head[:-1]}, "input": {call.arguments}}}}}'


def whole(said: Said) -> bytes:
    blocks = [json.dumps(item) for item in said.items]
    blocks += [json.dumps({"text": said.text})] if said.text else []
    blocks += (_block(place, call) for place, call in enumerate(said.calls))
    rest = {"stopReason": _end(said), "usage": _usage(said), "metrics": {"latencyMs": 1}}
    message = f'{{"role": "assistant", "content": [{", ".join(blocks)}]}}'
    return f'{json.dumps(rest)[:-1]}, "output": {{"message": {message}}}}}'.encode()


def pieces(said: Said) -> list[bytes]:
    frames = [framed("messageStart", {"role": "assistant"})]
    parts: list[tuple[dict[str, Any] | None, list[dict[str, Any]]]] = []
    if said.text:
        parts.append((None, [{"text": half} for half in sse.halves(said.text)]))
    for item in said.items:
        start = {key: value for key, value in item["toolUse"].items() if key != "input"}
        deltas = [{"toolUse": {"input": half}} for half in sse.halves(json.dumps(item["toolUse"]["input"]))]
        parts.append(({"toolUse": start}, deltas))
    for place, call in enumerate(said.calls):
        id = f"tooluse_{place}" if call.id is None else call.id
        deltas = [{"toolUse": {"input": half}} for half in sse.halves(call.arguments)]
        parts.append(({"toolUse": {"toolUseId": id, "name": call.name}}, deltas))
    for index, (start, deltas) in enumerate(parts):
        if start is not None:
            frames.append(framed("contentBlockStart", {"contentBlockIndex": index, "start": start}))
        frames += (framed("contentBlockDelta", {"contentBlockIndex": index, "delta": delta}) for delta in deltas)
        frames.append(framed("contentBlockStop", {"contentBlockIndex": index}))
    frames.append(framed("messageStop", {"stopReason": _end(said)}))
    frames.append(framed("metadata", {"usage": _usage(said), "metrics": {"latencyMs": 1}}))
    return frames


def framed(kind: str, payload: dict[str, Any]) -> bytes:
    """One message: lengths, their checksum, headers, payload, the checksum of it all (big-endian CRC-32)."""
    told = {":message-type": "event", ":event-type": kind, ":content-type": "application/json"}
    headers = b"".join(
        bytes((len(name),)) + name.encode() + b"\x07" + struct.pack(">H", len(value)) + value.encode()
        for name, value in told.items()
    )
    body = json.dumps(payload).encode()
    prelude = struct.pack(">II", 16 + len(headers) + len(body), len(headers))
    message = prelude + struct.pack(">I", zlib.crc32(prelude)) + headers + body
    return message + struct.pack(">I", zlib.crc32(message))


def error(status: Status) -> bytes:
    return json.dumps({"__type": status.kind, "message": status.message}).encode()
