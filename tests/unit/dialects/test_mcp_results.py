"""What a server answers, kept as it came; and any outcome of a call as a served client reads it."""

import copy
import json
from time import thread_time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from licet.dialects.mcp import read_result, wire_result
from licet.dialects.mcp_result import MAX_ERROR_CHARACTERS
from licet.dialects.untrusted import Fence
from licet.errors import InvalidResultError, ToolFailedError
from licet.model.answer import Answer, FailedAnswer
from licet.model.result import ToolResult
from licet.model.tool import ToolSpec

TOOL = "mcp/git.git_log"


def text(said: str = "hello", **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": said, **more}


IMAGE = {"type": "image", "data": "aGk=", "mimeType": "image/png", "annotations": {"audience": ["user"]}}
AUDIO = {"type": "audio", "data": "aGk=", "mimeType": "audio/wav"}
LINK = {"type": "resource_link", "uri": "file:///a", "name": "a", "icons": []}
EMBEDDED = {"type": "resource", "resource": {"uri": "file:///a", "text": "hi", "mimeType": "text/plain"}}
BLOB = {"type": "resource", "resource": {"uri": "file:///a", "blob": "aGk="}}
NEW_KIND = {"type": "hologram", "depth": 3, "layers": [{"x": 1.5}, None]}
EVERY_KIND = [text(), text("é 漢 🙂"), IMAGE, AUDIO, LINK, EMBEDDED, BLOB, NEW_KIND]


def answer(*content: Any, **more: Any) -> Answer:
    raw = {"content": list(content), **more}
    before = copy.deepcopy(raw)
    found = read_result(raw, TOOL)
    assert raw == before, "what came is not changed"
    return found


# --- read ---


def test_structured_content_that_is_an_object_is_the_output() -> None:
    found = answer(text("7"), structuredContent={"n": 7})
    assert found == Answer({"n": 7}, (text("7"),), {"n": 7})
    assert answer(structuredContent={}) == Answer({}, (), {})


@pytest.mark.parametrize("value", [[1, 2], 7, "x", False, 0, ""], ids=repr)
def test_other_structured_content_is_the_result_in_the_output(value: Any) -> None:
    assert answer(text(), structuredContent=value) == Answer({"result": value}, (text(),), value)


@pytest.mark.parametrize(
    ("content", "said"),
    [([], ""), ([text()], "hello"), ([text("a"), IMAGE, text("b\nc"), text("")], "a\nb\nc\n"), ([IMAGE, EMBEDDED], "")],
)
def test_without_structured_content_the_output_is_all_text_by_lines(content: list[Any], said: str) -> None:
    for more in ({}, {"structuredContent": None}, {"isError": False}, {"isError": None}, {"resultType": "complete"}):
        assert answer(*content, **more) == Answer({"text": said}, tuple(content), None)


def test_every_block_is_kept_as_it_came_in_its_order_also_one_of_a_kind_nobody_knows() -> None:
    assert answer(*EVERY_KIND).blocks == tuple(EVERY_KIND)
    shared = text()
    found = answer(shared).blocks[0]
    assert found is not shared, "a copy"


def test_no_meta_is_kept_at_any_depth() -> None:
    noted = {
        **EMBEDDED,
        "_meta": {"a": 1},
        "resource": {**EMBEDDED["resource"], "_meta": {"b": 2}},  # type: ignore[dict-item]
    }
    deep = {**NEW_KIND, "layers": [{"_meta": 1, "x": [{"_meta": 2}]}]}
    found = answer(text('"_meta": stays', _meta={"c": 3}), noted, deep, _meta={"d": 4})
    assert found.blocks == (text('"_meta": stays'), EMBEDDED, {**NEW_KIND, "layers": [{"x": [{}]}]})


def test_content_of_megabytes_is_read_in_no_time_that_anybody_waits_for() -> None:
    for said in ("x" * (4 << 20), "é\n" * (2 << 20)):
        start = thread_time()
        found = read_result({"content": [text(said), {**EMBEDDED, "resource": {"uri": "a", "blob": said}}]}, TOOL)
        took_s = thread_time() - start
        assert found.output == {"text": said}
        assert took_s < 0.05, f"{took_s * 1000:.0f} ms"


def test_structured_content_alone_is_a_result() -> None:
    for raw in ({"structuredContent": {"n": 1}}, {"structuredContent": {"n": 1}, "content": None}):
        assert read_result(raw, TOOL) == Answer({"n": 1}, (), {"n": 1})


@pytest.mark.parametrize(
    ("raw", "told"),
    [
        ({}, "gave no list of content"),
        ({"content": None}, "no list of content"),
        ({"content": "hello"}, "no list of content"),
        ({"content": {"type": "text"}, "structuredContent": {}}, "no list of content"),
        ({"task": {"taskId": "1"}}, "no list of content"),
        ({"content": ["hello"]}, "no content block"),
        ({"content": [None]}, "no content block"),
        ({"content": [{}]}, "no content block"),
        ({"content": [{"type": 7}]}, "no content block"),
        ({"content": [text(), {"type": "text"}]}, "no content block"),
        ({"content": [{"type": "text", "text": 7}]}, "no content block"),
        ({"content": [{"type": "image", "data": "aGk="}]}, "no content block"),
        ({"content": [{"type": "audio", "mimeType": "a/b"}]}, "no content block"),
        ({"content": [{"type": "resource_link", "uri": "file:///a"}]}, "no content block"),
        ({"content": [{"type": "resource"}]}, "no content block"),
        ({"content": [{"type": "resource", "resource": {"text": "x"}}]}, "no content block"),
        ({"content": [{"type": "resource", "resource": {"uri": "x"}}]}, "no content block"),
        ({"content": [text("\ud800")]}, "content that is not JSON"),
        ({"content": [text("x", more="é\udfff")]}, "content that is not JSON"),
        ({"content": [text("x", **{"\ud800": "x"})]}, "content that is not JSON"),
        ({"content": [text("x", more=[{"\ud800": "x"}])]}, "content that is not JSON"),
        ({"content": [{**EMBEDDED, "resource": {"uri": "x", "text": "\ud800"}}]}, "content that is not JSON"),
        ({"content": [{"type": "x", "n": float("nan")}]}, "content that is not JSON"),
        ({"content": [], "isError": "no"}, "isError that is not true or false"),
        ({"content": [], "isError": 1}, "isError"),
        ({"content": [], "resultType": "surprise"}, "a kind that is not known"),
        ({"content": [], "resultType": 7}, "a kind that is not known"),
        ({"content": [], "isError": True, "structuredContent": {"n": float("inf")}}, "content that is not JSON"),
    ],
    ids=lambda value: str(value)[:50],
)  # fmt: skip
def test_what_is_no_result_is_refused(raw: dict[str, Any], told: str) -> None:
    with pytest.raises(InvalidResultError) as caught:
        read_result(raw, TOOL)
    assert told in str(caught.value)
    assert str(caught.value).startswith("'mcp/git.git_log' gave ")
    assert caught.value.tool_name == TOOL


def test_content_as_deep_as_a_well_is_refused() -> None:
    deep: Any = 1
    for _ in range(5000):
        deep = [deep]
    within: dict[str, Any] = {}
    for _ in range(5000):
        within = {"uri": "a", "text": "b", "resource": within}
    with pytest.raises(InvalidResultError, match="nested deeper"):
        read_result({"content": [{"type": "resource", "resource": within}]}, TOOL)
    with pytest.raises(InvalidResultError, match="nested deeper"):
        read_result({"content": [{"type": "x", "deep": deep}]}, TOOL)


def test_a_tool_that_says_it_failed_fails_with_its_own_text() -> None:
    with pytest.raises(FailedAnswer) as caught:
        answer(
            text("no such branch"), IMAGE, text("try main", _meta={"x": 1}), isError=True, structuredContent={"c": 1}
        )
    assert str(caught.value) == "no such branch\ntry main"
    assert caught.value.blocks == (text("no such branch"), IMAGE, text("try main"))
    assert caught.value.structured == {"c": 1}
    assert (caught.value.tool_name, caught.value.reason) == (TOOL, "")


def test_the_message_of_a_failure_is_bounded_and_its_blocks_are_whole() -> None:
    long = "x" * 100_000
    with pytest.raises(FailedAnswer) as caught:
        answer(text(long), isError=True)
    assert str(caught.value) == "x" * MAX_ERROR_CHARACTERS + "..."
    assert caught.value.blocks == (text(long),)
    with pytest.raises(FailedAnswer) as caught:
        answer(text("y" * MAX_ERROR_CHARACTERS), isError=True)
    assert str(caught.value) == "y" * MAX_ERROR_CHARACTERS
    for content in ([], [IMAGE], [text("")]):
        with pytest.raises(FailedAnswer, match=r"'mcp/git\.git_log' says that it failed, and not how"):
            answer(*content, isError=True)


def test_a_tool_that_asks_back_fails() -> None:
    raw = {
        "resultType": "input_required",
        "inputRequests": {"a": {"method": "elicitation/create"}},
        "requestState": "x",
    }
    with pytest.raises(ToolFailedError, match="asks for more input") as caught:
        read_result(raw, TOOL)
    assert not isinstance(caught.value, FailedAnswer)
    assert caught.value.reason == "input_required"


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6) | st.just("text"),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["type", "text", "data", "_meta", "resource", "uri"]), inner, max_size=3)
    ),
    max_leaves=12,
)


