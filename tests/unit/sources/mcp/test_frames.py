"""Lines as messages and back."""

import json
from typing import Any

import mcp_types as types
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp.shared.message import SessionMessage

from licet.sources.mcp.frames import Frames, Junk, is_heavy
from licet.sources.mcp.limits import McpLimits

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**80), 2**80)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


def frames() -> Frames:
    return Frames(McpLimits())


@given(st.dictionaries(st.text(), JSON, max_size=4))
def test_a_request_reads_as_what_was_written(arguments: dict[str, Any]) -> None:
    params = {"name": "x", "arguments": arguments}
    line = frames().write(SessionMessage(types.JSONRPCRequest(jsonrpc="2.0", id=1, method="tools/call", params=params)))
    assert line.endswith(b"\n")
    assert b"\n" not in line[:-1]
    assert json.loads(line) == {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}


@given(st.dictionaries(st.text(), JSON, max_size=4))
def test_a_result_is_read_as_it_was_written(result: dict[str, Any]) -> None:
    line = json.dumps({"jsonrpc": "2.0", "id": 1, "result": result}).encode()
    read = frames().read(line)
    assert isinstance(read, SessionMessage)
    assert read.message.result == json.loads(line)["result"]  # type: ignore[union-attr]


@given(st.binary(max_size=200))
def test_whatever_a_line_is_reading_it_raises_nothing(line: bytes) -> None:
    assert isinstance(frames().read(line), SessionMessage | Junk)


@pytest.mark.parametrize(
    ("line", "id"),
    [
        (b"", ""),
        (b"null", ""),
        (b"[]", ""),
        (b"{", ""),
        (b"[" * 100_000, ""),
        (b'{"a":' * 100_000, ""),
        (b'{"jsonrpc":"2.0"}', ""),
        (b'{"jsonrpc":"2.0","id":true,"result":{}}', ""),
        (b'{"jsonrpc":"2.0","id":1.5,"result":{}}', ""),
        (b'{"jsonrpc":"2.0","id":1,"result":[]}', "1"),
        (b'{"jsonrpc":"2.0","id":"a"}', "a"),
        (b'{"jsonrpc":"2.0","id":1,"error":"no"}', "1"),
        (b'{"jsonrpc":"2.0","id":1,"error":{"code":"x"}}', "1"),
        (b'{"jsonrpc":"2.0","method":7}', ""),
    ],
)
def test_a_line_that_is_no_message_is_counted_and_not_quoted(line: bytes, id: str) -> None:
    reader = frames()
    read = reader.read(line)
    assert isinstance(read, Junk)
    assert read.id == id
    assert len(str(read)) < 100


def test_an_error_that_goes_out_holds_what_it_says() -> None:
    error = types.JSONRPCError(jsonrpc="2.0", id="q", error=types.ErrorData(code=-32601, message="no", data="x"))
    assert json.loads(frames().write(SessionMessage(error))) == {
        "jsonrpc": "2.0",
        "id": "q",
        "error": {"code": -32601, "message": "no", "data": "x"},
    }


def test_a_text_full_of_commas_is_light_and_a_list_of_as_many_is_heavy() -> None:
    assert not is_heavy(b'{"text":"' + b"," * 1000 + b'"}', 100)
    assert not is_heavy(b'{"text":"\\"' + b"," * 1000 + b'"}', 100)
    assert is_heavy(b'{"list":[' + b"1," * 1000 + b"1]}", 100)
