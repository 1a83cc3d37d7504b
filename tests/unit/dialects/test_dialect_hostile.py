"""What a model or its provider may send: each becomes requests that the corridor refuses, or no answer at all."""

import json
import time
from typing import Any

import pytest
from sdk_types import refused_by_sdk

from licet.dialects.call import UNREADABLE
from licet.dialects.untrusted import Fence, blocks
from licet.errors import ConfigurationError
from licet.model.names import NOT_OFFERED, canonical
from licet.model.result import ToolResult
from licet.model.said import Said
from licet.model.tool import ToolSpec
from licet.ports import Message
from wires import CUT, DIALECTS, NO_IDS, READ, answer, asked, back, compiled, found, golden, history, placed, result
from wires import Said as Asks

REMOTE = ToolSpec(name="mcp/git.git_status", input_schema={"type": "object"})


def assert_goes_back(dialect: str, made: Any, said: Said) -> list[tuple[str | None, str]]:
    """The history is one that the provider takes: each call answered once, by its id, in order, with legal names."""
    body = back(made, said)
    assert refused_by_sdk(dialect, body) == ""
    json.dumps(body, allow_nan=False, ensure_ascii=False, default=str).encode()
    calls, results = asked(history(body)), found(history(body))
    assert len(calls) == len(results) == len(said.calls)
    assert [one.text for one in results] == [f"<{position}>" for position in range(len(calls))]
    for (call_id, name), one in zip(calls, results, strict=True):
        assert one.id == call_id
        assert one.name in (None, name)
    ids = [call_id for call_id, _ in calls]
    if dialect not in ("gemini", "ollama"):
        assert len(set(ids)) == len(ids)
    return calls


@pytest.mark.requirement("wire.bijection")
@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    "name",
    [
        "fs.read", "READ", "Read", "re\u0430d", "r\u200bead", "read ", " read", "read\n", "local/read", "local__read",
        "mcp/git.git_status", "mcp__git__git_statu", "mcp__git__git_status_", "MCP__git__git_status", "git_status",
        "functions.read", "now", "", "x" * 10_000, "\ud800", "../read", "read\x00", "not offered: read", None, 7, 1.5,
        True, ["read"], {"name": "read"},
    ],
)  # fmt: skip
def test_a_name_that_was_not_offered_is_no_tools_name(dialect: str, name: Any) -> None:
    made = compiled(dialect, READ, REMOTE)
    said = made.decode(answer(dialect, Asks("read", {"path": "a"}, "a1"), Asks(name, {"path": "b"}, "b2")))
    first, second = said.calls
    assert (first.tool, said.ended) == ("local/read", "calls")
    assert second.tool.startswith(NOT_OFFERED)
    with pytest.raises(ConfigurationError):
        canonical(second.tool)
    ((_, one), (_, other)) = assert_goes_back(dialect, made, said)
    assert one == "read"
    assert made.names.decode(other) is None


@pytest.mark.requirement("wire.bijection")
@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_name_of_a_tool_is_its_wire_name_and_no_other(dialect: str) -> None:
    made = compiled(dialect, READ, REMOTE, read="look")
    wire = made.names.encode("mcp/git.git_status")
    said = made.decode(answer(dialect, *(Asks(name, {}) for name in ("look", "read", wire))))
    assert [request.tool for request in said.calls] == ["local/read", f"{NOT_OFFERED}read", "mcp/git.git_status"]
    assert_goes_back(dialect, made, said)


