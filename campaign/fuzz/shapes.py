"""What bytes stand for: a text as it is, a row of words, a text that is nearly JSON, or a value of this process.

Bytes that are mutated blindly are hardly ever JSON; read as choices, nearly all of them are.
"""

import math
from typing import Any

from campaign.fuzz.reader import DEPTH, NoJsonError

WORDS = [
    "{", "}", "[", "]", ":", ",", '"a"', '"b"', '"a":', '"\\u0061":', '"a:"', '""', '"\\\\"', '"\\""',
    '"\\ud83d\\ude42"', '"\\ud800"', "0", "-0", "1", "1.0", "1e5", "1E-5", "1e400", "1e+19", "18446744073709551615",
    "18446744073709551616", "-9223372036854775808", "-9223372036854775809", "NaN", "null", "true", "false", " ", "\n",
    "\\u003a", '"é":', "é",
]  # fmt: skip
_KEYS = ['"a"', '"b"', '"c"', '"\\u0061"', '"a:"', '"\\u003a"', '"\\""', '"é"']
_MOST_MEMBERS = 6
_MOST_PARTS = 2000


class Choices:
    """Bytes, one choice after the other; when they are used up every choice is the first."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def of(self, count: int) -> int:
        """A number below ``count``."""
        if self._at >= len(self._data):
            return 0
        self._at += 1
        return self._data[self._at - 1] % count


def words(data: bytes) -> bytes:
    """A row of words."""
    return "".join(WORDS[byte % len(WORDS)] for byte in data).encode()


def nearly_json(data: bytes) -> bytes:
    """A text that is JSON, but that a key may stand twice and a word may be none."""
    choices = Choices(data)

    def text(depth: int) -> str:
        kind = choices.of(8) if depth else 0
        if kind < 2:
            members = (
                f"{_KEYS[(at + choices.of(len(_KEYS))) % len(_KEYS)]}:{text(depth + 1)}"
                for at in range(choices.of(_MOST_MEMBERS))
            )
            return "{" + ",".join(members) + "}"
        if kind < 4:
            return "[" + ",".join(text(depth + 1) for _ in range(choices.of(_MOST_MEMBERS))) + "]"
        if kind == 4:
            levels = 56 + choices.of(16)
            return "[" * levels + "]" * levels
        return WORDS[6 + choices.of(len(WORDS) - 6)]

    return text(0).encode()


_LEAVES: list[Any] = [
    None, True, 1, 1.0, -0.0, 0.1, 1e300, math.nan, math.inf, 2**64 - 1, 2**64, -(2**63), -(2**63) - 1,
    "", "a", "é:", "\x00\u2028", "\ud800", b"a", {1}, 1j, object(), ...,
]  # fmt: skip


def value(data: bytes) -> dict[Any, Any]:
    """A value of this process. Parts of it may be shared, and some are no JSON; it unfolds to a few thousand parts."""
    choices = Choices(data)
    shared: list[Any] = []
    room = _MOST_PARTS

    def part(depth: int) -> Any:
        nonlocal room
        room -= 1
        kind = (choices.of(12) if room > 0 else 11) if depth else 0
        if kind < 2:
            keys: list[Any] = ["a", "b", "é", "a:", "", "\ud800", 1, None]
            made: Any = {keys[min(choices.of(12), 7)]: part(depth + 1) for _ in range(choices.of(_MOST_MEMBERS))}
        elif kind == 2:
            made = [part(depth + 1) for _ in range(choices.of(_MOST_MEMBERS))]
        elif kind == 3:
            made = tuple(part(depth + 1) for _ in range(choices.of(_MOST_MEMBERS)))
        elif kind == 4 and shared:
            made, parts = shared[choices.of(len(shared))]
            room -= parts
            return made if room > 0 else None
        elif kind == 5:
            made = "leaf"
            for _ in range(56 + choices.of(16)):
                made = [made]
        else:
            return _LEAVES[choices.of(len(_LEAVES))]
        shared.append((made, _parts_of(made)))
        return made

    whole: dict[Any, Any] = part(0)
    return whole


def _parts_of(value: Any) -> int:
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    return 1 + sum(map(_parts_of, inside))


def plainly(value: Any, depth: int = 0) -> Any:
    """What a value is as JSON, found the slow way. Raises NoJsonError."""
    kind = type(value)
    if value is None or kind is bool:
        return value
    if kind is int and -(2**63) <= value <= 2**64 - 1:
        return value
    if kind is float and math.isfinite(value):
        return value
    if kind is str:
        _no_surrogates(value)
        return value
    if kind in (dict, list, tuple) and depth < DEPTH:
        if kind is not dict:
            return [plainly(item, depth + 1) for item in value]
        for key in value:
            if type(key) is not str:
                raise NoJsonError("key")
            _no_surrogates(key)
        return {key: plainly(member, depth + 1) for key, member in value.items()}
    raise NoJsonError("no JSON")


def _no_surrogates(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise NoJsonError("surrogate") from None
