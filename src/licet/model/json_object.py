"""A JSON object that cannot be changed, because it is kept as text."""

import json
from collections.abc import Iterator, Mapping
from gc import get_referents, is_tracked
from typing import Any

from ..errors import ConfigurationError

_text = json.JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False, ensure_ascii=False).encode


MOST_PARTS = 200_000
"""Values that an object may hold, each as often as it would be written."""


def _folded(value: dict[str, Any]) -> dict[str, Any]:
    """The value itself. Raises ValueError: parts that it shares would unfold to an enormous or endless text."""
    level: list[Any] = [value]
    parts = 0
    while level:
        parts += sum(map(len, level))
        if parts > MOST_PARTS:
            raise ValueError(f"more than {MOST_PARTS} values, or one that holds itself; use fewer")
        # The interpreter watches for cycles only what may hold a container, so this looks at nothing else.
        level = [part for part in filter(is_tracked, get_referents(*level)) if isinstance(part, dict | list | tuple)]
    return value


class JsonObject(Mapping[str, Any]):
    """A mapping whose every value is a fresh copy. ``json`` is the canonical text: sorted keys, no white space."""

    __slots__ = ("json",)
    json: bytes

    def __init__(self, value: Mapping[str, Any] | bytes | str) -> None:
        """Raises ConfigurationError: the value is not a JSON object."""
        try:
            plain = json.loads(value) if isinstance(value, bytes | str) else _folded(dict(value))
            packed = _text(plain).encode()
        except (TypeError, ValueError, RecursionError) as exc:
            raise ConfigurationError(f"not a JSON object: {exc}") from exc
        if not isinstance(plain, dict):
            raise ConfigurationError(f"a JSON object is needed, not {type(plain).__name__}")
        object.__setattr__(self, "json", packed)

    @classmethod
    def of(cls, value: Mapping[str, Any] | bytes | str) -> "JsonObject":
        """The value itself if it is one already."""
        return value if isinstance(value, cls) else cls(value)

    def copy(self) -> dict[str, Any]:
        """The whole object, fresh."""
        fresh: dict[str, Any] = json.loads(self.json)
        return fresh

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a JsonObject cannot be changed")

    def __delattr__(self, name: str) -> None:
        raise AttributeError("a JsonObject cannot be changed")

    def __getitem__(self, key: str) -> Any:
        return self.copy()[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.copy())

    def __len__(self) -> int:
        return len(self.copy())

    def __hash__(self) -> int:
        return hash(self.json)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, JsonObject):
            return self.json == other.json
        return isinstance(other, Mapping) and self.copy() == dict(other)

    def __repr__(self) -> str:
        return self.json.decode()

    def __reduce__(self) -> tuple[type["JsonObject"], tuple[bytes]]:
        return JsonObject, (self.json,)
