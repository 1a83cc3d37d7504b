"""Lines out of chunks: the same wherever the chunks are cut, and bounded."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from licet.sources.mcp.lines import Lines, TooLong

BYTES = st.lists(st.sampled_from([b"\n", b"a", b'{"id":1}', b"\r", b"\xff"]), max_size=40).map(b"".join)


def fed(lines: Lines, chunks: list[bytes]) -> list[bytes | TooLong]:
    return [line for chunk in chunks for line in lines.feed(chunk)]


@given(BYTES, st.lists(st.integers(0, 60), max_size=6))
def test_lines_are_the_same_wherever_the_chunks_are_cut(data: bytes, cuts: list[int]) -> None:
    edges = sorted({0, len(data), *(cut for cut in cuts if cut < len(data))})
    chunks = [data[a:b] for a, b in pairwise(edges)]
    assert fed(Lines(12), chunks) == fed(Lines(12), [data])


@given(BYTES)
def test_a_line_is_itself_or_known_to_be_too_long(data: bytes) -> None:
    for line, whole in zip(Lines(12).feed(data), data.split(b"\n"), strict=False):
        if len(whole) <= 12:
            assert line == whole
        else:
            assert isinstance(line, TooLong)
            assert line.size == len(whole)
            assert whole.startswith(line.head)
            assert whole.endswith(line.tail)


def test_nothing_of_a_line_that_is_too_long_is_kept_but_its_ends() -> None:
    lines = Lines(1000)
    for _ in range(1000):
        assert lines.feed(b"x" * 1000) == []
    assert sum(map(len, lines._parts)) == 0
    (line,) = lines.feed(b"\n")
    assert isinstance(line, TooLong)
    assert line.size == 1_000_000
    assert len(line.head) + len(line.tail) <= 1024


@pytest.mark.parametrize(
    ("line", "id"),
    [
        (b'{"jsonrpc":"2.0","id":7,"result":{"x":"%s"}}', "7"),
        (b'{"id":7,"jsonrpc":"2.0","result":{"x":"%s"}}', "7"),
        (b'{ "jsonrpc" : "2.0", "id" : "seven", "result":{"x":"%s"}}', "seven"),
        (b'{"result":{"x":"%s"},"jsonrpc":"2.0","id":7}', "7"),
        (b'{"jsonrpc":"2.0","result":{"x":"%s"},"id":7}', "7"),
        (b'{"result":{"x":"%s"},"id":7,"jsonrpc":"2.0"}', "7"),
        (b'{"jsonrpc":"2.0","result":{"x":"%s","id":7}}', ""),
        (b'{"jsonrpc":"2.0","result":{"y":"%s","x":",\\"id\\":7}"}}', ""),
        (b'{"result":{"id":7,"x":"%s"}}', ""),
        (b'"id":7,%s', ""),
    ],
)
def test_the_id_of_a_line_that_is_too_long_is_found_only_where_it_can_be_nothing_else(line: bytes, id: str) -> None:
    (found,) = Lines(64).feed(line % (b"y" * 5000) + b"\n")
    assert isinstance(found, TooLong)
    assert found.id == id
