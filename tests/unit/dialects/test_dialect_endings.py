"""Why an answer ends, as each provider says it."""

from typing import Any

import pytest

from licet.errors import AnswerError
from licet.model.said import Usage
from licet.model.tool import ToolSpec
from licet.ports import Message
from wires import DIALECTS, Said, answer, asked, compiled, history

CALL = Said("read", {"path": "a"}, "a1")
ENDS = [
    ("openai_chat", "stop", "done"),
    ("openai_chat", "length", "length"),
    ("openai_chat", "content_filter", "refused"),
    ("openai_chat", "function_call", "done"),
    ("openai_chat", "something_new", "done"),
    ("mistral", "model_length", "length"),
    ("ollama", "length", "length"),
    ("ollama", "stop", "done"),
    ("anthropic", "end_turn", "done"),
    ("anthropic", "stop_sequence", "done"),
    ("anthropic", "max_tokens", "length"),
    ("anthropic", "model_context_window_exceeded", "length"),
    ("anthropic", "pause_turn", "paused"),
    ("anthropic", "refusal", "refused"),
    ("gemini", "STOP", "done"),
    ("gemini", "MAX_TOKENS", "length"),
    *(
        ("gemini", word, "refused")
        for word in ("SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "LANGUAGE", "OTHER",
                     "MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "IMAGE_SAFETY", "MODEL_ARMOR")
    ),
    ("bedrock", "end_turn", "done"),
    ("bedrock", "max_tokens", "length"),
    ("bedrock", "guardrail_intervened", "refused"),
    ("bedrock", "content_filtered", "refused"),
    ("bedrock", "malformed_tool_use", "refused"),
    ("openai_responses", "incomplete", "length"),
]  # fmt: skip


@pytest.mark.parametrize(("dialect", "word", "ended"), ENDS)
def test_the_providers_word_for_the_end_is_read(dialect: str, word: str, ended: str) -> None:
    made = compiled(dialect)
    assert made.decode(answer(dialect, text="Hm.", finish=word)).ended == ended
    with_call = made.decode(answer(dialect, CALL, text="Hm.", finish=word))
    assert with_call.ended == {"done": "calls", "paused": "calls"}.get(ended, ended)
    assert bool(with_call.calls) is (ended != "refused"), "a refused answer asks for nothing"
    if ended == "refused":
        body = made.body([Message("user", "Look."), Message.of(with_call), Message("user", "Else?")])
        assert asked(history(body)) == []
        assert "Hm." in str(body)


@pytest.mark.parametrize("dialect", ["openai_chat", "openai_responses"])
def test_a_refusal_is_text_and_asks_for_nothing(dialect: str) -> None:
    made = compiled(dialect)
    if dialect == "openai_chat":
        wire = answer(dialect, CALL)
        wire["choices"][0]["message"] |= {"content": None, "refusal": "I may not."}
    else:
        part = {"type": "refusal", "refusal": "I may not."}
        wire = answer(dialect, CALL)
        wire["output"][0]["content"] = [part]
    said = made.decode(wire)
    assert (said.text, said.ended, said.calls) == ("I may not.", "refused", ())
    body = made.body([Message("user", "Look."), Message.of(said), Message("user", "Else?")])
    assert "I may not." in str(body)


def test_a_prompt_that_gemini_blocks_is_a_refusal() -> None:
    made = compiled("gemini")
    said = made.decode(
        {"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}, "usageMetadata": {"promptTokenCount": 5}}
    )
    assert (said.text, said.ended, said.usage) == ("", "refused", Usage(5, 0))
    body = made.body([Message("user", "Look."), Message.of(said), Message("user", "Else?")])
    assert [content["role"] for content in body["contents"]] == ["user", "user"]
    stream = made.stream()
    stream.feed({"promptFeedback": {"blockReason": "SAFETY"}})
    assert stream.said().ended == "refused"


@pytest.mark.parametrize(
    ("dialect", "wire"),
    [
        ("openai_chat", {"error": {"code": "rate_limit_exceeded", "message": "sk-secret"}}),
        ("openai_chat", {"choices": []}),
        ("openai_chat", {"choices": [{"finish_reason": "error", "message": {"content": "x"}}]}),
        ("openai_responses", {"status": "failed", "error": {"code": "server_error"}, "output": []}),
        ("openai_responses", {"status": "in_progress", "output": []}),
        ("openai_responses", {"status": "queued", "output": []}),
        ("anthropic", {"type": "error", "error": {"type": "overloaded_error", "message": "sk-secret"}}),
        ("anthropic", {"content": [], "stop_reason": None}),
        ("gemini", {"candidates": []}),
        ("gemini", {"promptFeedback": {}}),
        ("bedrock", {"output": {"message": {"role": "assistant", "content": []}}}),
        ("bedrock", {"output": {}, "stopReason": "end_turn"}),
        ("ollama", {"error": "model not found"}),
        ("ollama", {"message": {"content": "x"}, "done": False}),
        ("mistral", {"object": "error", "message": "no"}),
        *((dialect, odd) for dialect in DIALECTS for odd in (None, [], "text", 7, {})),
    ],
)
def test_what_is_no_answer_is_a_typed_error_that_repeats_no_text_of_it(dialect: str, wire: Any) -> None:
    with pytest.raises(AnswerError, match=f"^{dialect}: .*no call of it was made$") as problem:
        compiled(dialect).decode(wire)
    assert problem.value.code == "provider_answer"
    assert "secret" not in str(problem.value)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("odd", [None, -1, 1.5, True, "7", 1 << 60, [], {}])
def test_a_usage_that_is_none_counts_nothing(dialect: str, odd: Any) -> None:
    wire = answer(dialect, text="Hm.", finish={"gemini": "STOP"}.get(dialect))
    keys = {"gemini": "usageMetadata"}
    counted = dict.fromkeys(("prompt_tokens", "input_tokens", "inputTokens", "promptTokenCount"), odd)
    made = compiled(dialect)
    assert made.decode({**wire, keys.get(dialect, "usage"): counted}).usage == Usage()
    assert made.decode({**wire, keys.get(dialect, "usage"): odd}).usage == Usage()


def test_a_paused_turn_goes_back_as_it_is() -> None:
    use = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "q"}}
    search = ToolSpec(
        name="s", source="hosted", hosted={"anthropic": {"type": "web_search_20250305", "name": "web_search"}}
    )
    made = compiled("anthropic", search)
    wire = {"content": [{"type": "text", "text": "Hm."}, use], "stop_reason": "pause_turn"}
    said = made.decode(wire)
    assert (said.ended, said.hosted[0].tool) == ("paused", "local/s")
    first = Message.of(said)
    body = made.body([Message("user", "Look."), first])
    assert body["messages"][-1] == {"role": "assistant", "content": wire["content"]}
    result = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []}
    rest = made.decode({"content": [result, {"type": "text", "text": "Found."}], "stop_reason": "end_turn"})
    assert rest.hosted[0][:2] == ("local/s", "web_search_tool_result"), "the use stood in the answer before"
    body = made.body([Message("user", "Look."), first, Message.of(rest)])
    assert [message["role"] for message in body["messages"]] == ["user", "assistant"]
    assert body["messages"][1]["content"][1:3] == [use, result]
    assert first.turn.content == wire["content"], "what was put together is a copy"
