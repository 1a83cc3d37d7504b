"""When the turn of a served client ends."""

from licet.gateway.turns import LONGEST_S, QUIET_S, Turns
from licet.testing import FixedClock


def begun() -> tuple[Turns, list[int], FixedClock]:
    clock, turns = FixedClock(), [0]

    def another() -> None:
        turns[0] += 1

    return Turns(another, clock.monotonic_ns), turns, clock


def call(turns: Turns) -> None:
    turns.call_begins()
    turns.call_ends()


def test_the_first_call_begins_a_turn_and_the_next_one_stays_in_it() -> None:
    turns, number, clock = begun()
    call(turns)
    clock.advance(QUIET_S - 0.01)
    call(turns)
    assert number == [1]


def test_a_turn_ends_after_a_second_without_a_call() -> None:
    turns, number, clock = begun()
    call(turns)
    clock.advance(QUIET_S)
    call(turns)
    assert number == [2]


def test_a_call_under_way_is_no_silence() -> None:
    turns, number, clock = begun()
    turns.call_begins()
    clock.advance(5)
    call(turns)
    assert number == [1]


def test_the_silence_is_counted_from_the_end_of_the_last_call() -> None:
    turns, number, clock = begun()
    turns.call_begins()
    clock.advance(5)
    turns.call_ends()
    clock.advance(QUIET_S - 0.01)
    call(turns)
    assert number == [1]


def test_no_turn_lasts_longer_than_ten_seconds_whatever_is_under_way() -> None:
    turns, number, clock = begun()
    turns.call_begins()
    for _ in range(9):
        clock.advance(1)
        call(turns)
    assert number == [1]
    clock.advance(LONGEST_S - 9)
    call(turns)
    assert number == [2]


def test_a_change_of_the_listing_ends_the_turn() -> None:
    turns, number, _ = begun()
    call(turns)
    turns.end()
    call(turns)
    call(turns)
    assert number == [2]