@settings(max_examples=300, deadline=None)
@given(
    st.dictionaries(
        st.sampled_from(["content", "structuredContent", "isError", "resultType", "_meta"]), json_values, max_size=4
    )
)
def test_whatever_comes_is_an_answer_or_one_of_three_failures(raw: dict[str, Any]) -> None:
    try:
        found = read_result(raw, TOOL)
    except (InvalidResultError, ToolFailedError) as exc:
        failure = exc
    else:
        assert isinstance(found.output, dict)
        assert '"_meta":' not in json.dumps(found.blocks)
        return
    assert failure.tool_name == TOOL
    assert str(failure)


# --- said to a served client ---


def result(output: Any = None, *, code: str | None = None, error: str | None = None, **more: Any) -> ToolResult:
    data = json.dumps(output, separators=(",", ":"), ensure_ascii=False).encode()
    kept = output if code is None else {}
    return ToolResult("c", TOOL, code is None, kept, error, code, "done", 1.0, {}, data, Fence(b"s"))._replace(**more)


REMOTE = ToolSpec(name=TOOL, source="mcp")
PLAIN = ToolSpec(name="t")
TYPED = ToolSpec(name="t", output_schema={"type": "object"})


def test_what_a_server_answered_passes_as_it_came() -> None:
    for structured in (None, {"n": 1}, [1], 0, False):
        came = answer(*EVERY_KIND, structuredContent=structured)
        wire = wire_result(result(came.output, blocks=came.blocks, structured=came.structured), REMOTE)
        assert wire["content"] == EVERY_KIND
        assert wire["isError"] is False
        assert wire.get("structuredContent") == structured
        assert ("structuredContent" in wire) is (structured is not None)
        assert set(wire) <= {"content", "isError", "structuredContent"}


