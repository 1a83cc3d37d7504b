"""What lowering gives."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import orjson

from ..loss import Loss

_NOTHING: Mapping[str, str] = MappingProxyType({})


class Lowered(NamedTuple):
    """The registered schema of one tool as one wire can hold it.

    ``json`` is the wire's schema as JSON text. ``losses`` are sorted. ``suffix`` is said at the end of the tool's
    description: what the root could not hold, or empty. ``strict`` says whether a model is held to the schema.
    ``nulls`` are pointers into the registered schema: the properties whose absence a model has to write as null.
    ``renamed`` are names of properties on the wire, by such pointers.
    """

    json: bytes
    losses: tuple[Loss, ...] = ()
    suffix: str = ""
    strict: bool = False
    nulls: frozenset[str] = frozenset()
    renamed: Mapping[str, str] = _NOTHING

    @property
    def schema(self) -> dict[str, Any]:
        """The wire's schema, fresh."""
        fresh: dict[str, Any] = orjson.loads(self.json)
        return fresh

    @property
    def is_restored(self) -> bool:
        """Whether arguments written by it differ from those that the registered schema means."""
        return bool(self.nulls or self.renamed)


__all__ = ["Lowered"]
