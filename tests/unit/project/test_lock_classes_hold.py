"""A class is a promise about every value: what is narrowing allows nothing new, what is compatible changes nothing."""

from typing import Any

import jsonschema_rs
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from licet.project.schema_drift import Kind, schema_changes, worst

scalars = st.sampled_from([None, True, False, 0, 1, 2, 2.5, "", "a", "ab", "b"])
names = st.sampled_from(["a", "b", "c"])
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3), max_leaves=6
)
types = st.sampled_from(["string", "number", "integer", "boolean", "null", "array", "object"])
small = st.integers(0, 3)


PLAIN = {
    "type": types | st.lists(types, min_size=1, max_size=3, unique=True),
    "enum": st.lists(scalars, min_size=1, max_size=3, unique_by=repr),
    "const": scalars,
    "minimum": small,
    "maximum": small,
    "exclusiveMinimum": small,
    "minLength": small,
    "maxLength": small,
    "minItems": small,
    "maxItems": small,
    "minProperties": small,
    "uniqueItems": st.booleans(),
    "multipleOf": st.sampled_from([1, 2]),
    "pattern": st.sampled_from(["a", "^a", "b$"]),
    "required": st.lists(names, max_size=2, unique=True),
    "dependentRequired": st.dictionaries(names, st.lists(names, max_size=1), max_size=1),
    "minContains": small,
    "unevaluatedItems": st.booleans(),
    "$ref": st.sampled_from(["#", "#/$defs/a"]),
    "default": scalars,
    "title": st.sampled_from(["one", "two"]),
    "description": st.sampled_from(["one", "two"]),
}
HOLDING = {
    **dict.fromkeys(("properties", "patternProperties"), "named"),
    **dict.fromkeys(("allOf", "anyOf", "oneOf", "prefixItems"), "many"),
    **dict.fromkeys(("additionalProperties", "items", "unevaluatedProperties"), "one or bool"),
    **dict.fromkeys(("propertyNames", "contains", "not", "if", "then", "else"), "one"),
}
"""Keywords that the comparison knows, and some that it does not."""


@st.composite
def held(draw: st.DrawFn, keyword: str, depth: int) -> Any:
    """What may stand under a keyword."""
    if keyword in PLAIN:
        return draw(PLAIN[keyword])
    kind = HOLDING[keyword]
    if kind == "named":
        return {draw(names): draw(schemas(depth - 1)) for _ in range(draw(st.integers(1, 2)))}
    if kind == "many":
        return [draw(schemas(depth - 1)) for _ in range(draw(st.integers(1, 2)))]
    if kind == "one or bool" and draw(st.booleans()):
        return draw(st.booleans())
    return draw(schemas(depth - 1))


def keywords(depth: int) -> st.SearchStrategy[str]:
    often = ("type", "type", "enum", "required")  # what servers change
    return st.sampled_from([*PLAIN, *often, *HOLDING] if depth else [*PLAIN, *often])


@st.composite
def schemas(draw: st.DrawFn, depth: int) -> dict[str, Any]:
    chosen = draw(st.lists(keywords(depth), max_size=3, unique=True))
    return {keyword: draw(held(keyword, depth)) for keyword in chosen}


@st.composite
def another(draw: st.DrawFn, value: Any, depth: int) -> Any:
    """What may become of a schema: something of it, at any depth, is another, or is there, or is not."""
    if not isinstance(value, dict):
        return draw(schemas(0))
    inner = [keyword for keyword in value if isinstance(value[keyword], dict | list) and keyword in HOLDING]
    if inner and draw(st.booleans()):
        keyword = draw(st.sampled_from(inner))
        kept = value[keyword]
        if isinstance(kept, list):
            at = draw(st.integers(0, len(kept) - 1))
            return {**value, keyword: [*kept[:at], draw(another(kept[at], depth - 1)), *kept[at + 1 :]]}
        if HOLDING[keyword] == "named":
            name = draw(st.sampled_from([*kept]))
            return {**value, keyword: {**kept, name: draw(another(kept[name], depth - 1))}}
        return {**value, keyword: draw(another(kept, depth - 1))}
    if value and draw(st.booleans()):
        gone = draw(st.sampled_from([*value]))
        return {keyword: kept for keyword, kept in value.items() if keyword != gone}
    keyword = draw(keywords(max(depth, 0)))
    return {**value, keyword: draw(held(keyword, max(depth, 0)))}


@st.composite
def changed(draw: st.DrawFn) -> tuple[dict[str, Any], dict[str, Any]]:
    """A schema and what became of it, below a root that holds what they refer to."""
    old = draw(schemas(2))
    definitions = {"a": draw(schemas(0))}
    new = draw(another(old, 2))
    return {"$defs": definitions, "allOf": [old]}, {"$defs": definitions, "allOf": [new]}


def rooted(schema: dict[str, Any]) -> dict[str, Any]:
    return {"allOf": [schema]}


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
@given(changed(), st.lists(values, min_size=5, max_size=30))
@example((rooted({"not": {"minimum": 1}}), rooted({"not": {"minimum": 2}})), [0, 1, 2])
@example((rooted({"oneOf": [{}, {"minimum": 1}]}), rooted({"oneOf": [{}, {"minimum": 2}]})), [0, 1, 2])
def test_what_is_classified_is_so_for_every_value(pair: tuple[Any, Any], samples: list[Any]) -> None:
    kind = worst(change.kind for change in schema_changes(*pair))
    assume(kind is not Kind.BREAKING)
    try:
        before, after = map(jsonschema_rs.validator_for, pair)
    except (ValueError, jsonschema_rs.ValidationError):
        assume(False)
        raise AssertionError from None
    for sample in samples:
        was, now = before.is_valid(sample), after.is_valid(sample)
        assert was or not now, f"{kind}: {sample!r} is new"
        assert kind is Kind.NARROWING or now or not was, f"{kind}: {sample!r} is refused now"
