"""The wire of OpenAI's responses, ``POST /v1/responses``."""

import json
from typing import Any

from . import sse
from .openai_chat import error
from .reply import Call, Said
from .server import Asked

STREAM = "text/event-stream"


def streams(asked: Asked) -> bool:
    return bool(asked.body.get("stream"))


def _items(said: Said) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = [dict(item) for item in said.items]
    if said.text:
        content = {"type": "output_text", "text": said.text, "annotations": []}
        if said.end == "refusal":
            content = {"type": "refusal", "refusal": said.text}
        items.append(
            {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [content]}
        )
    return [*items, *(_call(place, call) for place, call in enumerate(said.calls))]


def _call(place: int, call: Call) -> dict[str, Any]:
    id = f"call_{place}" if call.id is None else call.id
    return {
        "type": "function_call",
        "id": f"fc_{place}",
        "call_id": id,
        "name": call.name,
        "arguments": call.arguments,
        "status": "completed",
    }


def _response(said: Said, output: list[dict[str, Any]], status: str) -> dict[str, Any]:
    sent, got = said.tokens
    incomplete = said.end in ("max_output_tokens", "content_filter")
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1,
        "model": "m",
        "status": "incomplete" if incomplete and status == "completed" else status,
        "incomplete_details": {"reason": said.end} if incomplete else None,
        "error": None,
        "output": output,
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": None
        if status == "in_progress"
        else {
            "input_tokens": sent,
            "output_tokens": got,
            "total_tokens": sent + got,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens_details": {"reasoning_tokens": 0},
        },
    }


def whole(said: Said) -> bytes:
    return json.dumps(_response(said, _items(said), "completed")).encode()


def pieces(said: Said) -> list[bytes]:
    items = _items(said)
    events: list[dict[str, Any]] = [{"type": "response.created", "response": _response(said, [], "in_progress")}]
    for place, item in enumerate(items):
        about = {"output_index": place, "item_id": item.get("id", "")}
        begun = {**item, "status": "in_progress"}
        if item["type"] == "message":
            begun["content"] = []
        if item["type"] == "function_call":
            begun["arguments"] = ""
        events.append({"type": "response.output_item.added", "output_index": place, "item": begun})
        if item["type"] == "message":
            part = item["content"][0]
            inner = {**about, "content_index": 0}
            kind, key = ("output_text", "text") if part["type"] == "output_text" else ("refusal", "refusal")
            events.append({"type": "response.content_part.added", **inner, "part": {**part, key: ""}})
            events += ({"type": f"response.{kind}.delta", **inner, "delta": half} for half in sse.halves(said.text))
            events.append({"type": f"response.{kind}.done", **inner, key: said.text})
            events.append({"type": "response.content_part.done", **inner, "part": part})
        if item["type"] == "function_call":
            written = item["arguments"]
            name = "response.function_call_arguments"
            events += ({"type": f"{name}.delta", **about, "delta": half} for half in sse.halves(written))
            events.append({"type": f"{name}.done", **about, "name": item["name"], "arguments": written})
        events.append({"type": "response.output_item.done", "output_index": place, "item": item})
    done = _response(said, items, "completed")
    events.append({"type": f"response.{done['status']}", "response": done})
    return [sse.event({**event, "sequence_number": number}) for number, event in enumerate(events)]


__all__ = ["STREAM", "error", "pieces", "streams", "whole"]
