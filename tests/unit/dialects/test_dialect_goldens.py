"""Each dialect against the wire of its provider: declaration, answer whole and in pieces, and the request after it."""

import json
from typing import Any

import pytest
from sdk_types import refused_by_sdk

from licet.model.call import Request
from licet.model.said import HostedItem, Usage
from licet.model.tool import ToolSpec
from licet.ports import Message
from wires import DIALECTS, READ, compiled, found, golden, history, result

CALLS = (Request("local/read", {"path": "a"}), Request("local/read", {"path": "b"}))
RESULTS = (result("<first>"), result("<second>", success=False))
HEAD = (Message("system", "Be brief."), Message("user", "Look."))


def read(request: Request) -> Request:
    """The same with its arguments as an object."""
    arguments = request.arguments
    return request._replace(arguments=json.loads(arguments) if isinstance(arguments, str) else arguments)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_tools_are_declared_as_the_provider_takes_them(dialect: str) -> None:
    made = compiled(dialect)
    assert made.tools == golden(dialect)["tools"]
    assert (made.losses, dict(made.refused)) == ((), {})
    assert dict(made.names.offered) == {"read": "local/read", "now": "local/now"}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_an_answer_is_read_whole(dialect: str) -> None:
    said = compiled(dialect).decode(golden(dialect)["answer"])
    assert said.text == "I look."
    assert tuple(read(request)._replace(call_id=None) for request in said.calls) == CALLS
    assert (said.ended, said.usage, said.hosted) == ("calls", Usage(11, 7), ())


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_same_answer_in_pieces_says_the_same(dialect: str) -> None:
    made, wire = compiled(dialect), golden(dialect)
    stream = made.stream()
    shown = "".join(stream.feed(event) for event in wire["events"])
    assert shown == "I look."
    said, whole = stream.said(), made.decode(wire["answer"])
    assert said._replace(calls=tuple(map(read, said.calls))) == whole._replace(calls=tuple(map(read, whole.calls)))
    assert len({request.call_id for request in whole.calls}) == (1 if dialect == "ollama" else 2)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_next_request_holds_the_turn_as_it_was_and_each_result_once(dialect: str) -> None:
    made, wire = compiled(dialect), golden(dialect)
    said = Message.of(made.decode(wire["answer"]))
    conversation = [*HEAD, said, Message("tool", results=RESULTS), Message("user", "Thanks.")]
    body = made.body(conversation)
    assert body == wire["body"]
    assert refused_by_sdk(dialect, body) == ""
    assert made.body(conversation) == body, "asked again, nothing has changed"
    messages = made.encode(said, RESULTS)
    assert [one.text for one in found(messages)] == ["<first>", "<second>"]
    assert found(messages) == found(history(body))


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_golden_answer_is_one_of_the_sdks(dialect: str) -> None:
    """A golden that no SDK reads would prove nothing."""
    answer = golden(dialect)["answer"]
    match dialect:
        case "openai_chat":
            from openai.types.chat import ChatCompletion, ChatCompletionChunk

            ChatCompletion.model_validate(answer)
            for event in golden(dialect)["events"]:
                ChatCompletionChunk.model_validate(event)
        case "openai_responses":
            from openai.types.responses import Response, ResponseStreamEvent
            from pydantic import TypeAdapter

            Response.model_validate(answer)
            adapter: TypeAdapter[Any] = TypeAdapter(ResponseStreamEvent)
            for event in golden(dialect)["events"]:
                adapter.validate_python(event)
        case "anthropic":
            from anthropic.types import Message as Answer
            from anthropic.types import RawMessageStreamEvent
            from pydantic import TypeAdapter

            Answer.model_validate(answer)
            for event in golden(dialect)["events"]:
                if event["type"] != "ping":
                    TypeAdapter(RawMessageStreamEvent).validate_python(event)
        case "gemini":
            from google.genai.types import GenerateContentResponse

            for one in (answer, *golden(dialect)["events"]):
                GenerateContentResponse.model_validate(one)
        case "bedrock":
            from botocore.session import Session
            from botocore.validate import ParamValidator

            shape = Session().get_service_model("bedrock-runtime").operation_model("Converse").output_shape
            report = ParamValidator().validate(answer, shape)
            assert not report.has_errors(), report.generate_report()
        case other:
            assert other in ("mistral", "ollama"), "their SDKs are not asked for"


@pytest.mark.parametrize("dialect", [name for name in DIALECTS if "hosted" in golden(name)])
def test_what_the_provider_ran_is_told_once_under_the_tool_that_explains_it(dialect: str) -> None:
    wire = golden(dialect)["hosted"]
    search = ToolSpec(name="search", source="hosted", hosted={dialect: wire["declared"]})
    made = compiled(dialect, READ, search)
    assert wire["declared"] in made.tools
    said = made.decode(wire["answer"])
    assert said.hosted == (HostedItem("local/search", *wire["item"]),)
    assert (said.text, said.calls, said.ended) == ("Found.", (), "done")
    body = made.body([Message("user", "Look."), Message.of(said), Message("user", "More.")])
    if dialect == "openai_chat":  # hosted tools are those of servers that speak like it
        del body["tools"]
    assert refused_by_sdk(dialect, body) == ""
    assert (wire["item"][0] in str(body)) is wire.get("replays", False)

    forged = compiled(dialect, READ).decode(wire["answer"])
    assert forged.hosted == (HostedItem(None, *wire["item"]),), "nothing that was offered explains it"


@pytest.mark.parametrize("dialect", DIALECTS)
def test_without_tools_the_key_is_left_out(dialect: str) -> None:
    hidden = ToolSpec(name="x", source="hosted", hosted={"other": {"type": "t"}})
    made = compiled(dialect, hidden)
    assert made.tools == []
    assert not {"tools", "toolConfig"} & made.body([Message("user", "Look.")]).keys()
    assert "local/x" in made.refused


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_turn_that_no_provider_said_is_made_of_its_text_and_calls(dialect: str) -> None:
    """As after a resumption, or from another provider's dialect."""
    made, wire = compiled(dialect), golden(dialect)
    other = compiled("anthropic" if dialect != "anthropic" else "gemini")
    turn = Message.of(other.decode(golden(other.dialect)["answer"]))
    for said in (Message("assistant", "I look.", CALLS), turn):
        body = made.body([*HEAD, said, Message("tool", results=RESULTS), Message("user", "Thanks.")])
        assert refused_by_sdk(dialect, body) == ""
        assert [one.text for one in found(history(body))] == ["<first>", "<second>"]
        assert body.get("tools", body.get("toolConfig")) == wire["body"].get("tools", wire["body"].get("toolConfig"))
        assert "I look." in str(body)
        assert "signature" not in str(body).lower()


def test_the_control_an_sdk_refuses_a_key_too_many() -> None:
    for dialect in ("anthropic", "bedrock", "gemini", "openai_chat", "openai_responses"):
        body = golden(dialect)["body"]
        assert refused_by_sdk(dialect, body) == ""
        spoilt = {**body, history_key(body): [{**message, "planted": 1} for message in history(body)]}
        assert refused_by_sdk(dialect, spoilt) != "", dialect


def history_key(body: dict[str, Any]) -> str:
    return next(key for key in ("messages", "input", "contents") if key in body)