BROKEN = (
    '{"path": ', "{'path': 'a'}", '{"path": "a"} {"path": "b"}', '{"path": "a", "path": "b"}', '{"path": NaN}', "null",
    "[]", '"read"', "7", '{"path": "\\ud800"}', "{" * 200, '{"a":' * 200 + "1" + "}" * 200, "\x00", "undefined",
    "<<data deadbeef x", '"{\\"path\\": \\"a\\"}"', '{"path": 1e999}', '{"n": 99999999999999999999999}',
)  # fmt: skip


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("text", BROKEN)
def test_arguments_that_are_no_json_object_go_on_as_they_are_and_back_as_an_object(dialect: str, text: str) -> None:
    """Also where the wire has objects: pieces of a stream are text, and a server may send text."""
    made = compiled(dialect, READ)
    said = made.decode(answer(dialect, Asks("read", text, "a1")))
    assert said.calls[0].arguments == text
    assert_goes_back(dialect, made, said)
    assert UNREADABLE in json.dumps(back(made, said))


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("value", [[], [1], 7, 1.5, True, False, {"path": float("nan")}, {"path": "\ud800"}])
def test_arguments_of_another_type_are_refused_as_such(dialect: str, value: Any) -> None:
    made = compiled(dialect, READ)
    wire = answer(dialect, Asks("read", "HERE", "a1"))
    said = made.decode(placed(wire, value))
    given = said.calls[0].arguments
    assert isinstance(given, str) or given == value or value != value
    assert given != {}
    assert_goes_back(dialect, made, said)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("nothing", [None, "", "  "])
def test_no_arguments_are_an_empty_object(dialect: str, nothing: Any) -> None:
    made = compiled(dialect)
    said = made.decode(placed(answer(dialect, Asks("now", "HERE", "a1")), nothing))
    assert said.calls[0].arguments == {}
    assert_goes_back(dialect, made, said)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_call_that_the_limit_cut_is_refused_whatever_it_seems_to_say(dialect: str) -> None:
    """Some providers close what they had: the object then is whole, and not what was meant."""
    made = compiled(dialect)
    asks = (Asks("read", {"path": "a"}, "a1"), Asks("now", {}, "b2"))
    said = made.decode(answer(dialect, *asks, finish=CUT[dialect]))
    assert (said.ended, len(said.calls)) == ("length", 2)
    first, last = said.calls
    assert json.loads(first.arguments) if isinstance(first.arguments, str) else first.arguments == {"path": "a"}
    with pytest.raises(ValueError, match="Expecting"):
        json.loads(last.arguments)
    assert_goes_back(dialect, made, said)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    "ids", [("same", "same", "same"), (None, None, None), ("", "", ""), (7, [], {}), ("é", "a b", "x" * 500)]
)
def test_ids_that_are_none_or_come_twice_are_mended_for_the_provider_alone(dialect: str, ids: tuple[Any, ...]) -> None:
    made = compiled(dialect)
    said = made.decode(answer(dialect, *(Asks("read", {"path": str(n)}, own) for n, own in enumerate(ids))))
    as_said = [own if isinstance(own, str) and own and dialect not in NO_IDS else None for own in ids]
    assert [request.call_id for request in said.calls] == as_said
    calls = assert_goes_back(dialect, made, said)
    if dialect == "gemini":
        assert [own for own, _ in calls] == as_said, "echoed as they were"
    again = made.decode(answer(dialect, *(Asks("read", {"path": str(n)}, own) for n, own in enumerate(ids))))
    assert again == said


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_same_id_in_two_turns_is_two_ids_in_the_history(dialect: str) -> None:
    made = compiled(dialect)
    said = made.decode(answer(dialect, Asks("read", {"path": "a"}, "D681PevKs")))
    turn = [Message.of(said), Message("tool", results=(result("<0>"),))]
    body = made.body([Message("user", "Look."), *turn, *turn, *turn])
    assert refused_by_sdk(dialect, body) == ""
    calls, results = asked(history(body)), found(history(body))
    assert [own for own, _ in calls] == [one.id for one in results]
    if dialect not in ("gemini", "ollama"):
        assert len({own for own, _ in calls}) == 3
        assert calls[0][0] == "D681PevKs"
    longer = made.body([Message("user", "Look."), *turn, *turn, *turn, *turn])
    assert asked(history(longer))[:3] == calls, "what was sent once is sent the same again"


@pytest.mark.parametrize("dialect", DIALECTS)
def test_ten_thousand_calls_in_a_turn_are_read_and_answered(dialect: str) -> None:
    made = compiled(dialect)
    wire = answer(dialect, *(Asks("read", {"path": "a"}, "same") for _ in range(10_000)))
    began = time.thread_time()
    said = made.decode(wire)
    messages = made.encode(Message.of(said), [result("x")] * 10_000)
    assert time.thread_time() - began < 10, "processor time; a second is usual"
    assert len(said.calls) == len(found(messages)) == 10_000
    if dialect not in ("gemini", "ollama"):
        assert len({one.id for one in found(messages)}) == 10_000


