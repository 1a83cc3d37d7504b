"""A JSON object that cannot be changed, because it is kept as text."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from ..errors import ConfigurationError

_text = json.JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False, ensure_ascii=False).encode


class JsonObject(Mapping[str, Any]):
    """A mapping whose every value is a fresh copy. ``json`` is the canonical text: sorted keys, no white space."""

    __slots__ = ("json",)
    json: bytes

    def __init__(self, value: Mapping[str, Any] | bytes | str) -> None:
        """Raises ConfigurationError: the value is not a JSON object."""
        try:
            plain = json.loads(value) if isinstance(value, bytes | str) else dict(value)
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
