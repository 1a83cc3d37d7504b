"""The wires of the providers as the tests of all dialects share them: goldens, answers of any calls, results found."""

import json
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from licet.model.result import Rendered, ToolResult
from licet.model.said import Said as Answer
from licet.model.tool import ToolSpec
from licet.ports import Message

DIALECTS = ("anthropic", "bedrock", "gemini", "mistral", "ollama", "openai_chat", "openai_responses")
GOLDENS = Path(__file__).parent / "unit" / "dialects" / "goldens"

READ = ToolSpec(
    name="read",
    description="Read a file.",
    input_schema={
        "type": "object",
        "properties": {"path": {"type": "string", "description": "Path."}},
        "required": ["path"],
    },
)
NOW = ToolSpec(name="now", input_schema={"type": "object", "properties": {}})


def golden(dialect: str) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((GOLDENS / f"{dialect}.json").read_text("utf-8"))
    return loaded


def compiled(dialect: str, *tools: Any, **chosen: str) -> Any:
    return import_module(f"licet.dialects.{dialect}").compile(tools or (READ, NOW), chosen=chosen)


def result(text: str, *, success: bool = True, call_id: str = "c", tool: str = "local/read") -> ToolResult:
    """What a model reads of it is ``text``."""
    code, error = (None, None) if success else ("path_violation", "outside")
    return ToolResult(call_id, tool, success, {}, error, code, "none", 0.0, {}, b"{}", Rendered(text))


class Said(NamedTuple):
    """A call as a test has a model say it. ``text`` are arguments as text, where the wire has them so."""

    name: Any
    arguments: Any = None
    id: Any = None


class Found(NamedTuple):
    """A result as it goes back: for the call of this id (or None), of this name (or None)."""

    id: str | None
    name: str | None
    text: str
    failed: bool | None


def _chat(calls: Sequence[Said], text: str, finish: str | None) -> dict[str, Any]:
    raw = [{"id": c.id, "type": "function", "function": {"name": c.name, "arguments": c.arguments}} for c in calls]
    message = {"role": "assistant", "content": text, "tool_calls": raw}
    return {"choices": [{"index": 0, "finish_reason": finish or "tool_calls", "message": message}]}


def _responses(calls: Sequence[Said], text: str, finish: str | None) -> dict[str, Any]:
    output: list[Any] = [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}]
    output += [{"type": "function_call", "call_id": c.id, "name": c.name, "arguments": c.arguments} for c in calls]
    return {"status": "completed", "output": output} | ({"status": "incomplete"} if finish else {})


def _anthropic(calls: Sequence[Said], text: str, finish: str | None) -> dict[str, Any]:
    blocks: list[Any] = [{"type": "text", "text": text}]
    blocks += [{"type": "tool_use", "id": c.id, "name": c.name, "input": c.arguments} for c in calls]
    return {"role": "assistant", "content": blocks, "stop_reason": finish or "tool_use"}


def _gemini(calls: Sequence[Said], text: str, finish: str | None) -> dict[str, Any]:
    parts: list[Any] = [{"text": text}]
    parts += [{"functionCall": {"id": c.id, "name": c.name, "args": c.arguments}} for c in calls]
    return {"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": finish or "STOP"}]}


def _bedrock(calls: Sequence[Said], text: str, finish: str | None) -> dict[str, Any]:
    blocks: list[Any] = [{"text": text}]
    blocks += [{"toolUse": {"toolUseId": c.id, "name": c.name, "input": c.arguments}} for c in calls]
    return {"output": {"message": {"role": "assistant", "content": blocks}}, "stopReason": finish or "tool_use"}


def _ollama(calls: Sequence[Said], text: str, finish: str | None) -> dict[str, Any]:
    raw = [{"function": {"name": c.name, "arguments": c.arguments}} for c in calls]
    message = {"role": "assistant", "content": text, "tool_calls": raw}
    return {"done": True, "done_reason": finish or "stop", "message": message}


