"""Any value in any place of an answer, and any order of its pieces: it is read, or it is no answer."""

import json
import random
from collections.abc import Iterator
from typing import Any

import pytest
from sdk_types import refused_by_sdk

from licet.errors import AnswerError
from licet.model.names import NOT_OFFERED
from wires import DIALECTS, back, compiled, found, golden, history

ODD: tuple[Any, ...] = (None, True, 7, -1.5, float("nan"), "", "x", "\ud800", [], [None], {}, {"type": "x"}, [[]], b"x")


def spoilt(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Every place of an answer with each odd value in it, and every member left out or put in twice."""
    yield from ((path, odd) for odd in ODD)
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield from spoilt(inner, (*path, key))
        yield (*path, key), _GONE


_GONE = object()


def with_odd(value: Any, path: tuple[Any, ...], odd: Any) -> Any:
    if not path:
        return odd
    copy = dict(value) if isinstance(value, dict) else list(value)
    if len(path) == 1 and odd is _GONE:
        del copy[path[0]]
    else:
        copy[path[0]] = with_odd(value[path[0]], path[1:], odd)
    return copy


def answers_of(dialect: str) -> Iterator[Any]:
    wire = golden(dialect)
    yield wire["answer"]
    if "hosted" in wire:
        yield wire["hosted"]["answer"]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_any_value_in_any_place_of_an_answer_is_read_or_is_no_answer(dialect: str) -> None:
    made = compiled(dialect)
    read = refused = 0
    for whole in answers_of(dialect):
        for path, odd in spoilt(whole):
            try:
                said = made.decode(with_odd(whole, path, odd))
            except AnswerError:
                refused += 1
                continue
            read += 1
            body = back(made, said)
            json.dumps(body, allow_nan=False, ensure_ascii=False, default=str).encode()
            if not said.hosted and not isinstance(odd, bytes):  # what a provider ran goes back as it came
                assert refused_by_sdk(dialect, body) == "", (path, odd)
            assert all(call.tool == "local/read" or call.tool.startswith(NOT_OFFERED) for call in said.calls)
            assert [one.text for one in found(history(body))] == [f"<{n}>" for n in range(len(said.calls))]
            assert said.ended in ("done", "calls", "length", "refused", "paused")
    assert read > 50
    assert refused > 20


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_stream_cut_anywhere_is_whole_or_no_answer(dialect: str) -> None:
    made, events = compiled(dialect), golden(dialect)["events"]
    whole = made.decode(golden(dialect)["answer"])
    told = []
    for length in range(len(events) + 1):
        stream = made.stream()
        for event in events[:length]:
            stream.feed(event)
        try:
            said = stream.said()
        except AnswerError:
            told.append(False)
            with pytest.raises(AnswerError, match=rf"^{dialect}: the answer was cut"):
                stream.said()
            continue
        told.append(True)
        assert [call[::2] for call in said.calls] == [call[::2] for call in whole.calls], "tools and ids"
    assert told == sorted(told), "once it is whole it stays so"
    assert told[0] is False
    assert told[-1] is True


@pytest.mark.parametrize("dialect", DIALECTS)
def test_pieces_in_another_order_are_read_or_are_no_answer(dialect: str) -> None:
    """Never a call of what was not offered, never another kind of error, and the history stays valid."""
    made, events = compiled(dialect), golden(dialect)["events"]
    dice = random.Random(6)
    orders = [[*events[:n], events[n + 1], events[n], *events[n + 2 :]] for n in range(len(events) - 1)]
    orders += [events[:n] + events[n + 1 :] for n in range(len(events))]
    orders += [events[: n + 1] + events[n:] for n in range(len(events))]
    orders += [dice.sample(events, len(events)) for _ in range(200)]
    read = refused = 0
    for order in orders:
        stream = made.stream()
        try:
            for event in order:
                stream.feed(event)
            said = stream.said()
        except AnswerError:
            refused += 1
            with pytest.raises(AnswerError):
                stream.said()
            continue
        read += 1
        assert all(call.tool == "local/read" or call.tool.startswith(NOT_OFFERED) for call in said.calls)
        assert [one.text for one in found(history(back(made, said)))] == [f"<{n}>" for n in range(len(said.calls))]
    assert read > 0
    assert refused > 3


@pytest.mark.parametrize("dialect", DIALECTS)
def test_any_value_in_any_place_of_a_stream_is_read_or_is_no_answer(dialect: str) -> None:
    made, events = compiled(dialect), golden(dialect)["events"]
    dice = random.Random(6)
    read = refused = 0
    for position, event in enumerate(events):
        places = list(spoilt(event))
        for path, odd in dice.sample(places, min(len(places), 60)):
            stream = made.stream()
            try:
                for one in [*events[:position], with_odd(event, path, odd), *events[position + 1 :]]:
                    assert isinstance(stream.feed(one), str)
                said = stream.said()
            except AnswerError:
                refused += 1
                continue
            read += 1
            assert all(call.tool == "local/read" or call.tool.startswith(NOT_OFFERED) for call in said.calls)
            json.dumps(back(made, said), allow_nan=False, ensure_ascii=False, default=str).encode()
    assert read > 20
    assert refused > 20
