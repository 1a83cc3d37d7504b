"""Streams of events, piece by piece, as Anthropic, Bedrock, OpenAI's Responses and Gemini send them."""

from typing import Any

import pytest

from licet.errors import AnswerError
from licet.model.names import NOT_OFFERED
from licet.model.said import HostedItem, Said
from licet.model.tool import ToolSpec
from licet.ports import Message
from wires import READ, compiled, golden, history, result


def read(dialect: str, *events: dict[str, Any], tools: tuple[Any, ...] = ()) -> Said:
    stream = compiled(dialect, *tools).stream()
    for event in events:
        stream.feed(event)
    said: Said = stream.said()
    return said


def anthropic(*blocks: tuple[dict[str, Any], ...], stop: str = "end_turn") -> list[dict[str, Any]]:
    """Each block is its start and its deltas."""
    events: list[dict[str, Any]] = [{"type": "message_start", "message": {"usage": {"input_tokens": 1}}}]
    for index, (start, *deltas) in enumerate(blocks):
        events.append({"type": "content_block_start", "index": index, "content_block": start})
        events += [{"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas]
        events.append({"type": "content_block_stop", "index": index})
    return [*events, {"type": "message_delta", "delta": {"stop_reason": stop}}, {"type": "message_stop"}]


def test_arguments_that_break_off_are_no_json_and_a_call_without_any_has_none() -> None:
    use = {"type": "tool_use", "id": "t1", "name": "read", "input": {}}
    broken = (use, {"type": "input_json_delta", "partial_json": '{"path": "a'})
    twice = ({**use, "id": "t2"}, {"type": "input_json_delta", "partial_json": '{"path": "a", "path": "b"}'})
    empty = ({**use, "id": "t3", "name": "now"}, {"type": "input_json_delta", "partial_json": ""})
    said = read("anthropic", *anthropic(broken, twice, empty, stop="tool_use"))
    assert [call.arguments for call in said.calls] == ['{"path": "a', '{"path": "a", "path": "b"}', {}]
    body = compiled("anthropic").body([Message.of(said), Message("tool", results=(result("x"),) * 3)])
    inputs = [block["input"] for block in history(body)[0]["content"]]
    assert inputs == [{"unreadable": '{"path": "a'}, {"unreadable": '{"path": "a", "path": "b"}'}, {}]


def test_what_anthropic_ran_comes_in_pieces_too() -> None:
    search = ToolSpec(
        name="s", source="hosted", hosted={"anthropic": {"type": "web_search_20250305", "name": "web_search"}}
    )
    use = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}}
    cited = {
        "type": "citations_delta",
        "citation": {"type": "web_search_result_location", "url": "https://example.org"},
    }
    events = anthropic(
        (use, {"type": "input_json_delta", "partial_json": '{"query": "q"}'}),
        ({"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []},),
        ({"type": "text", "text": ""}, {"type": "text_delta", "text": "Found."}, cited),
    )
    said = read("anthropic", *events, tools=(READ, search))
    assert said.hosted == (HostedItem("local/s", "web_search", "srvtoolu_1"),)
    (turn,) = compiled("anthropic", READ, search).body([Message.of(said)])["messages"]
    assert turn["content"][0]["input"] == {"query": "q"}
    assert turn["content"][2] == {"type": "text", "text": "Found.", "citations": [cited["citation"]]}
    assert read("anthropic", *events).hosted == (HostedItem(None, "web_search", "srvtoolu_1"),)


def test_thinking_without_its_signature_does_not_go_back() -> None:
    thinking = ({"type": "thinking", "thinking": ""}, {"type": "thinking_delta", "thinking": "hm"})
    hidden = ({"type": "redacted_thinking", "data": "ZW5j"},)
    said = read("anthropic", *anthropic(thinking, hidden, ({"type": "text", "text": "Hm."},)))
    (turn,) = compiled("anthropic").body([Message.of(said)])["messages"]
    assert [block["type"] for block in turn["content"]] == ["redacted_thinking", "text"]


@pytest.mark.parametrize(
    "event",
    [
        {"type": "error", "error": {"type": "overloaded_error", "message": "sk-secret"}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "x"}},
        {"type": "content_block_start", "index": 5, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_start", "message": {}},
    ],
)
def test_an_event_that_contradicts_those_before_ends_the_answer(event: dict[str, Any]) -> None:
    stream = compiled("anthropic").stream()
    stream.feed({"type": "message_start", "message": {}})
    with pytest.raises(AnswerError) as first:
        stream.feed(event)
    assert "secret" not in str(first.value)
    for again in (lambda: stream.feed({"type": "ping"}), stream.said):
        with pytest.raises(AnswerError):
            again()


def test_events_that_nobody_knows_yet_say_nothing() -> None:
    events = anthropic(({"type": "text", "text": "Hm."},))
    assert read("anthropic", {"type": "new_event"}, *events, {"type": "ping"}).text == "Hm."
    wire = golden("openai_responses")
    news = {"type": "response.something.new", "sequence_number": 10_000}
    assert read("openai_responses", *wire["events"], news).text == "I look."


def test_bedrock_breaks_off_with_an_exception_in_the_stream() -> None:
    for kind in ("throttlingException", "modelStreamErrorException", "internalServerException"):
        with pytest.raises(AnswerError, match=kind):
            read("bedrock", {"messageStart": {"role": "assistant"}}, {kind: {"message": "sk-secret"}})


def test_bedrocks_hidden_reasoning_is_bytes_and_goes_back_as_such() -> None:
    def delta(index: int, **held: Any) -> dict[str, Any]:
        return {"contentBlockDelta": {"contentBlockIndex": index, "delta": held}}

    def stop(index: int) -> dict[str, Any]:
        return {"contentBlockStop": {"contentBlockIndex": index}}

    said = read(
        "bedrock",
        {"messageStart": {"role": "assistant"}},
        delta(0, reasoningContent={"redactedContent": b"\x00\xff"}),
        delta(0, reasoningContent={"redactedContent": b"\x01"}),
        stop(0),
        delta(1, text="Hm."),
        stop(1),
        {"messageStop": {"stopReason": "end_turn"}},
    )
    (turn,) = compiled("bedrock").body([Message.of(said)])["messages"]
    assert turn["content"] == [{"reasoningContent": {"redactedContent": b"\x00\xff\x01"}}, {"text": "Hm."}]


def test_a_last_event_of_responses_may_be_without_output() -> None:
    """One service leaves it empty, and everything stands in the items before."""
    wire = golden("openai_responses")
    *events, last = wire["events"]
    empty = {**last, "response": {**last["response"], "output": []}}
    made = compiled("openai_responses")
    assert read("openai_responses", *events, empty) == made.decode(wire["answer"])


def test_calls_that_differ_between_the_pieces_and_the_whole_are_no_answer() -> None:
    wire = golden("openai_responses")
    *events, last = wire["events"]
    output = [dict(item) for item in wire["answer"]["output"]]
    output[-1]["arguments"] = '{"path": "/etc/passwd"}'
    with pytest.raises(AnswerError, match="not those of the whole"):
        read("openai_responses", *events, {**last, "response": {**last["response"], "output": output}})
    moved = [{**event, "delta": '{"path": "/etc'} if event.get("delta") == '{"pat' else event for event in events]
    with pytest.raises(AnswerError, match="not those of its end"):
        read("openai_responses", *moved, last)


def test_a_custom_call_and_one_in_a_namespace_are_calls_of_no_tool() -> None:
    made = compiled("openai_responses")
    custom = {"type": "custom_tool_call", "id": "ct_1", "call_id": "c1", "name": "read", "input": "a"}
    spaced = {"type": "function_call", "call_id": "c2", "name": "read", "namespace": "x", "arguments": "{}"}
    said = made.decode({"status": "completed", "output": [custom, spaced]})
    assert [call.tool for call in said.calls] == [f"{NOT_OFFERED}read (custom)", f"{NOT_OFFERED}read (in a namespace)"]
    body = made.body([Message.of(said), Message("tool", results=(result("no"), result("no")))])
    assert history(body)[:2] == [custom, spaced]
    assert [item["type"] for item in history(body)[2:]] == ["custom_tool_call_output", "function_call_output"]


def test_reasoning_that_led_nowhere_does_not_go_back() -> None:
    """The service refuses reasoning without the item that came of it."""
    made = compiled("openai_responses")
    reasoning = {"type": "reasoning", "id": "rs_1", "summary": []}
    said = made.decode({"status": "incomplete", "output": [reasoning]})
    assert said.ended == "length"
    assert made.body([Message("user", "x"), Message.of(said), Message("user", "y")])["input"] == [
        {"role": "user", "content": "x"},
        {"role": "user", "content": "y"},
    ]


@pytest.mark.parametrize(
    ("kind", "declared"),
    [
        ("web_search_call", {"type": "web_search_preview"}),
        ("file_search_call", {"type": "file_search", "vector_store_ids": ["v"]}),
        ("code_interpreter_call", {"type": "code_interpreter", "container": {"type": "auto"}}),
        ("image_generation_call", {"type": "image_generation"}),
        ("mcp_call", {"type": "mcp", "server_label": "git", "server_url": "https://example.org"}),
        ("mcp_list_tools", {"type": "mcp", "server_label": "git", "server_url": "https://example.org"}),
    ],
)
def test_each_kind_of_item_is_explained_by_its_own_tool_alone(kind: str, declared: dict[str, Any]) -> None:
    other = {"type": "file_search"} if kind != "file_search_call" else {"type": "web_search"}
    tools = [ToolSpec(name=name, source="hosted", hosted={"openai_responses": held})
             for name, held in (("other", other), ("own", declared))]  # fmt: skip
    wire = {"status": "completed", "output": [{"type": kind, "id": "i1", "server_label": "git"}]}
    assert compiled("openai_responses", *tools).decode(wire).hosted == (HostedItem("local/own", kind, "i1"),)
    assert compiled("openai_responses", tools[0]).decode(wire).hosted == (HostedItem(None, kind, "i1"),)
    if declared["type"] == "mcp":
        wire["output"][0]["server_label"] = "another"  # type: ignore[index]
        assert compiled("openai_responses", *tools).decode(wire).hosted == (HostedItem(None, kind, "i1"),)


@pytest.mark.parametrize(
    "kind", ["computer_call", "local_shell_call", "shell_call", "apply_patch_call", "brand_new_call"]
)
def test_an_item_that_nothing_explains_is_told_as_such(kind: str) -> None:
    said = compiled("openai_responses").decode({"status": "completed", "output": [{"type": kind, "id": "i1"}]})
    assert said.hosted == (HostedItem(None, kind, "i1"),)


@pytest.mark.parametrize(
    ("dialect", "declared"),
    [
        ("openai_chat", {}),
        ("openai_chat", {"type": "function", "function": {"name": "x"}}),
        ("openai_responses", {"type": ""}),
        ("openai_responses", {"type": "function", "name": "x"}),
        ("openai_responses", {"type": "computer_use_preview"}),
        ("openai_responses", {"type": "local_shell"}),
        ("anthropic", {"name": "x"}),
        ("anthropic", {"name": "x", "input_schema": {"type": "object"}, "type": "custom"}),
        ("anthropic", {"type": "bash_20250124", "name": "bash"}),
        ("anthropic", {"type": "web_search_20250305"}),
        ("gemini", {"functionDeclarations": [{"name": "x"}]}),
        ("gemini", {"functionDeclarations": {}}),
        ("gemini", {"googleSearch": {}, "codeExecution": {}}),
        ("gemini", {"googleSearch": True}),
        ("bedrock", {"toolSpec": {"name": "x"}}),
        ("bedrock", {"systemTool": {}}),
        ("mistral", {"type": "web_search"}),
        ("ollama", {"type": "web_search"}),
    ],
)
def test_a_declaration_that_is_none_of_a_hosted_tool_is_refused_and_goes_nowhere(
    dialect: str, declared: dict[str, Any]
) -> None:
    made = compiled(dialect, ToolSpec(name="x", source="hosted", hosted={dialect: declared}))
    assert made.tools == []
    assert "'x' is run by a provider, and " in made.refused["local/x"]


def test_gemini_says_a_search_beside_its_parts() -> None:
    search = ToolSpec(name="s", source="hosted", hosted={"gemini": {"googleSearch": {}}})
    piece = {"candidates": [{"content": {"parts": [{"text": "Found."}]}, "finishReason": "STOP",
                             "groundingMetadata": {"webSearchQueries": ["q"]}}]}  # fmt: skip
    assert read("gemini", piece, tools=(search,)).hosted == (HostedItem("local/s", "groundingMetadata"),)
    assert read("gemini", piece).hosted == (HostedItem(None, "groundingMetadata"),)
    piece["candidates"][0]["groundingMetadata"] = {}
    assert read("gemini", piece).hosted == ()


def test_gemini_keeps_a_signature_in_its_own_part() -> None:
    def piece(finish: str | None, *parts: dict[str, Any]) -> dict[str, Any]:
        return {"candidates": [{"content": {"role": "model", "parts": list(parts)}, "finishReason": finish}]}

    said = read(
        "gemini",
        piece(None, {"text": "A"}),
        piece(None, {"text": "B"}),
        piece(None, {"text": "", "thoughtSignature": "c2ln"}),
        piece("STOP", {"text": "C"}, {"text": ""}),
    )
    assert said.text == "ABC"
    (turn,) = compiled("gemini").body([Message.of(said)])["contents"]
    assert turn["parts"] == [{"text": "AB"}, {"text": "", "thoughtSignature": "c2ln"}, {"text": "C"}]


def test_a_gemini_call_in_parts_is_no_answer() -> None:
    call = {"functionCall": {"name": "read", "willContinue": True, "partialArgs": [{"jsonPath": "$.path"}]}}
    with pytest.raises(AnswerError, match="a call came in parts"):
        compiled("gemini").decode({"candidates": [{"content": {"parts": [call]}, "finishReason": "STOP"}]})


def test_a_block_that_nothing_ended_is_cut_although_the_answer_ended() -> None:
    *events, stop, end, last = anthropic(({"type": "text", "text": ""}, {"type": "text_delta", "text": "Hm."}))
    assert stop["type"] == "content_block_stop"
    with pytest.raises(AnswerError, match="was cut"):
        read("anthropic", *events, end, last)
    delta = {"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"text": "Hm."}}}
    with pytest.raises(AnswerError, match="was cut"):
        read("bedrock", {"messageStart": {"role": "assistant"}}, delta, {"messageStop": {"stopReason": "end_turn"}})


def test_gemini_says_nothing_after_the_end() -> None:
    def piece(finish: str | None, text: str) -> dict[str, Any]:
        return {"candidates": [{"content": {"parts": [{"text": text}]}, "finishReason": finish}]}

    assert read("gemini", piece(None, "A"), piece("STOP", "B"), piece(None, "")).text == "AB"
    with pytest.raises(AnswerError, match="after the end"):
        read("gemini", piece("STOP", "A"), piece(None, "B"))


@pytest.mark.parametrize("grounding", [{}, {"webSearchQueries": []}, {"searchEntryPoint": {}}, None, "x"])
def test_a_grounding_that_tells_of_no_search_is_none(grounding: Any) -> None:
    candidate = {"content": {"parts": [{"text": "A"}]}, "finishReason": "STOP", "groundingMetadata": grounding}
    assert compiled("gemini").decode({"candidates": [candidate]}).hosted == ()


def test_events_of_responses_come_in_the_order_of_their_numbers() -> None:
    first, second, *rest = golden("openai_responses")["events"]
    for order in ([second, first, *rest], [first, first, second, *rest]):
        with pytest.raises(AnswerError, match="out of order"):
            read("openai_responses", *order)