_ANSWERS: Mapping[str, Callable[[Sequence[Said], str, str | None], dict[str, Any]]] = {
    "anthropic": _anthropic,
    "bedrock": _bedrock,
    "gemini": _gemini,
    "mistral": _chat,
    "ollama": _ollama,
    "openai_chat": _chat,
    "openai_responses": _responses,
}
CUT = {
    "anthropic": "max_tokens",
    "bedrock": "max_tokens",
    "gemini": "MAX_TOKENS",
    "mistral": "length",
    "ollama": "length",
    "openai_chat": "length",
    "openai_responses": "incomplete",
}
"""What each provider says of an answer that ended at its limit."""

TEXT_ARGUMENTS = frozenset(("mistral", "openai_chat", "openai_responses"))
"""Where arguments are JSON text; elsewhere they are objects."""

NO_IDS = frozenset(("ollama",))


def answer(dialect: str, *calls: Said, text: str = "", finish: str | None = None) -> dict[str, Any]:
    """An answer with these calls, arguments as the wire has them unless they are text already."""
    as_text = dialect in TEXT_ARGUMENTS
    written = [
        call._replace(arguments=json.dumps(call.arguments)) if as_text and not isinstance(call.arguments, str) else call
        for call in calls
    ]
    return _ANSWERS[dialect](written, text, finish)


def placed(value: Any, instead: Any) -> Any:
    """The same with something in place of the word HERE."""
    if isinstance(value, dict):
        return {key: placed(inner, instead) for key, inner in value.items()}
    if isinstance(value, list):
        return [placed(inner, instead) for inner in value]
    return instead if value == "HERE" else value


def found(messages: Sequence[Mapping[str, Any]]) -> list[Found]:
    """Every result in messages of any dialect, in order."""
    results: list[Found] = []
    for message in messages:
        if message.get("role") == "tool":
            name = message.get("name", message.get("tool_name"))
            results.append(Found(message.get("tool_call_id"), name, message["content"], None))
        elif str(message.get("type")).endswith("_call_output"):
            results.append(Found(message["call_id"], None, message["output"], None))
        for block in [*_listed(message, "content"), *_listed(message, "parts")]:
            if block.get("type") == "tool_result":
                results.append(Found(block["tool_use_id"], None, block["content"][0]["text"], block["is_error"]))
            elif "toolResult" in block and message["role"] == "user":
                held = block["toolResult"]
                results.append(Found(held["toolUseId"], None, held["content"][0]["text"], held["status"] == "error"))
            elif "functionResponse" in block:
                held = block["functionResponse"]
                ((key, text),) = held["response"].items()
                results.append(Found(held.get("id"), held["name"], text, key == "error"))
    return results


def asked(messages: Sequence[Mapping[str, Any]]) -> list[tuple[str | None, str]]:
    """Id and name of every call in messages of any dialect, in order."""
    calls: list[tuple[str | None, str]] = []
    for message in messages:
        for call in message.get("tool_calls", ()):
            calls.append((call.get("id"), (call.get("function") or call.get("custom"))["name"]))
        if message.get("type") in ("function_call", "custom_tool_call"):
            calls.append((message["call_id"], message["name"]))
        for block in [*_listed(message, "content"), *_listed(message, "parts")]:
            if block.get("type") == "tool_use":
                calls.append((block["id"], block["name"]))
            elif "toolUse" in block and block["toolUse"].get("type") is None:
                calls.append((block["toolUse"]["toolUseId"], block["toolUse"]["name"]))
            elif "functionCall" in block:
                calls.append((block["functionCall"].get("id"), block["functionCall"]["name"]))
    return calls


def history(body: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The conversation in a body."""
    for key in ("messages", "input", "contents"):
        if key in body:
            held: list[Mapping[str, Any]] = body[key]
            return held
    raise AssertionError(body)


def back(made: Any, said: Answer) -> dict[str, Any]:
    """The next request, every call of the answer answered."""
    results = tuple(result(f"<{position}>") for position in range(len(said.calls)))
    conversation = [Message("user", "Look."), Message.of(said)]
    conversation += [Message("tool", results=results)] if results else []
    body: dict[str, Any] = made.body([*conversation, Message("user", "Go on.")])
    return body


def _listed(message: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    held = message.get(key)
    return [block for block in held if isinstance(block, Mapping)] if isinstance(held, list) else []
