"""Strict forms: what is required, what is null, and what cannot be strict."""

from typing import Any

import pytest
from lower_samples import low, rooted

from licet.dialects.lower.forms import ANTHROPIC_STRICT, BEDROCK_STRICT, GEMINI, MCP, MISTRAL, OLLAMA, OPENAI_STRICT
from licet.dialects.lower.restore import restored
from licet.model.json_object import JsonObject

NODE = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "value": {"type": "integer"},
        "left": {"$ref": "#/$defs/Node"},
        "tags": {"type": "array", "items": {"$ref": "#/$defs/Tag"}},
        "either": {"anyOf": [{"$ref": "#/$defs/Tag"}, {"type": "integer"}]},
        "known": {"type": ["string", "null"]},
    },
    "required": ["value"],
}
TAG = {
    "type": "object",
    "additionalProperties": False,
    "properties": {"name": {"type": "string"}, "color": {"enum": ["red", "blue"]}},
    "required": ["name"],
}
TREE = {
    "type": "object",
    "additionalProperties": False,
    "properties": {"root": {"$ref": "#/$defs/Node"}, "limit": {"type": "integer", "default": 3}},
    "required": ["root"],
    "$defs": {"Node": NODE, "Tag": TAG},
}


def back(schema: dict[str, Any], arguments: dict[str, Any]) -> dict[str, Any]:
    return restored(arguments, JsonObject(schema).json, low(schema, OPENAI_STRICT))


def test_every_property_is_required_and_the_optional_ones_may_be_null() -> None:
    wire = low(TREE, OPENAI_STRICT).schema
    assert wire["required"] == ["limit", "root"]
    assert wire["properties"]["limit"] == {"type": ["integer", "null"], "description": "By default 3."}
    node = wire["$defs"]["Node"]
    assert node["required"] == sorted(NODE["properties"])
    assert node["properties"]["left"] == {"anyOf": [{"$ref": "#/$defs/Node"}, {"type": "null"}]}
    assert node["properties"]["value"] == {"type": "integer"}
    assert node["properties"]["known"] == {"type": ["string", "null"]}
    assert wire["$defs"]["Tag"]["properties"]["color"] == {"enum": ["red", "blue", None]}


def test_the_pointers_of_nulls_are_exact() -> None:
    assert sorted(low(TREE, OPENAI_STRICT).nulls) == [
        "/$defs/Node/properties/either",
        "/$defs/Node/properties/left",
        "/$defs/Node/properties/tags",
        "/$defs/Tag/properties/color",
        "/properties/limit",
    ]


def test_injected_nulls_are_taken_out_at_any_depth_and_nowhere_else() -> None:
    written = {
        "limit": None,
        "root": {
            "value": 1,
            "left": {"value": 2, "left": None, "tags": None, "either": None, "known": None},
            "tags": [{"name": "a", "color": None}, {"name": "b", "color": "red"}],
            "either": {"name": "c", "color": None},
            "known": None,
        },
    }
    assert back(TREE, written) == {
        "root": {
            "value": 1,
            "left": {"value": 2, "known": None},
            "tags": [{"name": "a"}, {"name": "b", "color": "red"}],
            "either": {"name": "c"},
            "known": None,
        }
    }


def test_a_null_that_nobody_asked_for_stays_to_be_judged() -> None:
    assert back(TREE, {"root": {"value": None, "unknown": None}, "limit": 3}) == {
        "root": {"value": None, "unknown": None},
        "limit": 3,
    }
    assert back(TREE, {"root": None}) == {"root": None}
    assert back(TREE, {"root": [{"limit": None}], "other": {"limit": None}}) == {
        "root": [{"limit": None}],
        "other": {"limit": None},
    }


def test_where_two_branches_may_be_meant_a_null_stays_that_one_of_them_takes() -> None:
    optional = {"type": "object", "additionalProperties": False, "properties": {"x": {"type": "integer"}}}
    nullable = {
        "type": "object",
        "additionalProperties": False,
        "properties": {"x": {"type": ["integer", "null"]}},
        "required": ["x"],
    }
    schema = rooted({"anyOf": [optional, nullable]})
    assert back(schema, {"p": {"x": None}}) == {"p": {"x": None}}
    needed = {**nullable, "properties": {"x": {"type": "integer"}}}
    assert back(rooted({"anyOf": [optional, needed]}), {"p": {"x": None}}) == {"p": {}}


