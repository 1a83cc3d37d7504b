"""The wire of Gemini, ``POST /v1beta/models/NAME:generateContent``."""

import json
from typing import Any

from . import sse
from .reply import Call, Said, Status
from .server import Asked

STREAM = "text/event-stream"


def streams(asked: Asked) -> bool:
    return ":streamGenerateContent" in asked.path


def _part(call: Call) -> str:
    id = "" if call.id is None else f'"id": {json.dumps(call.id)}, '
    inner = f'{{{id}"name": {json.dumps(call.name)}, "args": {call.arguments}}}'
    return f'{{"functionCall": {inner}, "thoughtSignature": "c2lnbmF0dXJl"}}'


def _chunk(said: Said, parts: list[str], end: str | None) -> str:
    sent, got = said.tokens
    usage = {"promptTokenCount": sent, "candidatesTokenCount": got, "totalTokenCount": sent + got}
    finish = f', "finishReason": {json.dumps(end)}' if end else ""
    candidate = f'{{"index": 0, "content": {{"role": "model", "parts": [{", ".join(parts)}]}}{finish}}}'
    return f'{{"candidates": [{candidate}], "usageMetadata": {json.dumps(usage)}, "modelVersion": "m"}}'


def whole(said: Said) -> bytes:
    parts = [json.dumps(item) for item in said.items]
    parts += [json.dumps({"text": said.text})] if said.text else []
    return _chunk(said, [*parts, *map(_part, said.calls)], said.end or "STOP").encode()


def pieces(said: Said) -> list[bytes]:
    chunks = [_chunk(said, [json.dumps(item)], None) for item in said.items]
    chunks += (_chunk(said, [json.dumps({"text": half})], None) for half in sse.halves(said.text))
    chunks += (_chunk(said, [_part(call)], None) for call in said.calls)
    return [sse.data(chunk) for chunk in [*chunks, _chunk(said, ['{"text": ""}'], said.end or "STOP")]]


def error(status: Status) -> bytes:
    told: dict[str, Any] = {"code": status.code, "message": status.message, "status": status.kind}
    return json.dumps({"error": told}).encode()
