"""A file is read strictly: what a person sees in it is all that there is, and every part keeps its line."""

import json
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from licet.project.yaml_events import MAX_DEPTH, MAX_TOKENS
from licet.project.yaml_file import MAX_BYTES, Document, NotRead, read


def doc(text: str) -> Document:
    return read(text.encode(), "licet.yaml")


def refused(text: str | bytes) -> NotRead:
    with pytest.raises(NotRead) as caught:
        read(text if isinstance(text, bytes) else text.encode(), "licet.yaml")
    assert str(caught.value).startswith(f"licet.yaml:{caught.value.line}: ")
    return caught.value


def test_words_are_those_of_yaml_1_2() -> None:
    told = doc("{a: no, b: on, c: yes, d: off, e: True, f: false, g: ~, h: , i: null, j: 'null', k: y}").value
    assert told == {
        "a": "no",
        "b": "on",
        "c": "yes",
        "d": "off",
        "e": True,
        "f": False,
        "g": None,
        "h": None,
        "i": None,
        "j": "null",
        "k": "y",
    }


def test_numbers_are_those_of_yaml_1_2() -> None:
    told = doc("[1, -2, +3, 010, 0o10, 0x1F, .5, 1.5e3, 1_000, 0b1, 12:30:45, 2001-01-01, 1., '7']").value
    assert told == [1, -2, 3, 10, 8, 31, 0.5, 1500.0, "1_000", "0b1", "12:30:45", "2001-01-01", 1.0, "7"]


def test_a_pasted_file_of_json_is_read_with_its_tabs() -> None:
    servers = {"git": {"command": "uvx", "args": ["a/b", "\U0001f600", 'q"\\']}}
    assert doc(json.dumps({"mcpServers": servers}, indent="\t")).value == {"mcpServers": servers}
    assert doc("mcpServers: " + json.dumps(servers, indent="\t") + "\nplugin: x\n").value["mcpServers"] == servers
    assert doc('{"a": "b\\/c"}').value == {"a": "b/c"}


@given(
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers(-(1 << 63), (1 << 63) - 1)
        | st.floats(allow_nan=False, allow_infinity=False)
        | st.text(max_size=20),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
        max_leaves=12,
    ),
    st.booleans(),
    st.sampled_from([None, 1, "\t"]),
)
@settings(max_examples=200, deadline=None)
def test_json_means_what_json_says(value: Any, ascii_only: bool, indent: int | str | None) -> None:
    text = json.dumps({"value": value}, ensure_ascii=ascii_only, indent=indent)
    try:
        told = doc(text).value["value"]
    except NotRead:
        assert not ascii_only  # a character that YAML does not allow as it stands, or that ends lines
        return
    assert told == value
    assert json.dumps(told, sort_keys=True) == json.dumps(value, sort_keys=True)


def test_each_key_and_each_item_keeps_its_line() -> None:
    told = doc('# top\na:\n  - x\n  -\n    b: 1\n    "c d":\n      - {e: 1,\n         f: 2}\ng: |\n  x\n  y\nh: 1\n')
    places = {("a",): 2, ("a", 0): 3, ("a", 1, "b"): 5, ("a", 1, "c d"): 6, ("a", 1, "c d", 0, "e"): 7}
    places |= {("a", 1, "c d", 0, "f"): 8, ("g",): 9, ("h",): 12, ("no", "such"): 2}
    assert {place: told.line(place) for place in places if place[0] != "no"} == {
        place: line for place, line in places.items() if place[0] != "no"
    }
    assert told.line(("h", "deeper", 0)) == 12
    assert told.told(("a", 1, "c d", 0), "what") == 'licet.yaml:7: a[1]["c d"][0]: what'


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_lines_are_counted_with_either_end(end: str) -> None:
    assert doc(end.join(["a: 1", "", "b: 2"])).line(("b",)) == 3


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("a: 1\nb: &x [1]\n", 2, "anchors"),
        ("a: 1\n\nb: *x\n", 3, "aliases"),
        ("a: !!python/object:os.system x\n", 1, "tags"),
        ("a: !secret x\n", 1, "tags"),
        ("b: 1\na:\n  <<: {x: 1}\n", 3, "merge keys"),
        ("%YAML 1.1\n---\na: 1\n", 1, "directives"),
        ("%TAG ! x\n---\na: 1\n", 1, "directives"),
        ("a: 1\n---\nb: 2\n", 2, "second document"),
        ("a: 1\n...\nb: 2\n", 3, "document"),
        ('a: 1\nb: 2\n"a": 3\n', 3, "stands on line 1 already"),
        ("x: {a: 1, b: 2,\n a: 3}\n", 2, "stands on line 1 already"),
        ("1: x\n", 1, "a key is text"),
        ("true: x\n", 1, "a key is text"),
        ("~: x\n", 1, "a key is text"),
        (": x\n", 1, "a key is text"),
        ("? [a]\n: b\n", 1, "a key is text"),
        ("a: 1\n? {b: c}\n: d\n", 2, "a key is text"),
        ("a:\n\tb: 1\n", 2, "tab"),
        ("a: .inf\n", 1, "finite"),
        ("a: -.INF\n", 1, "finite"),
        ("a: .nan\n", 1, "finite"),
        ("a: 1e999\n", 1, "too large"),
        ("a: 9223372036854775808\n", 1, "64 bits"),
        ("a: 0x" + "f" * 5000 + "\n", 1, "64 bits"),
        ("a: " + "9" * 9000 + "\n", 1, "64 bits"),
        ('a: "\\ud800"\n', 1, "surrogate"),
        ('a: "\\UFFFFFFFF"\n', 1, "cannot be read"),
        ("a: b\nc: \x07\n", 2, "control character"),
        ("a: 'b\n", 2, "end of stream"),
        ("a: [1\nb: 2\n", 2, "mend the YAML"),
        ("", 1, "empty"),
        ("# only this\n", 1, "empty"),
        ("a: 1 # x\x85b: 2\n", 1, "U+0085"),
        ("a: 1 # x\u2028b: 2\n", 1, "U+2028"),
        ("a: 1\n# x\rb: 2\n", 2, "U+000D"),
        (b"a: 1\nb: \xff\n", 2, "UTF-8"),
        ("a: 1\n".encode("utf-16"), 1, "UTF-8"),
        ("x" * (MAX_BYTES + 1), 1, "bytes"),
    ],
    ids=str,
)
def test_what_is_not_strict_is_refused_with_its_line(text: str | bytes, line: int, what: str) -> None:
    error = refused(text)
    assert error.line == line
    assert what in error.problem


