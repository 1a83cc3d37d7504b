"""What the fuzzer claims of an input holds for schemas that nobody chose: the validator agrees every time."""

import json
from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from licet import ToolSpec
from licet.agents.probe.fuzz import inputs
from licet.errors import RegistrationError
from licet.model.json_object import JsonObject
from licet.schema.validate import compile

NAMES = st.sampled_from("abcde")
COUNT = st.none() | st.integers(0, 5)
BOUND = st.none() | st.integers(-5, 5) | st.floats(-5, 5, allow_nan=False)
VALUE = st.sampled_from([1, 1.0, "a", None, True, [], {}, 2.5, "b"])


def said(**keywords: Any) -> dict[str, Any]:
    """A schema of the keywords that have a value."""
    return {word: value for word, value in keywords.items() if value is not None}


def closed_or_open(properties: dict[str, Any], lot: Random, additional: Any) -> dict[str, Any]:
    required = [name for name in properties if lot.random() < 0.5]
    return said(type="object", properties=properties, required=required, additionalProperties=additional)


LEAVES = st.one_of(
    st.builds(lambda low, high: said(type="string", minLength=low, maxLength=high), COUNT, COUNT),
    st.builds(
        lambda kind, a, b, c, d: said(type=kind, minimum=a, maximum=b, exclusiveMinimum=c, exclusiveMaximum=d),
        st.sampled_from(["integer", "number"]),
        *(BOUND,) * 4,
    ),
    st.sampled_from([{"type": "boolean"}, {"type": "null"}, {}, True, False, {"type": ["string", "null"]}]),
    st.builds(lambda listed: {"enum": listed}, st.lists(VALUE, min_size=1, max_size=4)),
    st.builds(lambda value: {"const": value}, VALUE),
    st.just({"$ref": "#/$defs/d"}),
)


def larger(schemas: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    lot = st.randoms(use_true_random=False)
    mapped = st.dictionaries(NAMES, schemas, max_size=4)
    return st.one_of(
        st.builds(closed_or_open, mapped, lot, st.sampled_from([None, True, False, {"type": "string"}])),
        st.builds(
            lambda items, low, high, once: said(
                type="array", items=items, minItems=low, maxItems=high, uniqueItems=once
            ),
            schemas,
            COUNT,
            COUNT,
            st.sampled_from([None, True]),
        ),
        st.builds(
            lambda word, branches: {word: branches},
            st.sampled_from(["anyOf", "oneOf", "allOf"]),
            st.lists(schemas, min_size=1, max_size=3),
        ),
    )


SCHEMAS = st.recursive(LEAVES, larger, max_leaves=10)
ROOTS = st.builds(
    lambda properties, named, lot, additional: {**closed_or_open(properties, lot, additional), "$defs": {"d": named}},
    st.dictionaries(NAMES, SCHEMAS, max_size=4),
    SCHEMAS.filter(lambda schema: "$ref" not in json.dumps(schema)),
    st.randoms(use_true_random=False),
    st.sampled_from([None, True, False]),
)


@settings(max_examples=150, deadline=None)
@given(ROOTS)
def test_what_is_certain_of_an_input_is_what_a_validator_says(schema: dict[str, Any]) -> None:
    try:
        fit = compile(JsonObject(schema), where="generated")
    except RegistrationError:
        return
    for found in inputs(ToolSpec(name="generated", input_schema=schema), 0):
        if not isinstance(found.arguments, str):
            assert fit.is_valid(found.arguments) is found.fits, str(found)
