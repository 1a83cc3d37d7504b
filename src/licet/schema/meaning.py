"""What one annotation means, and the small pieces that such meanings are made of."""

from collections.abc import Callable, Iterable
from enum import Enum
from typing import Any, NamedTuple

from .canonical import NotJson, freeze
from .pointer import legible

Convert = Callable[[Any], Any]
"""Makes a value of the annotated type of plain JSON that fits the schema."""

_MAX_BYTES = 16 * 1024
_TYPE_NAMES: dict[type, str] = {str: "string", bool: "boolean", int: "integer", float: "number", type(None): "null"}


class Inexpressible(ValueError):  # noqa: N818 - it names what the annotation is
    """The annotation cannot be said in JSON Schema. The message says what cannot, and what to use instead."""


class Meaning(NamedTuple):
    """``convert`` is None where plain JSON is a value of the annotated type already."""

    schema: dict[str, Any]
    convert: Convert | None = None


def unchanged(value: Any) -> Any:
    """The value itself."""
    return value


def name_of(annotation: Any) -> str:
    """An annotation as a message names it."""
    return legible(annotation.__qualname__ if isinstance(annotation, type) else repr(annotation), 80)


def plain_json(value: Any, what: str) -> Any:
    """A fresh copy of a value that stands in a schema. Raises Inexpressible: it is not JSON."""
    try:
        return freeze(value, limit_bytes=_MAX_BYTES)[1]
    except NotJson as exc:
        raise Inexpressible(f"{what}: {exc}") from None


def choice(values: Iterable[Any], what: str) -> dict[str, Any]:
    """The schema of one of some values. Raises Inexpressible: a value is no text, number, bool or None."""
    plain = list(values)
    for value in plain:
        if type(value) not in _TYPE_NAMES:
            raise Inexpressible(f"{what} {legible(repr(value), 40)}; use text, numbers, bool and None")
    kinds = {_TYPE_NAMES[type(value)] for value in plain}
    schema: dict[str, Any] = {"enum": plain_json(plain, what)}
    return {"type": kinds.pop(), **schema} if len(kinds) == 1 else schema


def closed_object(properties: dict[str, dict[str, Any]], required: list[str]) -> dict[str, Any]:
    """The schema of an object with these members and no other."""
    schema: dict[str, Any] = {"type": "object", "properties": properties, "additionalProperties": False}
    return {**schema, "required": required} if required else schema


def with_default(schema: dict[str, Any], default: Any) -> dict[str, Any]:
    """The schema with its default, where that is JSON; None only where null fits, so that no model is led astray."""
    value = default.value if isinstance(default, Enum) else default
    if value is None and not _takes_null(schema):
        return schema
    try:
        return {**schema, "default": plain_json(value, "the default")}
    except Inexpressible:
        return schema


def convert_members(given: dict[str, Any], converts: dict[str, Convert]) -> dict[str, Any]:
    """The members, converted where there is a conversion."""
    return {name: converts[name](value) if name in converts else value for name, value in given.items()}


def _takes_null(schema: dict[str, Any]) -> bool:
    if not schema.keys() - {"description"} or schema.get("type") == "null":
        return True
    return None in schema.get("enum", ()) or any(_takes_null(member) for member in schema.get("anyOf", ()))