def test_depth_has_a_limit_and_what_is_within_it_is_read() -> None:
    assert doc("[" * (MAX_DEPTH - 1) + "]" * (MAX_DEPTH - 1)).value is not None
    assert "inside one another" in refused("[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1)).problem
    assert "inside one another" in refused("- " * (MAX_DEPTH + 1) + "x").problem
    nested = "".join("  " * depth + "a:\n" for depth in range(MAX_DEPTH + 1))
    assert refused(nested).line == MAX_DEPTH + 1


def test_words_and_signs_have_a_limit_and_what_is_within_it_is_read() -> None:
    assert len(doc("[" + "x, " * (MAX_TOKENS // 2 - 10) + "]").value) == MAX_TOKENS // 2 - 10
    assert "words and signs" in refused("[" + "x, " * MAX_TOKENS + "]").problem


def bomb(levels: int) -> str:
    text, last = "a: &a [x,x,x,x,x,x,x,x,x,x]\n", "a"
    for level in range(levels):
        name = chr(98 + level)
        text += f"{name}: &{name} [{','.join('*' + last for _ in range(10))}]\n"
        last = name
    return text


BOMBS = {
    "aliases": bomb(9),
    "itself": "a: &a [*a]\n",
    "merges": "a: &a {x: 1}\n" + "".join(f"b{i}: {{<<: *a}}\n" for i in range(1000)),
    "brackets": "[" * (MAX_BYTES - 1),
    "braces": "{" * (MAX_BYTES - 1),
    "pairs": "[{" * (MAX_BYTES // 2 - 1),
    "spread brackets": "[a, " * (MAX_BYTES // 4 - 1),
    "dashes": "- " * (MAX_BYTES // 2 - 1),
    "questions": "? " * (MAX_BYTES // 2 - 1),
    "bracketed questions": "[? " * (MAX_BYTES // 3 - 1),
    "large": "x" * (64 << 20),
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_ends_in_a_typed_error_at_once(name: str) -> None:
    content = BOMBS[name].encode()
    with pytest.raises(NotRead):
        read(b"&", "warm")
    took = []
    for _ in range(3):
        before = time.perf_counter()
        with pytest.raises(NotRead):
            read(content, "licet.yaml")
        took.append(time.perf_counter() - before)
    assert min(took) < 0.1


def test_the_bombs_are_bombs_for_a_reader_that_is_not_strict() -> None:
    from ruamel.yaml import YAML

    unfolded = YAML(typ="safe", pure=True).load(bomb(5))
    assert len(json.dumps(unfolded)) > 1000 * len(bomb(5))


@given(st.text(alphabet="ab:-?[]{}#&*!|>'\"%@`,\n \t~<0.", max_size=40))
@settings(max_examples=500, deadline=None)
def test_any_text_is_read_or_refused_with_a_type(text: str) -> None:
    lines = range(1, text.count("\n") + 2)
    try:
        json.dumps(doc(text).value)  # plain values only
    except NotRead as exc:
        if exc.line not in lines:
            raise


@given(st.text(alphabet="ab:-[]{}#'\",\n 01", max_size=30))
@settings(max_examples=300, deadline=None)
def test_what_is_read_is_what_another_reader_reads(text: str) -> None:
    from ruamel.yaml import YAML

    try:
        told = doc(text).value
    except NotRead:
        return
    assert told == YAML(typ="safe", pure=True).load(text)
