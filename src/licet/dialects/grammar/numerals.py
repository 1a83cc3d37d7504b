"""Ranges of numbers as rules of a grammar: what is written between two bounds, digit by digit."""

import math
from typing import Any, NamedTuple

from .bounds import MOST_DECIMALS, MOST_DIGITS

MOST = 10**MOST_DIGITS - 1
_FRACTION = f'("." [0-9]{{1,{MOST_DECIMALS}}})?'
_BEYOND = f'"." [0-9]{{0,{MOST_DECIMALS - 1}}} [1-9]'  # a fraction that is not zero


class Span(NamedTuple):
    """The numbers from ``low`` to ``high``, without an end that is ``open``."""

    low: float | int
    high: float | int
    low_open: bool = False
    high_open: bool = False


def span_of(schema: dict[str, Any]) -> Span:
    """What a schema's four keywords allow, clipped to what is ever written. In draft 4 two are true or false."""
    lows = [(schema[key], key != "minimum") for key in ("minimum", "exclusiveMinimum") if _is_number(schema.get(key))]
    highs = [(schema[key], key == "maximum") for key in ("maximum", "exclusiveMaximum") if _is_number(schema.get(key))]
    low, low_open = max([*lows, (-MOST, False)])
    high, high_closed = min([*highs, (MOST, True)])
    low_open = low_open or (schema.get("exclusiveMinimum") is True and low == schema.get("minimum"))
    high_open = not high_closed or (schema.get("exclusiveMaximum") is True and high == schema.get("maximum"))
    return Span(low, high, low_open, high_open)


def integers_of(schema: dict[str, Any]) -> tuple[int, int]:
    """The first and the last integer that a schema allows; the first is above the last where there is none."""
    span = span_of(schema)
    low, high = math.ceil(span.low), math.floor(span.high)
    return low + (span.low_open and low == span.low), high - (span.high_open and high == span.high)


def is_held(span: Span) -> bool:
    """Whether what ``decimals`` writes stays between the bounds, and is more than the bounds themselves."""
    return math.floor(span.high) - math.ceil(span.low) >= 1


def decimals(span: Span) -> str:
    """Numbers of a span that is held, with at most six decimals, as a rule."""
    ways = _rising(span, "")
    ways += _rising(Span(-span.high, -span.low, span.high_open, span.low_open), "-")
    return " | ".join(ways)


def integers(low: int, high: int) -> str:
    """Every integer from ``low`` to ``high``, and no other, as a rule."""
    ways = []
    if low < 0:
        ways.append(f'"-" ({_naturals(max(1, -high), -low)})')
    if high >= 0:
        ways.append(_naturals(max(0, low), high))
    return " | ".join(ways)


def _rising(span: Span, sign: str) -> list[str]:
    """The numbers of a span from zero on, with a sign before them."""
    mark = f'"{sign}" ' if sign else ""
    if span.high < 0 or (sign and span.high == 0):
        return []
    ways = []
    low, high = max(0, math.ceil(span.low)), math.floor(span.high)
    if span.low_open and low == span.low:
        if low < high:
            ways.append(f'{mark}"{low}" {_BEYOND}')
        low += 1
    if low < high:
        ways.append(f"{mark}({_naturals(low, high - 1)}) {_FRACTION}")
    if low <= high and not (span.high_open and high == span.high):
        ways.append(f'{mark}"{high}"')
    return ways


def _naturals(low: int, high: int) -> str:
    ways = []
    while low <= high:
        last = min(high, 10 ** len(str(low)) - 1)  # of those with as many digits
        ways += _of_one_length(str(low), str(last))
        low = last + 1
    return " | ".join(ways)


def _of_one_length(low: str, high: str) -> list[str]:
    if low == high:
        return [f'"{low}"']
    first, last, rest = low[0], high[0], len(low) - 1
    if not rest:
        return [f"[{first}-{last}]"]
    if first == last:
        return [f'"{first}" {_grouped(_of_one_length(low[1:], high[1:]))}']
    ways, begin, end = [], int(first), int(last)
    if low[1:] != "0" * rest:
        ways.append(f'"{first}" {_grouped(_of_one_length(low[1:], "9" * rest))}')
        begin += 1
    if high[1:] != "9" * rest:
        end -= 1
    if begin <= end:
        ways.append(f"[{begin}-{end}] [0-9]{{{rest}}}")
    if end < int(last):
        ways.append(f'"{last}" {_grouped(_of_one_length("0" * rest, high[1:]))}')
    return ways


def _grouped(ways: list[str]) -> str:
    return ways[0] if len(ways) == 1 else f"({' | '.join(ways)})"


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


__all__ = ["MOST", "Span", "decimals", "integers", "integers_of", "is_held", "span_of"]
