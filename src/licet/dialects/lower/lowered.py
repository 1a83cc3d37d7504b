"""What lowering gives."""

from typing import Any, NamedTuple

import orjson

from ..loss import Loss


class Lowered(NamedTuple):
    """The registered schema of one tool as one wire can hold it.

    ``json`` is the wire's schema as JSON text. ``suffix`` is said at the end of the tool's description: what the root
    could not hold, or empty. ``strict`` says whether the strict form was kept. ``nulls`` are pointers into the
    registered schema to the properties whose absence a model has to write as null.
    """

    json: bytes
    losses: tuple[Loss, ...] = ()
    nulls: frozenset[str] = frozenset()
    suffix: str = ""
    strict: bool = False

    @property
    def schema(self) -> dict[str, Any]:
        """The wire's schema, fresh."""
        fresh: dict[str, Any] = orjson.loads(self.json)
        return fresh


__all__ = ["Lowered"]
