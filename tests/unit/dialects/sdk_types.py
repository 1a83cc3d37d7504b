"""What the official SDKs themselves say of a request body: their types, with nothing beside what these name."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from pydantic import ConfigDict, TypeAdapter

EXACT = ConfigDict(extra="forbid")


def refused_by_sdk(dialect: str, body: Mapping[str, Any]) -> str:
    """Why the SDK's types do not take a body, empty if they do. Dialects without an SDK here: always empty."""
    check = _CHECKS.get(dialect)
    if check is None:
        return ""
    try:
        check(body)
    except (ValueError, TypeError) as problem:
        return str(problem) or type(problem).__name__
    return ""


def _validate(adapter: TypeAdapter[Any], value: Any) -> None:
    _consumed(adapter.validate_python(value))


def _consumed(value: Any) -> None:
    """What a type calls iterable is validated only as it is read."""
    if isinstance(value, Mapping):
        value = value.values()
    elif isinstance(value, str | bytes) or not hasattr(value, "__iter__"):
        return
    for item in value:
        _consumed(item)


@cache
def _openai_chat() -> tuple[TypeAdapter[Any], TypeAdapter[Any]]:
    from openai.types.chat import ChatCompletionMessageParam, ChatCompletionToolUnionParam

    return (
        TypeAdapter(list[ChatCompletionMessageParam], config=EXACT),
        TypeAdapter(list[ChatCompletionToolUnionParam], config=EXACT),
    )


def _check_chat(body: Mapping[str, Any]) -> None:
    messages, tools = _openai_chat()
    _refuse_other(body, "messages", "tools")
    _validate(messages, body["messages"])
    _validate(tools, body.get("tools", []))


@cache
def _openai_responses() -> tuple[TypeAdapter[Any], TypeAdapter[Any]]:
    from openai.types.responses import ResponseInputItemParam, ToolParam

    return (
        TypeAdapter(list[ResponseInputItemParam], config=EXACT),
        TypeAdapter(list[ToolParam], config=EXACT),
    )


def _check_responses(body: Mapping[str, Any]) -> None:
    items, tools = _openai_responses()
    _refuse_other(body, "input", "instructions", "tools")
    _validate(items, body["input"])
    _validate(tools, body.get("tools", []))


@cache
def _anthropic() -> tuple[TypeAdapter[Any], TypeAdapter[Any], TypeAdapter[Any]]:
    from anthropic.types import MessageParam, TextBlockParam, ToolUnionParam

    return (
        TypeAdapter(list[MessageParam], config=EXACT),
        TypeAdapter(list[ToolUnionParam], config=EXACT),
        TypeAdapter(list[TextBlockParam], config=EXACT),
    )


def _check_anthropic(body: Mapping[str, Any]) -> None:
    messages, tools, system = _anthropic()
    _refuse_other(body, "messages", "system", "tools")
    _validate(messages, body["messages"])
    _validate(tools, body.get("tools", []))
    _validate(system, body.get("system", []))


def _check_gemini(body: Mapping[str, Any]) -> None:
    from google.genai import types

    _refuse_other(body, "contents", "systemInstruction", "tools")
    for content in body["contents"]:
        types.Content.model_validate(content)
    if "systemInstruction" in body:
        types.Content.model_validate(body["systemInstruction"])
    for tool in body.get("tools", []):
        types.Tool.model_validate(tool)


@cache
def _converse() -> Any:
    from botocore.session import Session

    return Session().get_service_model("bedrock-runtime").operation_model("Converse").input_shape


def _check_bedrock(body: Mapping[str, Any]) -> None:
    from botocore.validate import ParamValidator

    report = ParamValidator().validate({"modelId": "m", **body}, _converse())
    if report.has_errors():
        raise ValueError(report.generate_report())


def _refuse_other(body: Mapping[str, Any], *keys: str) -> None:
    if other := body.keys() - set(keys):
        raise ValueError(f"keys that are not the dialect's: {sorted(other)}")


_CHECKS = {
    "anthropic": _check_anthropic,
    "bedrock": _check_bedrock,
    "gemini": _check_gemini,
    "openai_chat": _check_chat,
    "openai_responses": _check_responses,
}