def test_the_branch_that_can_be_seen_to_be_meant_decides() -> None:
    def branch(kind: str, x: Any, *required: str) -> dict[str, Any]:
        properties = {"kind": {"const": kind}, "x": x}
        return {
            "type": "object",
            "additionalProperties": False,
            "properties": properties,
            "required": ["kind", *required],
        }

    schema = rooted({"oneOf": [branch("a", {"type": "string"}), branch("b", {"type": ["string", "null"]}, "x")]})
    assert back(schema, {"p": {"kind": "a", "x": None}}) == {"p": {"kind": "a"}}
    assert back(schema, {"p": {"kind": "b", "x": None}}) == {"p": {"kind": "b", "x": None}}
    assert back(schema, {"p": {"kind": "c", "x": None}}) == {"p": {"kind": "c", "x": None}}  # none of them


@pytest.mark.parametrize("form", [OPENAI_STRICT, ANTHROPIC_STRICT, BEDROCK_STRICT], ids=lambda form: form.name)
@pytest.mark.parametrize(
    ("schema", "place", "why"),
    [
        ({"type": "object", "additionalProperties": {"type": "string"}}, "/properties/p", "properties of any name"),
        ({"type": "object"}, "/properties/p", "an object without properties"),
        ({"type": "object", "patternProperties": {"^x": {}}}, "/properties/p", "properties of any name"),
        ({"type": "array"}, "/properties/p", "an array of anything"),
        ({"type": "array", "items": True}, "/properties/p/items", "takes any value"),
        ({"description": "Anything."}, "/properties/p", "takes any value"),
        ({"anyOf": [{"type": "string"}, {}]}, "/properties/p/anyOf/1", "takes any value"),
        ({"enum": [{"a": 1}]}, "/properties/p", "values that are no scalars"),
        (
            {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["b"]},
            "/properties/p",
            "requires a property that it does not describe",
        ),
    ],
)
def test_what_takes_anything_makes_a_tool_non_strict_and_is_never_narrowed(
    form: Any, schema: Any, place: str, why: str
) -> None:
    whole = rooted(schema)
    found = low(whole, form)
    assert not found.strict
    assert not found.nulls
    (loss,) = (loss for loss in found.losses if loss.keyword == "strict")
    assert loss.path == ""
    assert loss.became.startswith(f"false: {place} ")
    assert why in loss.became
    assert found.schema == low(whole, form.otherwise, strict=False).schema


def test_recursion_is_kept_where_it_may_be_and_makes_a_tool_non_strict_elsewhere() -> None:
    assert low(TREE, OPENAI_STRICT).strict
    assert not low(TREE, ANTHROPIC_STRICT).strict


def test_optional_properties_stay_optional_where_a_strict_wire_lets_them() -> None:
    found = low(rooted(TAG), ANTHROPIC_STRICT)
    assert found.strict
    assert found.schema["properties"]["p"] == TAG
    assert not found.nulls


@pytest.mark.parametrize("form", [GEMINI, MISTRAL, OLLAMA, MCP], ids=lambda form: form.name)
def test_a_strict_tool_on_a_wire_without_strictness_is_a_loss(form: Any) -> None:
    found = low(rooted(TAG), form, strict=True)
    assert not found.strict
    assert [loss.became for loss in found.losses if loss.keyword == "strict"] == ["dropped"]


def test_what_is_too_large_for_a_strict_wire_is_not_strict() -> None:
    deep: dict[str, Any] = {"type": "string"}
    for _ in range(10):
        deep = {"type": "object", "properties": {"a": deep}, "required": ["a"], "additionalProperties": False}
    assert low(rooted(deep["properties"]["a"]), OPENAI_STRICT).strict
    losses = low(rooted(deep), OPENAI_STRICT).losses
    assert [loss.became for loss in losses if loss.keyword == "strict"] == [
        "false: the root has 11 levels, more than 10"
    ]
    many = {"type": "string", "enum": [str(number) for number in range(1001)]}
    assert not low(rooted(many), OPENAI_STRICT).strict


def test_a_definition_that_nothing_uses_does_not_make_a_tool_non_strict() -> None:
    schema = {**rooted(TAG), "$defs": {"Map": {"type": "object"}}}
    found = low(schema, OPENAI_STRICT)
    assert found.strict
    assert "$defs" not in found.schema
    assert [loss.became for loss in found.losses if loss.keyword == "$defs"] == ["without Map"]


def test_null_is_put_in_once() -> None:
    schema = {
        "type": "object",
        "properties": {
            "a": {"type": ["string", "null"], "enum": ["x"]},
            "b": {"anyOf": [{"type": "null"}], "enum": [1]},
        },
        "additionalProperties": False,
    }
    found = low(schema, OPENAI_STRICT)
    assert found.schema["properties"]["a"] == {"type": ["string", "null"], "enum": ["x", None]}
    assert found.schema["properties"]["b"] == {"anyOf": [{"type": "null"}], "enum": [1, None]}
    assert back(schema, {"a": None, "b": None}) == {}
