"""The wire of OpenAI's chat completions, ``POST /v1/chat/completions``."""

import json
from typing import Any

from . import sse
from .reply import Call, Said, Status
from .server import Asked

STREAM = "text/event-stream"


def streams(asked: Asked) -> bool:
    return bool(asked.body.get("stream"))


def _call(place: int, call: Call) -> dict[str, Any]:
    id = f"call_{place}" if call.id is None else call.id
    return {"id": id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}


def _end(said: Said) -> str:
    return said.end or ("tool_calls" if said.calls else "stop")


def _usage(said: Said) -> dict[str, int]:
    sent, got = said.tokens
    return {"prompt_tokens": sent, "completion_tokens": got, "total_tokens": sent + got}


def whole(said: Said) -> bytes:
    message: dict[str, Any] = {"role": "assistant", "content": said.text or None, "refusal": None}
    if said.calls:
        message["tool_calls"] = [_call(place, call) for place, call in enumerate(said.calls)]
    for item in said.items:
        message |= item
    return json.dumps(
        {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1,
            "model": "m",
            "choices": [{"index": 0, "message": message, "finish_reason": _end(said), "logprobs": None}],
            "usage": _usage(said),
        }
    ).encode()


def pieces(said: Said) -> list[bytes]:
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
    deltas += ({"content": part} for part in sse.halves(said.text))
    for place, call in enumerate(said.calls):
        whole_call = _call(place, call)
        head = {**whole_call, "function": {"name": call.name, "arguments": ""}, "index": place}
        deltas.append({"tool_calls": [head]})
        deltas += (
            {"tool_calls": [{"index": place, "function": {"arguments": part}}]} for part in sse.halves(call.arguments)
        )
    deltas += map(dict, said.items)
    events = [_chunk(delta, None) for delta in deltas]
    events.append(_chunk({}, _end(said)))
    events.append({**_chunk({}, None), "choices": [], "usage": _usage(said)})
    return [*map(sse.data, events), sse.data("[DONE]")]


def _chunk(delta: dict[str, Any], end: str | None) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": end, "logprobs": None}
    return {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}


def error(status: Status) -> bytes:
    return json.dumps({"error": {"message": status.message, "type": status.kind, "code": status.kind}}).encode()
