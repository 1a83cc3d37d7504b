"""Canonical JSON and pins, over generated values and texts."""

import json
import math
from typing import Any

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from licet.model.json_object import JsonObject
from licet.model.tool import ToolSpec
from licet.schema.canonical import NotJson, digest, freeze, parse, thaw
from licet.schema.pin import pin_of, pinned

LIMIT = 1 << 22

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
integers = st.integers(-(2**63), 2**64 - 1) | st.sampled_from([0, 1, 2**53 - 1, 2**53, 2**53 + 1, 2**63, 2**64 - 1])
floats = st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(2**70), 2**70).map(float)
scalars = st.none() | st.booleans() | integers | floats | texts
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4), max_leaves=20
)
objects = st.dictionaries(texts, values, max_size=5)


def frozen(value: object) -> bytes:
    return freeze(value, limit_bytes=LIMIT)[0]


def same(left: Any, right: Any) -> bool:
    """Equal, and of equal types: 1, 1.0 and true are three things, 0.0 and -0.0 two."""
    return repr(left) == repr(right)


def shuffled(value: Any, draw: Any) -> Any:
    if isinstance(value, dict):
        return {key: shuffled(value[key], draw) for key in draw(st.permutations(sorted(value)))}
    return [shuffled(item, draw) for item in value] if isinstance(value, list) else value


def sorted_deeply(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: sorted_deeply(value[key]) for key in sorted(value)}
    return [sorted_deeply(item) for item in value] if isinstance(value, list) else value


@given(values)
def test_what_is_frozen_thaws_to_the_same_value(value: Any) -> None:
    data, copy = freeze(value, limit_bytes=LIMIT)
    assert same(thaw(data), sorted_deeply(value))
    assert same(sorted_deeply(copy), sorted_deeply(value))
    assert frozen(thaw(data)) == data


@given(values, st.data())
def test_canonical_bytes_do_not_depend_on_the_order_of_keys(value: Any, data: Any) -> None:
    assert frozen(shuffled(value, data.draw)) == frozen(value)
    assert pinned(shuffled(value, data.draw)) == pinned(value)


@given(values, st.booleans(), st.sampled_from([None, 1, "\t"]))
def test_every_spelling_of_a_value_is_read_as_that_value(value: Any, ascii_only: bool, indent: Any) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
    for spelled in (text, text.encode()):
        assert same(parse(spelled, limit_bytes=LIMIT), value)


def spelled(value: Any, ascii_only: bool, twice: Any) -> str:
    if isinstance(value, dict):
        members = list(value.items())
        if value is twice:
            members.append(members[0])
        written = (
            f"{json.dumps(key, ensure_ascii=ascii_only)} :{spelled(member, ascii_only, twice)}"
            for key, member in members
        )
        return "{" + ", ".join(written) + "}"
    if isinstance(value, list):
        return "[" + ",".join(spelled(item, ascii_only, twice) for item in value) + "]"
    return json.dumps(value, ensure_ascii=ascii_only)


def dictionaries_in(value: Any) -> list[dict[str, Any]]:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    here = [value] if isinstance(value, dict) and value else []
    return here + [found for item in inner for found in dictionaries_in(item)]


@given(values, st.booleans(), st.data())
def test_a_key_that_stands_twice_is_refused_wherever_it_stands(value: Any, ascii_only: bool, data: Any) -> None:
    holder = {"holder": [value, {"a:": 1}]}
    twice = data.draw(st.sampled_from(dictionaries_in(holder)))
    assert same(parse(spelled(holder, ascii_only, None), limit_bytes=LIMIT), holder)
    with pytest.raises(NotJson, match="twice"):
        parse(spelled(holder, ascii_only, twice), limit_bytes=LIMIT)


foreign = st.sampled_from([math.nan, math.inf, -math.inf, 2**64, -(2**63) - 1, "\ud800", {1}, b"x", 1j, {2: 1}])


@given(values, foreign)
def test_one_piece_that_is_no_json_refuses_the_whole_and_is_named(value: Any, piece: Any) -> None:
    with pytest.raises(NotJson) as caught:
        freeze({"a": [value, {"b": piece}], "z": value}, limit_bytes=LIMIT)
    assert caught.value.pointer == "/a/1/b"


@given(st.text() | st.binary())
def test_any_text_is_read_or_refused_and_nothing_else(text: str | bytes) -> None:
    try:
        value = parse(text, limit_bytes=LIMIT)
    except NotJson:
        return
    assert same(value, json.loads(text))
    assert same(parse(frozen(value), limit_bytes=LIMIT), sorted_deeply(value))


def without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    assert len(dict(pairs)) == len(pairs)
    return dict(pairs)


json_like = st.lists(
    st.sampled_from([*'{}[]:,"\\ue+-.0189 ntf', "null", "true", '"a":', "\\u003a", '"a":1', "1e5", "e+", "\\ud800"])
).map("".join)


@given(json_like)
def test_nothing_is_read_otherwise_than_the_standard_library_reads_it(text: str) -> None:
    try:
        value = parse(text, limit_bytes=LIMIT)
    except NotJson:
        return
    assert same(value, json.loads(text, object_pairs_hook=without_repetition))


def as_javascript(value: Any) -> Any:
    """What a JavaScript hop makes of a value, written the plain way."""
    if isinstance(value, dict):
        return {key: as_javascript(member) for key, member in value.items()}
    if isinstance(value, list):
        return [as_javascript(item) for item in value]
    if type(value) in (int, float):
        double = float(value)
        return int(double) if double.is_integer() and abs(double) < 2**53 else double
    return value


@given(values)
def test_pinned_text_is_rfc_8785(value: Any) -> None:
    kept = {key: member for key, member in value.items() if member is not None} if isinstance(value, dict) else value
    assert pinned(value) == rfc8785.dumps(as_javascript(kept))


@given(values)
def test_pinned_text_survives_a_hop(value: Any) -> None:
    assert pinned(as_javascript(value)) == pinned(value)
    assert pinned(thaw(pinned(value))) == pinned(value)


@given(objects, st.data())
def test_the_pin_of_a_schema_is_that_of_its_text_in_any_order(schema: dict[str, Any], data: Any) -> None:
    here = ToolSpec(name="a/b", input_schema=JsonObject(schema))
    there = ToolSpec(name="a/b", input_schema=JsonObject(json.dumps(shuffled(schema, data.draw), indent=2)))
    assert pin_of(here) == pin_of(there)
    assert pin_of(here).input_schema == digest(pinned(schema))
