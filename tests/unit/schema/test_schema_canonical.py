"""Canonical JSON says exactly what the value says, or the value is refused with the place and the problem."""

import dataclasses
import datetime
import decimal
import enum
import hashlib
import uuid
from collections import Counter, OrderedDict, defaultdict, namedtuple
from typing import Any

import orjson
import pytest

from licet.schema.canonical import NotJson, digest, freeze, parse, thaw
from licet.schema.strict import MAX_DEPTH

LIMIT = 1024 * 1024


def nested(depth: int, kind: str = "list") -> Any:
    value: Any = [] if kind == "list" else {}
    for _ in range(depth - 1):
        value = [value] if kind == "list" else {"a": value}
    return value


def problem_of(value: object) -> NotJson:
    with pytest.raises(NotJson) as caught:
        freeze(value, limit_bytes=LIMIT)
    return caught.value


def refused_text(text: str | bytes) -> NotJson:
    with pytest.raises(NotJson) as caught:
        parse(text, limit_bytes=LIMIT)
    return caught.value


# --- values ---


def test_canonical_bytes_have_sorted_keys_and_no_white_space() -> None:
    data, copy = freeze({"b": [1, 2.5, None], "a": {"d": True, "c": "é\n"}}, limit_bytes=LIMIT)
    assert data == '{"a":{"c":"é\\n","d":true},"b":[1,2.5,null]}'.encode()
    assert copy == thaw(data) == {"a": {"c": "é\n", "d": True}, "b": [1, 2.5, None]}


def test_the_copy_shares_nothing_with_the_value() -> None:
    value = {"rows": [[1], [2]]}
    _, copy = freeze(value, limit_bytes=LIMIT)
    value["rows"][0].append("later")
    assert copy == {"rows": [[1], [2]]}


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf"), 1e400])
def test_a_number_that_is_not_finite_is_refused_where_it_stands(number: float) -> None:
    assert problem_of({"a": [1, {"b/c": number}]}).pointer == "/a/1/b~1c"
    assert "finite" in problem_of(number).problem


def test_integers_are_taken_from_minus_2_63_to_2_64_minus_1_and_no_further() -> None:
    for number in (-(2**63), 2**63, 2**64 - 1):
        assert thaw(freeze([number], limit_bytes=LIMIT)[0]) == [number]
    for number in (-(2**63) - 1, 2**64, 10**400):
        assert problem_of([0, number]).pointer == "/1"


def test_true_and_one_stay_different() -> None:
    assert freeze([True, 1, 1.0, False, 0, -0.0], limit_bytes=LIMIT)[0] == b"[true,1,1.0,false,0,-0.0]"


@dataclasses.dataclass
class Point:
    x: int


class Colour(enum.Enum):
    RED = "red"


class EqualToAll:
    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = None  # type: ignore[assignment]


