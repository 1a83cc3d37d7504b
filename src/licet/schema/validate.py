"""JSON Schema, compiled once: draft 2020-12, or the older draft that ``$schema`` names.

What a schema says comes from strangers too, so nothing in it may cost more than a bounded time: no reference leaves
the document, and size, depth, patterns and the multiplication of references have limits. Formats are annotations.
"""

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import RegistrationError
from ..model.json_object import JsonObject
from .canonical import NotJson, parse
from .patterns import backtracking, keep_to_short_texts, linear, refuse_many
from .pointer import legible, place, pointer
from .references import BadSchema, References
from .unfolding import Unfolding

if TYPE_CHECKING:
    import jsonschema_rs

MAX_SCHEMA_BYTES = 256 * 1024
"""Bytes of one schema."""

MOST_REFERENCES = 2_500
"""In one schema, with what asks about unevaluated members."""

_CACHED = 1024
_PATIENCE = 20_000
"""Checks that a search for all problems of one value may cost: some 50 ms."""

_MULTIPLIES = re.compile(rb'"(?:\$ref|\$dynamicRef|\$recursiveRef|unevaluatedProperties|unevaluatedItems)":')
_UNION = re.compile(rb'"(?:anyOf|oneOf)":')
_TYPES = "array, boolean, integer, null, number, object, string"


class Problem(NamedTuple):
    """Where a value does not fit a schema (a JSON pointer into the value; empty: the root), and how."""

    pointer: str
    message: str


class Validator:
    """A compiled schema. ``is_valid(value)`` takes any JSON value and is the validator's own method."""

    __slots__ = ("_native", "_unfolding", "_union", "is_valid")

    def __init__(self, native: "jsonschema_rs.Validator", unfolding: Unfolding | None, union: bool) -> None:
        self.is_valid: Callable[[Any], bool] = native.is_valid
        self._native = native
        self._unfolding = unfolding
        self._union = union

    def errors(self, value: Any, limit: int = 8) -> list[Problem]:
        """At most ``limit`` problems of a value, none if it fits. Messages do not repeat the value.

        Where finding them all would take too long, there is one, which may be less exact.
        """
        if self.is_valid(value):
            return []
        depth, count = _extent(value)
        visits = self._unfolding.visits(depth) if self._unfolding else 1
        if visits * count <= _PATIENCE:
            problems: dict[Problem, None] = {}  # one branch may repeat another's
            for error in self._native.iter_errors(value):
                problems[_problem(error)] = None
                if len(problems) == limit:
                    break
            return list(problems)
        if self._unfolding or self._union:
            return [Problem("", "the value does not fit the schema, and is too large or too deep to say where")]
        try:
            self._native.validate(value)
        except ValueError as error:
            return [_problem(error)]
        return []


def compile(
    schema: JsonObject, *, where: str, tool_input: bool = True, documents: Mapping[str, Any] | None = None
) -> Validator:
    """The validator of a schema; equal schemas share one.

    ``where`` says in messages whose schema it is. A tool's input schema is ``"type": "object"`` at its root.
    ``documents`` are trusted schemas that references may name, by URI.

    Raises:
        RegistrationError: the schema cannot be used; the message names the JSON pointer into it.
    """
    try:
        return _build(schema.json, tool_input, documents) if documents else _compiled(schema.json, tool_input)
    except BadSchema as bad:
        raise RegistrationError(f"{where}: {bad.problem} (at {place(bad.pointer)} of the schema)") from None


@lru_cache(maxsize=_CACHED)
def _compiled(text: bytes, tool_input: bool) -> Validator:
    return _build(text, tool_input, None)


def _build(text: bytes, tool_input: bool, documents: Mapping[str, Any] | None) -> Validator:
    if len(text) > MAX_SCHEMA_BYTES:
        raise BadSchema("", f"{len(text)} bytes of schema; use at most {MAX_SCHEMA_BYTES}")
    try:
        schema = parse(text, limit_bytes=MAX_SCHEMA_BYTES)
    except NotJson as exc:
        raise BadSchema(exc.pointer, exc.problem) from None
    if tool_input and schema.get("type") != "object":
        found = f"the type {legible(repr(schema['type']), 40)}" if "type" in schema else "no type"
        raise BadSchema("/type", f'{found}, but arguments are an object; use "type": "object"')
    if b'"pattern' in text:
        refuse_many(schema)
    unfolding = None
    multiplying = _MULTIPLIES.findall(text)
    if len(multiplying) > MOST_REFERENCES:
        raise BadSchema("", f"{len(multiplying)} references; use at most {MOST_REFERENCES}")
    if multiplying:
        unfolding = Unfolding(References(schema, frozenset(documents or ())))
        unfolding.refuse_bombs()
    return Validator(_native(schema, documents), unfolding, _UNION.search(text) is not None)


def _native(schema: dict[str, Any], documents: Mapping[str, Any] | None) -> "jsonschema_rs.Validator":
    import jsonschema_rs

    registry = jsonschema_rs.Registry(documents.items()) if documents else None
    options: dict[str, Any] = {"registry": registry, "offline": True, "validate_formats": False, "mask": "the value"}
    try:
        return jsonschema_rs.validator_for(schema, pattern_options=linear(), **options)
    except jsonschema_rs.ValidationError as error:
        if error.kind.name != "format":  # the only format that a compiler looks at is that of patterns
            raise _bad(error) from None
    keep_to_short_texts(References(schema, frozenset(documents or ())))
    try:
        return jsonschema_rs.validator_for(schema, pattern_options=backtracking(), **options)
    except jsonschema_rs.ValidationError as error:
        raise _bad(error) from None


def _bad(error: "jsonschema_rs.ValidationError") -> BadSchema:
    path = error.instance_path
    if error.message.startswith("Unknown meta-schema"):
        return BadSchema("/$schema", "the draft is not known; use https://json-schema.org/draft/2020-12/schema")
    if path and path[-1] == "type":
        return BadSchema(pointer(path), f"{legible(repr(error.instance), 40)} is not a type; use {_TYPES}")
    return BadSchema(pointer(path), f"{legible(error.message)}; use JSON Schema draft 2020-12")


def _problem(error: Any) -> Problem:
    return Problem(pointer(error.instance_path), legible(error.message))


def _extent(value: Any) -> tuple[int, int]:
    """How deep a JSON value is, and how many values it holds, itself included."""
    level, depth, count = [value], 0, 1
    while level:
        inside: list[Any] = []
        for item in level:
            if isinstance(item, dict):
                inside += item.values()
            elif isinstance(item, list):
                inside += item
        level, depth, count = inside, depth + 1, count + len(inside)
    return depth, count
