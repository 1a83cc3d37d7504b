"""How much a value is once it is written out: found before it is, for a small value may make an enormous text.

A list that holds one list twice, which holds another twice, doubles with each level. And a text of a megabyte may hold
half a million objects, each of them a hundred times as large in memory as in the text.
"""

from collections.abc import Collection
from gc import get_referents, is_tracked
from typing import Any

import orjson

from .strict import MAX_DEPTH, NotJson

MOST_CONTAINERS = 25_000
"""Objects and arrays in one value, each as often as it would be written."""

MOST_VALUES = 100_000
"""Values in one value, those objects and arrays included."""

LIGHT_BYTES = 2 * MOST_CONTAINERS
"""Of a text that cannot have too many parts: each takes two."""

_FEW = 256
"""Values that are followed without a look at what they lead to: what they make of a value stays in proportion."""

_AT_ONCE = 16
"""Objects without containers that are written to see how long they are."""

_SCALARS = frozenset((str, int, float, bool, type(None)))
_CONTAINERS = frozenset((dict, list))


def refuse_heavy(value: object, limit_bytes: int) -> None:
    """Raises NotJson: the value has more parts than one may have, or more characters than ``limit_bytes``.

    A value of few parts passes whatever its texts are long: it makes no more of them than some hundred copies.
    """
    kind = type(value)
    if kind is dict and not is_tracked(value) and len(value) <= _FEW:  # type: ignore[arg-type]
        return
    if kind not in _SCALARS and not _is_small(value):
        _weigh(value, limit_bytes)


def refuse_heavy_text(data: bytes) -> None:
    """Raises NotJson: the text has more parts than a value may have. Whether it is JSON is not asked."""
    if len(data) <= LIGHT_BYTES:
        return
    if _count(data) is not None and _count(bare := without_texts(data)) is not None:
        raise _too_many(bare.count(b"[") + bare.count(b"{"))


def without_texts(data: bytes) -> bytes:
    """A JSON text without what stands in quotes, and without the quotes."""
    parts = data.replace(b"\\\\", b"").replace(b'\\"', b"").split(b'"')
    return b"".join(parts[::2])


def _count(data: bytes) -> int | None:
    """None, if there are few enough brackets and commas; those inside of texts count too."""
    brackets = data.count(b"[") + data.count(b"{")
    return brackets if brackets > MOST_CONTAINERS or brackets + data.count(b",") > MOST_VALUES else None


def _is_small(value: object) -> bool:
    """Whether all is reached by few references. It asks the interpreter for whole levels, so it costs next to nothing.

    False for what this cannot tell: a type that is none of JSON's own, or a tuple, which may hold anything.
    """
    level: list[Any] = [value]
    left = _FEW
    for _ in range(MAX_DEPTH):
        for part in level:
            if type(part) not in _CONTAINERS:
                return False
            left -= len(part)
        if left < 0:
            return False
        level = list(filter(is_tracked, get_referents(*level)))  # only what may hold a container is watched
        if not level:
            return True
    return False


def _weigh(value: object, limit_bytes: int) -> None:
    """Level by level, each part as often as it would be written; nothing of a foreign type is called.

    What is nested too deep is left for others to tell: it costs no more than what stands above it.
    """
    level: list[Any] = [value]
    total = _Total(limit_bytes)
    for _ in range(MAX_DEPTH):
        total.containers += len(level)
        flat = [part for part in level if type(part) is dict and not is_tracked(part)]
        for first in range(0, len(flat), _AT_ONCE):
            some = flat[first : first + _AT_ONCE]
            total.add(sum(map(len, some)), _written(some))
        inside: list[Any] = []
        rest = [part for part in level if type(part) is not dict or is_tracked(part)] if flat else level
        for container in rest:
            kind = type(container)
            held = container.values() if kind is dict else container if kind is list else _held(container)
            total.add(len(held) or 1, 0)
            characters = 0
            for item in held:
                kind = type(item)
                if kind is str:
                    characters += len(item)
                elif kind not in _SCALARS:
                    inside.append(item)
            total.add(0, characters)
        if not inside:
            return
        level = inside


class _Total:
    """What was found so far."""

    __slots__ = ("characters", "containers", "limit", "values")

    def __init__(self, limit: int) -> None:
        self.containers = self.values = self.characters = 0
        self.limit = limit

    def add(self, values: int, characters: int) -> None:
        """Raises NotJson: it is too much."""
        self.values += values
        self.characters += characters
        if self.values > MOST_VALUES or self.containers > MOST_CONTAINERS:
            raise _too_many(self.containers)
        if self.characters > self.limit:
            raise NotJson("", f"more than {self.limit} bytes of JSON; use at most so many")


def _held(container: Any) -> Collection[Any]:
    """What a container of a derived type holds; of anything else, nothing."""
    kind = type(container)
    if issubclass(kind, dict):
        return dict.values(container)
    if issubclass(kind, list):
        return list.copy(container)
    return tuple.__getitem__(container, slice(None)) if issubclass(kind, tuple) else ()


def _written(flat: list[dict[str, Any]]) -> int:
    try:
        return len(orjson.dumps(flat))
    except TypeError:  # something in it is not JSON, which will be told with its place
        return 0


def _too_many(containers: int) -> NotJson:
    if containers > MOST_CONTAINERS:
        return NotJson("", f"more than {MOST_CONTAINERS} objects and arrays; use fewer, or text")
    return NotJson("", f"more than {MOST_VALUES} values; use fewer, or text")