@pytest.mark.parametrize(
    "foreign",
    [
        {1, 2},
        frozenset(),
        b"bytes",
        bytearray(b"x"),
        memoryview(b"x"),
        uuid.UUID(int=1),
        datetime.datetime(2026, 1, 1),
        datetime.date(2026, 1, 1),
        datetime.time(1),
        decimal.Decimal("1.5"),
        1j,
        Point(1),
        Colour.RED,
        EqualToAll(),
        object(),
        Point,
        (item for item in ()),
        orjson.Fragment(b'{"a":NaN}'),
        ...,
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_is_no_json_type_is_refused_with_its_place(foreign: object) -> None:
    problem = problem_of({"a": ["x", foreign]})
    assert problem.pointer == "/a/1"
    assert "use " in problem.problem
    assert "/a/1" in str(problem)


@pytest.mark.parametrize("key", [1, 1.5, None, True, b"a", ("a",), Colour.RED, uuid.UUID(int=1)], ids=repr)
def test_a_key_that_is_not_text_is_refused(key: Any) -> None:
    assert problem_of({"outer": {key: 1}}).pointer == "/outer"


@pytest.mark.parametrize("text", ["\ud800", "a\udfffb", "\udc00\ud800"], ids=ascii)
def test_half_a_surrogate_pair_is_refused_in_values_and_keys(text: str) -> None:
    assert problem_of({"a": text}).pointer == "/a"
    assert "surrogate" in problem_of({text: 1}).problem
    str(problem_of({"a": {text: {"b": text}}})).encode()  # a message can be written down


class Shout(str):
    __slots__ = ()

    def __str__(self) -> str:
        return "changed"


class Count(int):
    pass


class Level(enum.IntEnum):
    LOW = 1


class Size(enum.StrEnum):
    BIG = "big"


def test_a_subclass_of_a_plain_type_is_taken_by_its_plain_value() -> None:
    pair = namedtuple("pair", "a b")
    value = {
        Shout("key"): Shout("text"),
        "count": Count(3),
        "counter": Counter("aab"),
        "ordered": OrderedDict(b=1, a=2),
        "default": defaultdict(list, {"x": [1]}),
        "pair": pair(1, 2),
        "tuple": (1, (2,)),
        "level": Level.LOW,
        "size": Size.BIG,
    }
    assert freeze(value, limit_bytes=LIMIT)[1] == {
        "key": "text",
        "count": 3,
        "counter": {"a": 2, "b": 1},
        "ordered": {"a": 2, "b": 1},
        "default": {"x": [1]},
        "pair": [1, 2],
        "tuple": [1, [2]],
        "level": 1,
        "size": "big",
    }


class Unlike(str):
    """Claims to differ from an equal text."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return self is other

    __hash__ = str.__hash__


def test_two_keys_that_only_claim_to_differ_are_refused() -> None:
    assert problem_of({"a": {Unlike("k"): 1, "k": 2}}).pointer == "/a/k"


@pytest.mark.parametrize("kind", ["list", "dict"])
def test_64_levels_are_taken_and_65_are_refused(kind: str) -> None:
    assert freeze(nested(MAX_DEPTH, kind), limit_bytes=LIMIT)[1] == nested(MAX_DEPTH, kind)
    assert freeze([nested(MAX_DEPTH - 1, kind), "[" * 100], limit_bytes=LIMIT)
    for depth in (MAX_DEPTH + 1, 200, 300, 5000):
        problem = problem_of(nested(depth, kind))
        assert "nested deeper than 64" in problem.problem
        assert problem.pointer.count("/") == MAX_DEPTH


def test_depth_is_counted_whatever_brackets_stand_in_texts() -> None:
    value: Any = "]" * 10
    for _ in range(MAX_DEPTH + 1):
        value = ["]}", value, "{["]
    assert "nested deeper" in problem_of(value).problem


def test_a_container_that_holds_itself_is_refused_and_never_a_recursion_error() -> None:
    ring: list[Any] = [1]
    ring.append(ring)
    table: dict[str, Any] = {}
    table["self"] = {"again": table}
    for bomb in (ring, table, {"a": ring}, (ring, ring)):
        assert "nested deeper" in problem_of(bomb).problem


def test_a_hundred_thousand_levels_are_refused_and_never_a_recursion_error() -> None:
    deep = nested(100_000)
    assert "nested deeper" in problem_of(deep).problem
    while deep:  # taken apart by hand: freeing it at once would recurse in the interpreter
        deep = deep.pop()


def test_a_value_whose_text_is_too_long_is_refused() -> None:
    assert freeze("x" * 8, limit_bytes=10)[0] == b'"xxxxxxxx"'
    with pytest.raises(NotJson, match="11 bytes"):
        freeze("x" * 9, limit_bytes=10)
    with pytest.raises(NotJson, match="bytes"):
        freeze(("é" * 5,), limit_bytes=10)


def test_a_message_shows_no_raw_control_character_and_stays_short() -> None:
    problem = problem_of({"\x1b[31m\u202e" + "k" * 10_000: {1, 2}})
    assert problem.pointer.startswith("/\x1b[31m")  # the pointer is exact
    assert str(problem).isprintable()
    assert len(str(problem)) < 500


# --- texts ---


@pytest.mark.parametrize("text", ['{"a":[1,2.5,"x",null,true]}', ' {"a" : [1, 2.5,\n"x",null,true ] }\t'])
def test_a_strict_text_is_read_as_str_and_as_bytes(text: str) -> None:
    assert parse(text, limit_bytes=LIMIT) == parse(text.encode(), limit_bytes=LIMIT) == {"a": [1, 2.5, "x", None, True]}


@pytest.mark.parametrize(
    ("text", "pointer"),
    [
        ('{"a":1,"a":1}', "/a"),
        ('{"a":1,"b":2,"a":{}}', "/a"),
        ('{"a":1,"\\u0061":2}', "/a"),
        ('[{"x":{"k:":1,"k:":2}}]', "/0/x/k:"),
        ('{"a":{"b":1,"b":2},"a":3}', "/a"),
        ('{"a":":","a":"\\u003a"}', "/a"),
        ('{"\\u003a\\u003a":0,"a":1,"a":2}', "/a"),
        ('{"":1,"":2}', "/"),
    ],
)
def test_a_key_that_stands_twice_is_refused_where_it_stands(text: str, pointer: str) -> None:
    assert refused_text(text).pointer == pointer
    assert "twice" in refused_text(text.encode()).problem


@pytest.mark.parametrize(
    ("text", "pointer"),
    [
        ("NaN", ""),
        ("[Infinity]", "/0"),
        ('{"a":-Infinity}', "/a"),
        ("[1,1e400]", "/1"),
        ("-1e400", ""),
        ("[1.7976931348623159e308]", "/0"),
        ("18446744073709551616", ""),
        ('{"a":-9223372036854775809}', "/a"),
        ("[" + "9" * 5000 + "]", "/0"),
        ('["\\ud800"]', "/0"),
        ('{"a":"\\udc00\\ud800"}', "/a"),
        ('{"\\ud800":1}', ""),
    ],
)
def test_what_other_readers_would_change_is_refused_where_it_stands(text: str, pointer: str) -> None:
    assert refused_text(text).pointer == pointer
    assert refused_text(text.encode()).pointer == pointer


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "{",
        "[1,]",
        "{'a':1}",
        '{"a":1,}',
        "01",
        "+1",
        ".5",
        "1.",
        "0x10",
        "1 2",
        "tru",
        "// c\n1",
        '"\t"',
        '"a',
        "\ufeff{}",
        "\u00a01",
        "[1]\x00",
        "\uff11",
    ],
    ids=ascii,
)
def test_what_is_not_json_is_refused(text: str) -> None:
    assert "not JSON" in refused_text(text).problem
    assert "not JSON" in refused_text(text.encode()).problem


@pytest.mark.parametrize(
    "data",
    [
        b"\xff",
        b'"\xff"',
        b'"\xed\xa0\x80"',
        '{"a":1}'.encode("utf-16"),
        b'"\xc0\x80"',
        "\ud800".encode("utf-8", "surrogatepass"),
    ],
)
def test_bytes_that_are_not_utf_8_are_refused(data: bytes) -> None:
    assert "UTF-8" in refused_text(data).problem


def test_lone_surrogates_in_a_str_are_refused() -> None:
    assert "UTF-8" in refused_text('"\ud800"').problem


@pytest.mark.parametrize("other", [None, 5, {"a": 1}, bytearray(b"1"), memoryview(b"1")])
def test_what_is_neither_str_nor_bytes_is_no_text(other: Any) -> None:
    assert "use str or bytes" in refused_text(other).problem


@pytest.mark.parametrize(
    "text",
    [
        "[" * 65 + "]" * 65,
        '{"a":' * 65 + "1" + "}" * 65,
        "[" * 100_000,
        '{"a":[' * 50_000,
        "[" * 1025 + "]" * 1025,
        '["]",' * 65 + '"x"' + ',"["]' * 65,
    ],
    ids=lambda text: text[:8],
)
def test_a_deep_text_is_refused_before_anything_recurses(text: str) -> None:
    assert "nested deeper than 64" in refused_text(text).problem


def test_64_levels_of_text_are_read_whatever_brackets_stand_in_strings() -> None:
    assert parse("[" * 64 + "]" * 64, limit_bytes=LIMIT) == nested(64)
    assert parse('["[[[", ' * 63 + '["\\u005b' + "[" * 70 + '"]' + "]" * 63, limit_bytes=LIMIT)


@pytest.mark.parametrize(
    "text", ['"' + '\\"' * 400_000, '"' + '\\"' * 400_000 + "\\", '"' * 900_001, "[" * 65 + '"\\' * 400_000]
)
def test_a_text_of_quotes_is_refused_in_linear_time(text: str) -> None:
    assert refused_text(text)  # quadratic time would be hours


def test_a_text_that_is_too_long_is_refused_before_it_is_read() -> None:
    for text in ("[" * 11, b"\xff" * 11, "x" * 11, '"éééééé"'):
        with pytest.raises(NotJson, match="bytes of JSON"):
            parse(text, limit_bytes=10)
    assert parse('"éééé"', limit_bytes=10) == "éééé"


@pytest.mark.parametrize(
    "text", ["1e20", "1E5", "-0", "-0.0", "1e-400", '"e+"', "18446744073709551615", "18446744073709551615.0"]
)
def test_a_number_that_is_kept_is_read_as_python_reads_it(text: str) -> None:
    import json

    assert repr(parse(text, limit_bytes=LIMIT)) == repr(json.loads(text))


def test_a_digest_names_its_function() -> None:
    assert digest(b"{}") == "sha256:" + hashlib.sha256(b"{}").hexdigest()
