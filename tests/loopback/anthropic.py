"""The wire of Anthropic's messages, ``POST /v1/messages``."""

import json
from typing import Any

from . import sse
from .reply import Call, Said, Status
from .server import Asked

STREAM = "text/event-stream"


def streams(asked: Asked) -> bool:
    return bool(asked.body.get("stream"))


def _blocks(said: Said) -> list[str]:
    """Content blocks as JSON text, so that arguments stand there as the model wrote them."""
    blocks = [json.dumps({"type": "text", "text": said.text})] if said.text else []
    blocks += (json.dumps(item) for item in said.items)
    return blocks + [_block(place, call) for place, call in enumerate(said.calls)]


def _block(place: int, call: Call) -> str:
    id = f"toolu_{place}" if call.id is None else call.id
    head = json.dumps({"type": "tool_use", "id": id, "name": call.name})
    return f'{head[:-1]}, "input": {call.arguments}}}'


def _end(said: Said) -> str:
    return said.end or ("tool_use" if said.calls else "end_turn")


def whole(said: Said) -> bytes:
    sent, got = said.tokens
    message = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "stop_reason": _end(said),
        "stop_sequence": None,
        "usage": {"input_tokens": sent, "output_tokens": got},
    }
    return f'{json.dumps(message)[:-1]}, "content": [{", ".join(_blocks(said))}]}}'.encode()


def pieces(said: Said) -> list[bytes]:
    sent, got = said.tokens
    message: dict[str, Any] = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {"input_tokens": sent, "output_tokens": 1},
    }
    events: list[dict[str, Any]] = [{"type": "message_start", "message": message}]
    parts: list[tuple[dict[str, Any], list[dict[str, Any]]]] = []
    if said.text:
        deltas = [{"type": "text_delta", "text": half} for half in sse.halves(said.text)]
        parts.append(({"type": "text", "text": ""}, deltas))
    parts += ((dict(item), []) for item in said.items)
    for place, call in enumerate(said.calls):
        id = f"toolu_{place}" if call.id is None else call.id
        deltas = [{"type": "input_json_delta", "partial_json": half} for half in sse.halves(call.arguments)]
        parts.append(({"type": "tool_use", "id": id, "name": call.name, "input": {}}, deltas))
    for index, (block, deltas) in enumerate(parts):
        events.append({"type": "content_block_start", "index": index, "content_block": block})
        events += ({"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas)
        events.append({"type": "content_block_stop", "index": index})
    ended = {"stop_reason": _end(said), "stop_sequence": None}
    events.append({"type": "message_delta", "delta": ended, "usage": {"output_tokens": got}})
    events.append({"type": "message_stop"})
    return [sse.event(event) for event in events]


def error(status: Status) -> bytes:
    return json.dumps({"type": "error", "error": {"type": status.kind, "message": status.message}}).encode()
