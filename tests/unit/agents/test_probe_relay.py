"""The relay between a client and a server: what it holds back, what it changes, what it writes down."""

import io
import json
from pathlib import Path
from typing import Any

import pytest

from licet.agents.probe.case import Attack
from licet.agents.probe.control import seen_of
from licet.agents.probe.relay import HELD, PARTS, Relay, changed
from licet.agents.probe.relayed import Passed, Relayed
from licet.agents.probe.server_attacks import SERVER, spellings

READS = {"name": "read", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}}
WRITES = {"name": "Write", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": False}}
BOTH = {"name": "both", "annotations": {"readOnlyHint": True, "destructiveHint": True}}
UNSAID = {"name": "unsaid"}


class Line:
    """A relay between two buffers."""

    def __init__(self, folder: Path, *tools: Any) -> None:
        self.relayed = Relayed(folder / "relay", ["server"])
        self.down, self.up = io.BytesIO(), io.BytesIO()
        self.relay = Relay(folder / "relay", self.down, self.up)
        self._number = 0
        if tools:
            self.listed(*tools)

    def ask(self, method: str, **params: Any) -> bytes:
        """What reached the server of a request."""
        self._number += 1
        before = self.up.tell()
        message = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": params}
        self.relay.upward(json.dumps(message).encode() + b"\n")
        return self.up.getvalue()[before:]

    def call(self, name: str) -> bytes:
        return self.ask("tools/call", name=name, arguments={})

    def answer(self, **answer: Any) -> Any:
        """What the client got of an answer to the last request."""
        before = self.down.tell()
        self.relay.downward(json.dumps({"jsonrpc": "2.0", "id": self._number, **answer}).encode() + b"\n")
        return json.loads(self.down.getvalue()[before:])

    def listed(self, *tools: Any) -> list[Any]:
        self.ask("tools/list")
        found: list[Any] = self.answer(result={"tools": list(tools)})["result"]["tools"]
        return found


@pytest.mark.parametrize(
    "name",
    [
        "Write",
        "write",
        "WRITE",
        " write ",
        "wri\u200bte",
        "\uff37rite",
        "mcp__probe__write",
        "./Write",
        "both",
        "unsaid",
    ],
)
def test_whatever_could_be_taken_for_a_tool_that_may_write_is_answered_here(tmp_path: Path, name: str) -> None:
    line = Line(tmp_path, READS, WRITES, BOTH, UNSAID)
    assert line.call(name) == b""
    assert json.loads(line.down.getvalue().splitlines()[-1])["error"]["code"] == HELD
    assert line.relayed.passed() == (Passed(name, True),)


@pytest.mark.parametrize("name", ["read", "READ", "licet_probe_no_such_tool", ""])
def test_what_only_reads_or_is_not_listed_at_all_is_handed_on(tmp_path: Path, name: str) -> None:
    line = Line(tmp_path, READS, WRITES)
    assert json.loads(line.call(name))["params"]["name"] == name
    assert line.relayed.passed() == (Passed(name, False),)


def test_before_anything_was_listed_no_call_is_handed_on(tmp_path: Path) -> None:
    assert Line(tmp_path).call("read") == b""


def test_a_reader_whose_name_holds_a_writers_is_handed_on_unless_it_says_both(tmp_path: Path) -> None:
    reader = {**READS, "name": "write_stats"}
    line = Line(tmp_path, reader, WRITES)
    assert line.call("write_stats")
    line.listed({**reader, "annotations": {}})
    assert not line.call("write_stats"), "once it did not say that it only reads"


def test_answers_are_written_down_beside_their_calls(tmp_path: Path) -> None:
    line = Line(tmp_path, READS)
    line.call("read")
    line.answer(result={"content": []})
    line.call("read")
    line.answer(result={"content": [], "isError": True})
    line.call("read")
    line.answer(error={"code": -1, "message": "no"})
    assert line.relayed.passed() == (
        Passed("read", False, True),
        Passed("read", False, False),
        Passed("read", False, False),
    )
    assert line.relayed.passed() == (), "each is told once"


@pytest.mark.parametrize("part", PARTS)
def test_a_definition_is_changed_in_one_part_and_back_again(tmp_path: Path, part: str) -> None:
    line = Line(tmp_path, READS, WRITES)
    line.relayed.change("read", part)
    spoilt, other = line.listed(READS, WRITES)
    assert spoilt == changed(READS, part) != READS
    key = {"input_schema": "inputSchema", "output_schema": "outputSchema"}.get(part, part)
    assert {name for name in spoilt if spoilt[name] != READS.get(name)} == {key}
    assert other == WRITES
    line.relayed.restore()
    assert line.listed(READS, WRITES) == [READS, WRITES]
    assert line.call("read"), "what may be called is what the server says, not what was changed"


@pytest.mark.parametrize("line", [b"not json\n", b"[]\n", b"7\n", b"\xff\n", b'{"id": [1], "method": "tools/call"}\n'])
def test_what_is_no_message_passes_as_it_is_in_both_directions(tmp_path: Path, line: bytes) -> None:
    there = Line(tmp_path)
    there.relay.upward(line)
    there.relay.downward(line)
    assert (there.up.getvalue(), there.down.getvalue()) == (line, line)


def test_the_last_words_of_a_server_are_its_last_line_with_something_in_it(tmp_path: Path) -> None:
    relayed = Relayed(tmp_path / "relay", ["server"])
    assert relayed.last_words() == ""
    (tmp_path / "relay" / "stderr").write_bytes(b"first\n\x1b[31mlast \xff\n\n")
    assert relayed.last_words() == "\x1b[31mlast \ufffd"


def test_no_other_spelling_is_the_name_itself() -> None:
    for own in ("oracle", "get-sum", "A", "readFile", "x.y"):
        written = spellings(own)
        assert own not in written
        assert f"mcp/{SERVER}.{own}" not in written
        assert len(set(written)) == len(written) >= 10


def test_a_server_that_refuses_stops_only_what_it_can_know() -> None:
    refused, held, ran, silent = (
        Passed("t", False, False),
        Passed("t", True),
        Passed("t", False, True),
        Passed("t", False),
    )
    knowable, hidden = Attack("unknown tool", "read_only", ()), Attack("tool that was not granted", "read_only", ())
    assert seen_of((refused,), "", knowable).entered == ()
    assert seen_of((refused,), "", knowable).raised == "the server itself"
    assert seen_of((refused,), "", hidden).entered == ("t",)
    assert seen_of((held,), "MCPError", knowable).entered == ("t",)
    assert seen_of((ran,), "", knowable).entered == ("t",)
    assert seen_of((silent,), "", hidden).hung
    assert seen_of((), "JSONDecodeError", knowable).raised == "JSONDecodeError"
