"""A value that is small in memory, or as a text, and enormous in the other form is refused before it becomes that."""

import json
from collections import OrderedDict
from collections.abc import Callable
from time import thread_time
from typing import Any
from unittest.mock import Mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from licet.schema import weight
from licet.schema.canonical import NotJson, freeze, freeze_text, parse
from licet.schema.weight import MOST_CONTAINERS, MOST_VALUES, refuse_heavy, refuse_heavy_text, without_texts

LIMIT = 4 * 1024 * 1024
DOCUMENT = "x" * 1_000_000
FOR_EVER = 60
"""Levels that each double what stands below: written out, more than there is memory in the world."""


def unfolding(double: Callable[[Any], Any], levels: int = FOR_EVER) -> Any:
    value: Any = {"leaf": [1]}
    for _ in range(levels):
        value = double(value)
    return value


def problem_of(freezing: Callable[[], object]) -> str:
    """Why it is refused. The time is the thread's own, so that a busy machine says nothing wrong."""
    begun = thread_time()
    with pytest.raises(NotJson) as caught:
        freezing()
    assert thread_time() - begun < 1.0
    return caught.value.problem


@pytest.mark.parametrize(
    "double",
    [
        lambda inner: [inner, inner],
        lambda inner: (inner, inner),
        lambda inner: {"a": inner, "b": inner},
        lambda inner: [{"a": inner}, {"a": inner}],
        lambda inner: OrderedDict(a=inner, b=inner),
        lambda inner: {"small": [], "first": {"of": ["these"]}, "a": inner, "b": [inner, 1]},
    ],
    ids=["lists", "tuples", "objects", "both", "a derived type", "behind something harmless"],
)
@pytest.mark.parametrize("levels", [25, FOR_EVER // 2, FOR_EVER, 200])
def test_shared_parts_that_unfold_are_refused_before_they_do(double: Callable[[Any], Any], levels: int) -> None:
    problem_of(lambda: freeze(unfolding(double, levels), limit_bytes=LIMIT))


def test_what_refers_to_itself_is_refused() -> None:
    loop: list[Any] = []
    loop += [loop, loop]
    problem_of(lambda: freeze(loop, limit_bytes=LIMIT))
    circle: dict[str, Any] = {}
    circle.update(a=circle, b=[circle])
    problem_of(lambda: freeze(circle, limit_bytes=LIMIT))


@pytest.mark.parametrize(
    "value",
    [[DOCUMENT] * 1000, [{"text": DOCUMENT, "row": row} for row in range(1000)], [{DOCUMENT: 1}] * 1000],
    ids=["items", "rows", "keys"],
)
def test_one_text_in_a_thousand_places_counts_a_thousand_times(value: Any) -> None:
    assert "bytes of JSON" in problem_of(lambda: freeze(value, limit_bytes=LIMIT))


@pytest.mark.parametrize(
    ("part", "containers"),
    [("[]", 1), ("{}", 1), ('{"":0}', 1), ("[[]]", 2), ("0", 0), ('""', 0), ('"\\""', 0), ('"[,{"', 0)],
    ids=repr,
)
def test_parts_are_counted_alike_in_a_value_and_in_its_text(part: str, containers: int) -> None:
    most = (MOST_CONTAINERS - 1) // containers if containers else MOST_VALUES
    text = f"[{','.join([part] * most)}]"
    assert freeze(parse(text, limit_bytes=LIMIT), limit_bytes=LIMIT)[0] == text.encode()
    text = f"[{','.join([part] * (most + 1))}]"
    problem_of(lambda: parse(text, limit_bytes=LIMIT))
    problem_of(lambda: freeze(json.loads(text), limit_bytes=LIMIT))


def test_what_stands_in_quotes_does_not_count() -> None:
    text = json.dumps({"code": 'f(a, [b], {"c": d})\\ "e"\n' * 40_000})
    refuse_heavy_text(text.encode())
    data, value = freeze_text(text, limit_bytes=LIMIT)
    assert json.loads(data) == value == json.loads(text)


def test_a_long_text_of_either_spelling_is_read_as_a_short_one() -> None:
    value = {"text": "é:" * 50_000, "large": 2**64 - 1, "real": 1e30, "more": [{"a:": ":"}] * 1000}
    for spelled in (json.dumps(value), json.dumps(value, ensure_ascii=False)):
        assert parse(spelled, limit_bytes=LIMIT) == value


@pytest.mark.parametrize(
    "spoilt",
    ['"a":1,"a":2', '"a":1,"\\u0061":2', f'"a":{2**64}', f'"a":-{2**63 + 1}', '"a":NaN', '"a":"\\ud800"', "'a':1"],
)
@pytest.mark.parametrize("padding", [0, 20_000, 200_000])
def test_what_is_wrong_in_a_short_text_is_wrong_in_a_long_one(spoilt: str, padding: int) -> None:
    texts = json.dumps([":é," * (padding // 10), "\\u003a"])
    problem_of(lambda: parse(f'{{"x":{texts},{spoilt}}}', limit_bytes=LIMIT))
    problem_of(lambda: parse(f'{{{spoilt},"x":{texts}}}', limit_bytes=LIMIT))


texts = st.text(st.sampled_from('a"\\[]{},:é\n')) | st.text()
values = st.recursive(
    st.none() | st.integers(-9, 9) | texts, lambda inner: st.lists(inner) | st.dictionaries(texts, inner), max_leaves=30
)


def brackets_and_commas(value: Any) -> tuple[int, int]:
    if not isinstance(value, list | dict):
        return 0, 0
    counts = [brackets_and_commas(part) for part in (value.values() if isinstance(value, dict) else value)]
    return 1 + sum(c[0] for c in counts), max(0, len(value) - 1) + sum(c[1] for c in counts)


@given(values, st.booleans())
def test_without_its_texts_a_text_shows_its_parts(value: Any, ascii_only: bool) -> None:
    bare = without_texts(json.dumps(value, ensure_ascii=ascii_only).encode())
    assert (bare.count(b"[") + bare.count(b"{"), bare.count(b",")) == brackets_and_commas(value)


@given(values)
def test_an_ordinary_value_is_light(value: Any) -> None:
    refuse_heavy(value, LIMIT)
    weight._weigh(value, LIMIT)


class Liar:
    """Says that it is a dict."""

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        return dict


class Shouting:
    def __repr__(self) -> str:
        raise RuntimeError("repr was called")

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("eq was called")

    __hash__ = object.__hash__


class Grim(dict[str, Any]):
    """Calls nothing of which is wanted."""

    def __iter__(self) -> Any:
        raise RuntimeError("iter was called")

    __len__ = __eq__ = __getitem__ = keys = values = items = __iter__  # type: ignore[assignment]
    __hash__ = None  # type: ignore[assignment]


@pytest.mark.parametrize(
    "foreign", [Liar(), Mock(spec=dict), Shouting(), {Shouting(): 1}, type, Liar], ids=lambda v: type(v).__name__
)
def test_a_value_is_taken_for_what_its_type_is_and_nothing_of_it_is_called(foreign: object) -> None:
    for value in (foreign, [foreign], {"a": (1, foreign)}):
        problem_of(lambda value=value: freeze(value, limit_bytes=LIMIT))  # type: ignore[misc]


def test_a_derived_type_is_read_by_the_methods_of_its_base() -> None:
    assert freeze([Grim(a=1)], limit_bytes=LIMIT)[0] == b'[{"a":1}]'
