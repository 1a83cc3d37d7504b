"""Ranges of numbers in a grammar: exact for integers, between the bounds for the others."""

import random

from tests.gbnf import Grammar

from licet.dialects.grammar.numerals import Span, decimals, integers


def test_a_range_of_integers_is_exact() -> None:
    rng = random.Random(7)
    ranges = [(-12, 105), (0, 0), (7, 7), (-1, 1), (95, 1005), (-1000, -9)]
    ranges += [tuple(sorted(rng.sample(range(-1300, 1300), 2))) for _ in range(60)]
    for low, high in ranges:
        grammar = Grammar(f"root ::= {integers(low, high)}")
        every = {int(text) for text in _every(grammar)}
        assert every == set(range(low, high + 1))


def test_numbers_stay_between_their_bounds() -> None:
    rng = random.Random(3)
    for low, high in ((0, 1), (-1, 1), (-2.5, 7.25), (3, 90), (-70.5, -3), (0, 10**15 - 1)):
        for low_open in (False, True):
            grammar = Grammar(f"root ::= {decimals(Span(low, high, low_open, low_open))}")
            for _ in range(300):
                value = float(grammar.sample(rng))
                assert low <= value <= high
                assert not low_open or value not in (low, high)


def _every(grammar: Grammar) -> list[str]:
    """All texts of a grammar without a name in it."""

    def texts(node: tuple) -> list[str]:
        match node[0]:
            case "|":
                return [text for way in node[1] for text in texts(way)]
            case "seq":
                whole = [""]
                for part in node[1]:
                    whole = [head + tail for head in whole for tail in texts(part)]
                return whole
            case "{}":
                ends: list[str] = []
                for times in range(node[2], node[3] + 1):
                    ends += texts(("seq", [node[1]] * times))
                return ends
            case "text":
                return [node[1]]
        return list(node[1])

    return texts(grammar.rules["root"])
