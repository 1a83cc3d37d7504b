"""Whether a request is one that a provider takes: its SDK's own types, and each call answered once, in its place."""

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import TypeAdapter


def _fits(kind: Any, value: Any) -> None:
    """Raises ValidationError. Pydantic checks what is typed as an iterable only when somebody iterates."""
    adapter: TypeAdapter[Any] = TypeAdapter(kind)
    _forced(adapter.validate_python(value))


def _forced(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _forced(part) for name, part in value.items()}
    if isinstance(value, str | bytes | int | float | None):
        return value
    return [_forced(part) for part in value]


def openai_chat(body: dict[str, Any]) -> None:
    from openai.types.chat import ChatCompletionMessageParam, ChatCompletionToolUnionParam

    _fits(list[ChatCompletionMessageParam], body["messages"])
    _fits(list[ChatCompletionToolUnionParam], body.get("tools", []))
    owed: list[str] = []
    for message in body["messages"]:
        if message["role"] == "tool":
            owed.remove(message["tool_call_id"])
            continue
        assert owed == [], "a message stands between calls and their results"
        owed = [call["id"] for call in message.get("tool_calls", [])]
        assert len(owed) == len(set(owed))
    assert owed == []


def openai_responses(body: dict[str, Any]) -> None:
    from openai.types.responses import ResponseInputItemParam, ToolParam

    _fits(list[ResponseInputItemParam], body["input"])
    _fits(list[ToolParam], body.get("tools", []))
    calls = [item["call_id"] for item in body["input"] if item.get("type") == "function_call"]
    answers = [item["call_id"] for item in body["input"] if item.get("type") == "function_call_output"]
    assert sorted(calls) == sorted(answers)
    assert len(calls) == len(set(calls))


def anthropic(body: dict[str, Any]) -> None:
    from anthropic.types import MessageParam, ToolUnionParam

    _fits(list[MessageParam], body["messages"])
    _fits(list[ToolUnionParam], body.get("tools", []))
    owed: list[str] = []
    for message in body["messages"]:
        blocks = message["content"] if isinstance(message["content"], list) else []
        answers = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
        assert sorted(answers) == sorted(owed), "results stand in the message after their calls"
        if answers:
            assert [block["type"] for block in blocks][: len(answers)] == ["tool_result"] * len(answers)
        owed = [block["id"] for block in blocks if block["type"] == "tool_use"]
        assert len(owed) == len(set(owed))
    assert owed == []


def gemini(body: dict[str, Any]) -> None:
    from google.genai import types

    owed: list[str] = []
    for content in body["contents"]:
        parts = types.Content.model_validate(content).parts or []
        answers = [part.function_response.name or "" for part in parts if part.function_response is not None]
        assert answers == owed, "results stand in the content after their calls, in their order"
        owed = [part.function_call.name or "" for part in parts if part.function_call is not None]
    assert owed == []
    for tool in body.get("tools", []):
        types.Tool.model_validate(tool)


def bedrock(body: dict[str, Any]) -> None:
    from botocore.loaders import Loader
    from botocore.model import ServiceModel
    from botocore.validate import ParamValidator

    service = ServiceModel(Loader().load_service_model("bedrock-runtime", "service-2"))
    shape = service.operation_model("Converse").input_shape
    report = ParamValidator().validate({"modelId": "m", **body}, shape)
    assert not report.has_errors(), report.generate_report()
    owed: list[str] = []
    for message in body["messages"]:
        answers = [block["toolResult"]["toolUseId"] for block in message["content"] if "toolResult" in block]
        assert sorted(answers) == sorted(owed)
        uses = [block["toolUse"] for block in message["content"] if "toolUse" in block]
        owed = [use["toolUseId"] for use in uses if use.get("type") != "server_tool_use"]
        assert len(owed) == len(set(owed))
    assert owed == []


def results(body: dict[str, Any]) -> Iterator[str]:
    """The text of every result in a request, whatever its wire."""
    for key, found in _walked(body):
        if key in ("tool_result", "function_call_output", "toolResult", "functionResponse", "tool"):
            yield "".join(_texts(found))


def _walked(value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for name, part in value.items():
            if name in ("toolResult", "functionResponse"):
                yield name, part
        marked = (
            value.get("type") if value.get("type") in ("tool_result", "function_call_output") else value.get("role")
        )
        if marked in ("tool_result", "function_call_output", "tool"):
            yield marked, value.get("content", value.get("output"))
        for part in value.values():
            yield from _walked(part)
    elif isinstance(value, list):
        for part in value:
            yield from _walked(part)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from _texts(part)
    elif isinstance(value, list):
        for part in value:
            yield from _texts(part)