def test_a_server_that_answered_nothing_is_served_as_nothing() -> None:
    came = answer()
    assert wire_result(result(came.output), REMOTE) == {"content": [], "isError": False}


def test_structured_content_without_a_word_is_said_in_words_too() -> None:
    came = answer(structuredContent={"n": 1})
    assert wire_result(result(came.output, structured=came.structured), REMOTE) == {
        "content": [text('{"n":1}')],
        "structuredContent": {"n": 1},
        "isError": False,
    }


@pytest.mark.parametrize("output", [{"n": 1}, [1], "é <b>", None, 7], ids=repr)
def test_a_value_of_ours_is_one_text_of_its_json(output: Any) -> None:
    said = json.dumps(output, separators=(",", ":"), ensure_ascii=False)
    for spec in (None, PLAIN):
        assert wire_result(result(output), spec) == {"content": [text(said)], "isError": False}


def test_a_tool_of_ours_with_an_output_schema_gives_structured_content_too() -> None:
    assert wire_result(result({"n": 1}), TYPED) == {
        "content": [text('{"n":1}')],
        "structuredContent": {"n": 1},
        "isError": False,
    }
    assert "structuredContent" not in wire_result(result(code="tool_failed", error="x"), TYPED)


@pytest.mark.parametrize(
    ("code", "error", "said"),
    [
        ("invalid_arguments", "/n: needed", "invalid_arguments: /n: needed"),
        ("approval_denied", "nobody can say yes", "approval_denied: nobody can say yes"),
        ("rule_forbids", "closed", "rule_forbids: closed"),
        ("tool_failed", None, "tool_failed: tool_failed"),
        ("ledger_unavailable", "/home/x/ledger", "ledger_unavailable: there is no ledger to record this call on"),
    ],
)
def test_a_refusal_is_one_text_with_its_code(code: str, error: str | None, said: str) -> None:
    assert wire_result(result(code=code, error=error), None) == {"content": [text(said)], "isError": True}


def test_not_granted_hidden_and_unknown_are_one_text() -> None:
    codes = ("not_granted", "unknown_tool", "mode_forbids", "hosted_tool")
    told = [
        wire_result(result(code=code, error=f"secret of {code}"), spec) for code in codes for spec in (None, REMOTE)
    ]
    assert all(wire == told[0] for wire in told)
    assert told[0] == {"content": [text("unknown_tool: there is no tool of this name")], "isError": True}


def test_a_failure_that_a_server_told_passes_as_it_came() -> None:
    failed = result(
        code="tool_failed", error="no such branch", blocks=(text("no such branch"), IMAGE), structured={"c": 1}
    )
    assert wire_result(failed, REMOTE) == {
        "content": [text("no such branch"), IMAGE],
        "structuredContent": {"c": 1},
        "isError": True,
    }