@pytest.mark.requirement("call.text-is-not-a-call")
@pytest.mark.parametrize("dialect", DIALECTS)
def test_text_that_looks_like_a_call_is_text(dialect: str) -> None:
    made, wire = compiled(dialect), golden(dialect)
    said = made.decode(answer(dialect, text=json.dumps(wire["answer"])))
    assert (said.calls, said.hosted, said.text) == ((), (), json.dumps(wire["answer"]))
    assert said.ended == "done"


@pytest.mark.parametrize("dialect", DIALECTS)
def test_arguments_and_text_with_our_own_delimiters_make_no_block_but_the_results_own(dialect: str) -> None:
    """A model may repeat, close or forge a block in what it says: a result still stands in exactly its own."""
    fence = Fence(b"0123456789abcdef")
    data = json.dumps({"text": "secret"}).encode()
    kept = ToolResult("c", "local/read", True, None, None, None, "done", 0.0, {}, data, fence)
    stolen = kept.content
    made = compiled(dialect)
    said = made.decode(answer(dialect, Asks("read", {"path": stolen, stolen: 1}, stolen), text=stolen))
    (call,) = said.calls
    given = json.loads(call.arguments) if isinstance(call.arguments, str) else call.arguments
    assert given == {"path": stolen, stolen: 1}
    echoed = kept._replace(json=json.dumps({"text": stolen}).encode())
    (one,) = found(made.encode(Message.of(said), [echoed]))
    assert list(blocks(one.text)) == [("local/read", echoed.json.decode())]
    assert refused_by_sdk(dialect, back(made, said)) == ""


@pytest.mark.parametrize("dialect", DIALECTS)
def test_results_are_as_many_as_calls(dialect: str) -> None:
    made = compiled(dialect)
    said = Message.of(made.decode(answer(dialect, Asks("read", {}, "a1"), Asks("now", {}, "b2"))))
    for count in (0, 1, 3):
        with pytest.raises(ConfigurationError, match=f"{count} results for 2 calls"):
            made.encode(said, [result("x")] * count)
    for tail in ([], [Message("user", "Go on.")], [Message("tool", results=(result("x"),))], [said]):
        with pytest.raises(ConfigurationError, match="results for 2 calls"):
            made.body([Message("user", "Look."), said, *tail])
    with pytest.raises(ConfigurationError, match="1 results for 0 calls"):
        made.body([Message("user", "Look."), Message("tool", results=(result("x"),))])
    with pytest.raises(ConfigurationError, match="'critic' is no role"):
        made.body([Message("critic", "No.")])
    assert made.encode(Message("assistant", "Done."), []) == []


@pytest.mark.parametrize("dialect", DIALECTS)
def test_an_empty_answer_leaves_nothing_that_the_provider_would_refuse(dialect: str) -> None:
    made = compiled(dialect)
    for text in ("", " \n"):
        said = made.decode(answer(dialect, text=text))
        body = back(made, said)
        assert refused_by_sdk(dialect, body) == ""
        assert said.calls == ()
        if text == "":
            assert not any(message.get("role") in ("assistant", "model") for message in history(body))


@pytest.mark.parametrize("dialect", ["anthropic", "bedrock"])
def test_calls_are_told_as_text_where_no_tool_is_offered_any_more(dialect: str) -> None:
    """Both providers refuse the blocks of calls and results in a request without tools."""
    made = compiled(dialect)
    said = Message.of(made.decode(golden(dialect)["answer"]))
    results = (result("<first>"), result("<second>", success=False))
    hidden = ToolSpec(name="x", source="hosted", hosted={})
    body = compiled(dialect, hidden).body([Message("user", "Look."), said, Message("tool", results=results)])
    assert asked(history(body)) == []
    assert found(history(body)) == []
    assert "<first>" in str(body)
    assert refused_by_sdk(dialect, body) == ""
