"""Streamed chunks as OpenAI and those who speak like it really send them."""

from typing import Any

import pytest

from licet.errors import AnswerError
from licet.model.names import NOT_OFFERED
from licet.model.said import Said
from licet.ports import Message
from wires import asked, compiled, golden, history, result


def chunk(finish: str | None = None, **delta: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


def piece(index: int | None = None, id: Any = None, name: Any = None, arguments: Any = None) -> dict[str, Any]:
    function = {key: held for key, held in (("name", name), ("arguments", arguments)) if held is not None}
    held: dict[str, Any] = {"function": function}
    return held | ({} if index is None else {"index": index}) | ({} if id is None else {"id": id})


def read(*chunks: dict[str, Any], dialect: str = "openai_chat") -> Said:
    stream = compiled(dialect).stream()
    for one in chunks:
        stream.feed(one)
    said: Said = stream.said()
    return said


END = chunk("tool_calls")


def test_a_name_and_arguments_may_come_in_pieces_and_the_id_again_with_each() -> None:
    said = read(
        chunk(tool_calls=[piece(0, "c1", "re")]),
        chunk(tool_calls=[piece(0, "c1", "ad", '{"pa')]),
        chunk(tool_calls=[piece(0, "c1", "", 'th": "a"}')]),
        END,
    )
    assert [tuple(call) for call in said.calls] == [("local/read", '{"path": "a"}', "c1")]


def test_pieces_of_two_calls_may_be_mixed_and_come_before_their_names() -> None:
    said = read(
        chunk(tool_calls=[piece(1, arguments='{"path"')]),
        chunk(tool_calls=[piece(0, "c1", "now")]),
        chunk(tool_calls=[piece(1, "c2", "read", ': "b"}'), piece(0, arguments="{}")]),
        END,
    )
    assert [tuple(call) for call in said.calls] == [("local/now", "{}", "c1"), ("local/read", '{"path": "b"}', "c2")]


def test_another_id_at_the_same_index_is_another_call() -> None:
    """One compatible server gives every call the index 0."""
    whole = [piece(0, f"c{n}", "read", f'{{"path": "{n}"}}') for n in range(3)]
    said = read(chunk(tool_calls=whole), END)
    assert [call.call_id for call in said.calls] == ["c0", "c1", "c2"]
    assert [call.arguments for call in said.calls] == [f'{{"path": "{n}"}}' for n in range(3)]
    without_index = [{key: held for key, held in one.items() if key != "index"} for one in whole]
    assert read(chunk(tool_calls=without_index), END) == said


def test_a_call_without_an_id_is_a_call_without_an_id() -> None:
    said = read(chunk(tool_calls=[piece(0, None, "now", "")]), chunk(tool_calls=[piece(1, "null", "now")]), END)
    assert [tuple(call) for call in said.calls] == [("local/now", {}, None), ("local/now", {}, None)]
    made = compiled("openai_chat")
    results = Message("tool", results=(result("a"), result("b")))
    body = made.body([Message("user", "Look."), Message.of(said), results])
    ids = [own for own, _ in asked(history(body))]
    assert len(set(ids)) == 2
    assert all(own.startswith("call_") for own in ids)


@pytest.mark.parametrize("own", ["chatcmpl-tool-" + "0" * 32, "call_1__thought__" + "QUJD" * 300])
def test_an_id_of_the_server_goes_back_as_it_is_and_one_of_another_provider_as_the_service_takes_it(own: str) -> None:
    said = read(chunk(tool_calls=[piece(0, own, "now", "{}")]), END)
    results = Message("tool", results=(result("x"),))
    body = compiled("openai_chat").body([Message("user", "x"), Message.of(said), results])
    assert asked(history(body)) == [(own, "now")]
    foreign = Message("assistant", calls=said.calls)
    body = compiled("openai_chat").body([Message("user", "x"), foreign, results])
    ((other, _),) = asked(history(body))
    assert other is not None
    assert (len(other) <= 40, history(body)[2]["tool_call_id"]) == (True, other)


def test_a_piece_after_the_end_contradicts_it_and_usage_does_not() -> None:
    usage = {"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 2}}
    assert read(chunk(content="Hm."), chunk("stop"), usage).usage == (3, 2)
    assert read(chunk(content="Hm."), chunk("stop"), chunk()).text == "Hm."
    for late in (chunk(content="More."), chunk(tool_calls=[piece(0, "c1", "now")])):
        with pytest.raises(AnswerError, match="after the end"):
            read(chunk("stop"), late)


def test_of_several_choices_the_first_is_read() -> None:
    other = {"index": 1, "delta": {"content": "B", "tool_calls": [piece(0, "c9", "now")]}, "finish_reason": None}
    said = read({"choices": [other]}, chunk(content="A"), chunk("stop"))
    assert (said.text, said.calls) == ("A", ())


def test_a_custom_call_is_one_of_no_tool_whatever_its_name() -> None:
    custom = {"index": 0, "id": "c1", "type": "custom", "custom": {"name": "read", "input": '{"path": "a"}'}}
    streamed = read(chunk(tool_calls=[custom]), END)
    made = compiled("openai_chat")
    message = {"role": "assistant", "content": None, "tool_calls": [custom]}
    whole = made.decode({"choices": [{"message": message, "finish_reason": "tool_calls"}]})
    for said in (streamed, whole):
        assert said.calls[0].tool == f"{NOT_OFFERED}read (custom)"
        body = made.body([Message("user", "x"), Message.of(said), Message("tool", results=(result("no"),))])
        assert history(body)[1]["tool_calls"] == [{"id": "c1", "type": "custom", "custom": custom["custom"]}]
        assert history(body)[2]["tool_call_id"] == "c1"


def test_a_call_in_the_deprecated_form_is_read_and_goes_back_in_the_present_one() -> None:
    made = compiled("openai_chat")
    message = {"content": None, "function_call": {"name": "read", "arguments": '{"path": "a"}'}}
    said = made.decode({"choices": [{"message": message, "finish_reason": "function_call"}]})
    assert [tuple(call) for call in said.calls] == [("local/read", '{"path": "a"}', None)]
    body = made.body([Message("user", "x"), Message.of(said), Message("tool", results=(result("A"),))])
    assert history(body)[2]["tool_call_id"] == history(body)[1]["tool_calls"][0]["id"]


def test_reasoning_goes_back_only_while_calls_are_answered() -> None:
    """Some servers want it back then, and others refuse it at any other time."""
    made = compiled("openai_chat")
    for calls, kept in (([piece(0, "c1", "now", "{}")], True), ([], False)):
        said = read(chunk(reasoning_content="hm"), chunk(content="A", tool_calls=calls), chunk("stop"))
        assert said.text == "A"
        results = [Message("tool", results=(result("x"),))] if calls else []
        body = made.body([Message("user", "x"), Message.of(said), *results])
        assert ("reasoning_content" in history(body)[1]) is kept


def test_mistral_gives_arguments_as_objects_and_content_as_chunks() -> None:
    thinking = {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}
    call = {"id": "D681PevKs", "function": {"name": "read", "arguments": {"path": "a"}}, "index": 0}
    said = read(
        chunk(content="A"),
        chunk(content=[thinking, {"type": "text", "text": "B"}]),
        chunk("tool_calls", tool_calls=[call]),
        dialect="mistral",
    )
    assert said.text == "AB"
    assert [tuple(one) for one in said.calls] == [("local/read", {"path": "a"}, "D681PevKs")]
    made = compiled("mistral")
    body = made.body([Message("user", "x"), Message.of(said), Message("tool", results=(result("A"),))])
    assert history(body)[1]["content"] == [{"type": "text", "text": "A"}, thinking, {"type": "text", "text": "B"}]
    assert history(body)[1]["tool_calls"][0]["function"]["arguments"] == '{"path":"a"}'


def test_mistral_replaces_ids_that_it_would_refuse() -> None:
    made = compiled("mistral")
    turn = [Message.of(compiled("anthropic").decode(FOREIGN)), Message("tool", results=(result("A"),))]
    body = made.body([Message("user", "x"), *turn])
    (own,) = (own for own, _ in asked(history(body)))
    assert own is not None
    assert len(own) == 9
    assert own.isalnum()
    assert history(body)[2]["tool_call_id"] == own


def test_mistral_hears_the_system_first_and_an_assistant_between_a_result_and_the_user() -> None:
    made = compiled("mistral")
    turn = [Message.of(made.decode(GOLDEN["answer"])), Message("tool", results=(result("A"), result("B")))]
    body = made.body(
        [Message("system", "1"), Message("user", "x"), *turn, Message("system", "2"), Message("user", "y")]
    )
    roles = [message["role"] for message in history(body)]
    assert roles == ["system", "system", "user", "assistant", "tool", "tool", "assistant", "user"]
    assert history(body)[-2]["content"] == "..."


GOLDEN = golden("mistral")
FOREIGN = {
    "content": [{"type": "tool_use", "id": "toolu_1", "name": "read", "input": {"path": "a"}}],
    "stop_reason": "tool_use",
}
