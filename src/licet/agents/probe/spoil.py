"""Makes values that cannot fit out of values that do: each breaks one keyword that nothing else can make up for.

A schema is a conjunction, so a value that breaks any one keyword on the way from the root fits nothing. Into ``anyOf``
and ``oneOf`` the way is certain only where the value's type leaves a single branch.
"""

from collections.abc import Iterator, Mapping
from copy import deepcopy
from typing import Any, NamedTuple

from .shape import Schemas, Unsure, types_of

_OF_EACH_TYPE: tuple[tuple[str, Any], ...] = (
    ("null", None),
    ("boolean", True),
    ("integer", 7),
    ("number", 1.5),
    ("string", "7"),
    ("array", []),
    ("object", {}),
)
_EXTRA = "licet_probe_extra"
_ALIKE = str.maketrans({"a": "\u0430", "e": "\u0435", "o": "\u043e", "c": "\u0441", "p": "\u0440", "i": "\u0456"})
_LONGEST = 100_000
_DEEPEST = 6

Path = tuple[str | int, ...]


class Spoilt(NamedTuple):
    """``kind`` says what is wrong, ``pointer`` where."""

    kind: str
    pointer: str
    value: Any


def spoilt(schemas: Schemas, schema: Any, value: Any) -> Iterator[Spoilt]:
    """Everything that is done to one fitting value."""
    for path, part, inside, of_this_type in _places(schemas, schema, value, (), False):
        for kind, wrong in _wrong(schemas, part, inside, of_this_type):
            yield Spoilt(kind, "/" + "/".join(map(str, path)), _replaced(value, path, wrong))


_Place = tuple[Path, Mapping[str, Any], Any, bool]
"""Where, under which schema, what stands there, and whether that is certain only of values of its type."""


def _places(schemas: Schemas, schema: Any, value: Any, path: Path, of_this_type: bool) -> Iterator[_Place]:
    """Where the value stands under a schema that it must fit, the whole value first."""
    try:
        schema = schemas.plain(schema)
    except Unsure:
        return
    if not isinstance(schema, Mapping) or len(path) > _DEEPEST:
        return
    yield path, schema, value, of_this_type
    for word in ("anyOf", "oneOf"):
        if isinstance(schema.get(word), list) and isinstance(value, dict | list):
            fitting = [branch for branch in schema[word] if types_of(value) & schemas.permitted(branch)]
            if len(fitting) == 1:
                yield from _places(schemas, fitting[0], value, path, True)
    for part in schema.get("allOf", ()):
        yield from _places(schemas, part, value, path, of_this_type)
    if isinstance(value, dict):
        for name, part in schema.get("properties", {}).items():
            if name in value:
                yield from _places(schemas, part, value[name], (*path, name), False)
    elif isinstance(value, list) and value and "prefixItems" not in schema:
        items = schema.get("items")
        if isinstance(items, Mapping):
            yield from _places(schemas, items, value[0], (*path, 0), False)


def _wrong(schemas: Schemas, schema: Mapping[str, Any], value: Any, of_this_type: bool) -> Iterator[tuple[str, Any]]:
    """Values that break one keyword of this schema."""
    if not of_this_type:
        yield from _wrong_types(schemas, schema)
    if isinstance(value, dict):
        yield from _wrong_objects(schema, value)
    elif isinstance(value, list):
        yield from _wrong_arrays(schema, value)
    elif isinstance(value, str):
        yield from _wrong_strings(schema)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield from _wrong_numbers(schema)


def _wrong_types(schemas: Schemas, schema: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    permitted = schemas.permitted(schema)
    for name, other in _OF_EACH_TYPE:
        if name not in permitted and not (name == "integer" and "number" in permitted):
            yield ("null" if other is None else "wrong type"), other
    if isinstance(schema.get("enum"), list) or "const" in schema:
        if "string" in permitted:
            yield "not listed", "licet probe: not listed"
        if "integer" in permitted:
            yield "not listed", 987_654_321_987


def _wrong_objects(schema: Mapping[str, Any], value: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for name in schema.get("required", ()):
        without = {key: inside for key, inside in value.items() if key != name}
        yield "missing", without
        alike = name.translate(_ALIKE)
        if alike != name and name in value:
            yield "look-alike name", {**without, alike: value[name]}
        if name.upper() != name and name in value and name.upper() not in value:
            yield "look-alike name", {**without, name.upper(): value[name]}
    if schema.get("additionalProperties") is False and "patternProperties" not in schema:
        yield "extra", {**value, _EXTRA: True}
        yield "extra", {**value, "__class__": "x"}


def _wrong_arrays(schema: Mapping[str, Any], value: list[Any]) -> Iterator[tuple[str, Any]]:
    least, most = schema.get("minItems", 0), schema.get("maxItems")
    if isinstance(least, int) and 0 < least <= len(value):
        yield "boundary", value[: least - 1]
    if isinstance(most, int) and value and most < _LONGEST:
        yield "boundary", (value * (most + 1))[: most + 1]
    if schema.get("uniqueItems") is True and value:
        yield "boundary", [value[0], *value]


def _wrong_strings(schema: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    least, most = schema.get("minLength", 0), schema.get("maxLength")
    if isinstance(least, int) and 0 < least < _LONGEST:
        yield "boundary", "x" * (least - 1)
    if isinstance(most, int) and most < _LONGEST:
        yield "boundary", "x" * (most + 1)


def _wrong_numbers(schema: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for word, step in (("minimum", -1), ("maximum", 1), ("exclusiveMinimum", 0), ("exclusiveMaximum", 0)):
        bound = schema.get(word)
        if isinstance(bound, int | float) and not isinstance(bound, bool) and abs(bound) <= 2**53:
            yield "boundary", bound + step


def _replaced(value: Any, path: Path, wrong: Any) -> Any:
    """A copy in which one place holds something else."""
    if not path:
        return deepcopy(wrong)
    copied = deepcopy(value)
    inside = copied
    for step in path[:-1]:
        inside = inside[step]
    inside[path[-1]] = wrong
    return copied
