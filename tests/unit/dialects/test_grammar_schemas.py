"""What a grammar holds of JSON Schema: bounds on everything, no dangling reference, and every loss on the list."""

import json
import random
from typing import Any

import pytest
from lower_samples import EVERY
from tests.gbnf import Grammar

from licet.bundles.files import tools
from licet.dialects.grammar import Compiled, compile
from licet.model.json_object import JsonObject
from licet.model.tool import ToolSpec
from licet.schema import validate

PAIR = {"type": "object", "additionalProperties": False, "properties": {"s": {"type": "integer"}}, "required": ["s"]}
CHAIN = {
    "type": "object",
    "additionalProperties": False,
    "properties": {"next": {"anyOf": [{"$ref": "#/$defs/Chain"}, {"type": "null"}]}, "n": {"type": "integer"}},
    "required": ["next"],
}
ENDLESS = {"type": "object", "properties": {"next": {"$ref": "#/$defs/Endless"}}, "required": ["next"]}

EXACT: dict[str, Any] = {
    "a list of types": {"type": ["integer", "null"]},
    "anyOf with null": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
    "allOf of one": {"allOf": [{"type": "object", "properties": {"x": {"type": "string"}}}]},
    "allOf of several": {"allOf": [{"type": "integer", "minimum": 2}, {"minimum": 5}, {"maximum": 9}]},
    "a reference": {"$ref": "#/$defs/Pair"},
    "a described reference": {"$ref": "#/$defs/Pair", "description": "two"},
    "a reference made narrower": {"$ref": "#/$defs/Count", "minimum": 7},
    "texts": {"type": "string", "enum": ["a", 'b"', "c\\d", "\u2028"]},
    "integers": {"type": "integer", "enum": [1, 2]},
    "a constant": {"type": "string", "const": "a"},
    "a constant object": {"const": {"a": [1, None]}},
    "a default": {"type": "integer", "default": 3},
    "lengths": {"type": "string", "minLength": 1, "maxLength": 9},
    "a range": {"type": "integer", "minimum": 1, "maximum": 9},
    "an open range": {"type": "number", "exclusiveMinimum": 0},
    "a range of numbers": {"type": "number", "minimum": -1.5, "maximum": 7},
    "items": {"type": "array", "items": {"type": "string"}, "minItems": 2, "maxItems": 3},
    "a row": {"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}], "items": False},
    "a comment": {"type": "string", "$comment": "c"},
    "one required of several": {
        "type": "object",
        "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
        "anyOf": [{"required": ["a"]}, {"required": ["b"]}],
    },
}
"""Held as written: no loss, and all that can be written fits."""

LOST: dict[str, tuple[Any, dict[str, str]]] = {
    "oneOf": ({"oneOf": [{"type": "string"}, {"type": "integer"}]}, {"oneOf": "anyOf"}),
    "not": ({"type": "string", "not": {"const": "x"}}, {"not": "dropped"}),
    "if": (
        {
            "type": "object",
            "properties": {"k": {"type": "null"}},
            "if": {"required": ["k"]},
            "then": {"required": ["l"]},
            "else": True,
        },
        {"if": "dropped", "then": "dropped", "else": "dropped"},
    ),
    "dependent": (
        {"type": "object", "properties": {"k": {}}, "dependentRequired": {"k": ["l"]}, "dependentSchemas": {"k": True}},
        {"dependentRequired": "dropped", "dependentSchemas": "dropped"},
    ),
    "pattern": ({"type": "string", "pattern": "^a+$"}, {"pattern": "in the description"}),
    "format": ({"type": "string", "format": "uri"}, {"format": "in the description"}),
    "multipleOf": ({"type": "integer", "multipleOf": 2}, {"multipleOf": "in the description"}),
    "uniqueItems": (
        {"type": "array", "items": {"type": "string"}, "uniqueItems": True},
        {"uniqueItems": "in the description"},
    ),
    "contains": ({"type": "array", "items": {}, "contains": {"const": 1}}, {"contains": "dropped"}),
    "a map": (
        {"type": "object", "additionalProperties": {"type": "string"}},
        {"additionalProperties": "at most 4 members, a name perhaps twice"},
    ),
    "a free object": ({"type": "object"}, {"type": "at most 4 members, a name perhaps twice"}),
    "patternProperties": (
        {"type": "object", "patternProperties": {"^x": {"type": "string"}}, "additionalProperties": False},
        {"patternProperties": "dropped", "additionalProperties": "at most 4 members, a name perhaps twice"},
    ),
    "propertyNames": (
        {"type": "object", "additionalProperties": True, "propertyNames": {"pattern": "^a"}},
        {"propertyNames": "dropped"},
    ),
    "open members": (
        {"type": "object", "properties": {"a": {"type": "null"}}, "additionalProperties": True},
        {"additionalProperties": "false"},
    ),
    "minProperties": (
        {"type": "object", "properties": {"a": {"type": "null"}}, "minProperties": 1},
        {"minProperties": "dropped"},
    ),
    "no type": ({"description": "anything"}, {"type": "any text, number, true, false or null"}),
    "notes": (
        {"type": "string", "deprecated": True, "readOnly": True, "examples": ["a"], "title": "T"},
        {"deprecated": "dropped", "readOnly": "dropped", "examples": "dropped", "title": "dropped"},
    ),
    "a long text": ({"type": "string", "maxLength": 100_000}, {"maxLength": "512"}),
    "many items": ({"type": "array", "items": {"type": "null"}, "maxItems": 1000}, {"maxItems": "16"}),
    "a narrow range": (
        {"type": "number", "minimum": 0.1, "maximum": 0.5},
        {"minimum": "the whole numbers around it", "maximum": "the whole numbers around it"},
    ),
    "recursion": ({"$ref": "#/$defs/Chain"}, {"$ref": "at most 3 deep"}),
    "another document": ({"$ref": "https://example.org/s"}, {"$ref": "any text, number, true, false or null"}),
    "two unions": (
        {"allOf": [{"anyOf": [{"type": "integer"}]}, {"anyOf": [{"minimum": 3}]}]},
        {"anyOf": "dropped: another one stands beside it"},
    ),
}


def compiled(schema: Any) -> Compiled:
    """One tool with one argument ``p``."""
    definitions = {"Pair": PAIR, "Chain": CHAIN, "Endless": ENDLESS, "Count": {"type": "integer", "maximum": 9}}
    whole = {"type": "object", "properties": {"p": schema}, "required": ["p"], "$defs": definitions}
    return compile([ToolSpec(name="t", input_schema=whole)], answers=False)


def written(made: Compiled, times: int = 200, seed: int = 1) -> list[str]:
    """Texts that the grammar allows, each as short as its budget says."""
    grammar = Grammar(made.gbnf)
    assert grammar.unbounded() == []
    rng = random.Random(seed)
    texts = [grammar.sample(rng) for _ in range(times)]
    assert all(len(text.encode()) <= made.budget for text in texts)
    return texts


def registered(schema: Any) -> validate.Validator:
    definitions = {"Pair": PAIR, "Chain": CHAIN, "Count": {"type": "integer", "maximum": 9}}
    return validate.compile(JsonObject({**schema, "$defs": definitions}), where="p", tool_input=False)


@pytest.mark.parametrize("schema", EXACT.values(), ids=EXACT)
def test_what_is_held_loses_nothing_and_all_that_can_be_written_fits(schema: Any) -> None:
    made = compiled(schema)
    assert made.losses == ()
    validator = registered(schema)
    for text in written(made):
        assert validator.errors(json.loads(text)["arguments"]["p"]) == []


@pytest.mark.parametrize(("schema", "became"), LOST.values(), ids=LOST)
def test_what_is_not_held_is_on_the_list_of_losses(schema: Any, became: dict[str, str]) -> None:
    made = compiled(schema)
    told = {loss.keyword: loss.became for loss in made.losses}
    assert told.items() >= became.items()
    assert all(loss.tool == "local/t" and loss.path.startswith(("/properties/p", "/$defs")) for loss in made.losses)
    assert len(set(written(made))) > 1


@pytest.mark.parametrize("schema", [*EXACT.values(), *(schema for schema, _ in LOST.values())])
def test_what_the_grammar_allows_the_schema_of_one_call_allows_too(schema: Any) -> None:
    made = compiled(schema)
    validator = validate.compile(JsonObject(made.schema), where="the call", tool_input=False)
    for text in written(made, 50):
        call = json.loads(text)
        assert validator.errors(call) == []


@pytest.mark.parametrize("schema", EVERY.values(), ids=EVERY)
def test_whatever_can_be_written_and_does_not_fit_is_on_the_list_of_losses(schema: dict[str, Any]) -> None:
    made = compile([ToolSpec(name="t", input_schema=schema)], answers=False)
    references = {reference.rpartition("/")[2] for reference in _references(made.schema)}
    assert references <= set(made.schema.get("$defs", {}))
    if made.refused:
        assert "no arguments" in made.refused["local/t"]
        return
    validator = validate.compile(JsonObject(schema), where="t")
    texts = written(made)
    calls = [call for text in texts for call in made.decode(text).calls]
    assert {call.tool for call in calls} == {"local/t"}
    fits = [not isinstance(call.arguments, str) and validator.is_valid(call.arguments) for call in calls]
    assert all(fits) or made.losses


def test_what_leads_back_to_itself_without_an_end_cannot_be_written() -> None:
    assert "no arguments" in compiled({"$ref": "#/$defs/Endless"}).refused["local/t"]
    made = compiled({"type": "array", "items": {"$ref": "#/$defs/Endless"}})
    assert {json.loads(text)["arguments"]["p"].__len__() for text in written(made, 10)} == {0}


def test_a_chain_is_written_as_deep_as_its_bound() -> None:
    def depth(value: Any) -> int:
        return 0 if value is None else 1 + depth(value["next"])

    depths = {depth(json.loads(text)["arguments"]["p"]) for text in written(compiled({"$ref": "#/$defs/Chain"}))}
    assert depths == {1, 2, 3}


def test_definitions_of_two_tools_never_share_a_name_and_no_reference_dangles() -> None:
    def using(name: str, below: dict[str, Any]) -> ToolSpec:
        schema = {
            "type": "object",
            "properties": {"a": {"$ref": "#/$defs/string"}, "b": {"$ref": "#/$defs/string"}},
            "$defs": {"string": below},
        }
        return ToolSpec(name=name, input_schema=schema)

    made = compile([using("one", PAIR), using("two", {"enum": [1, 2]}), using("three", CHAIN | {"$defs": {}})][:2])
    definitions = made.schema["$defs"]
    assert len(definitions) == 2
    references = set(_references(made.schema))
    assert references == {f"#/$defs/{name}" for name in definitions}
    assert not {"string", "root", "char"} & set(definitions)


def test_losses_of_a_referred_schema_name_the_place_where_it_was_written() -> None:
    made = compiled({"allOf": [{"type": "string"}, {"pattern": "^a"}]})
    assert [(loss.path, loss.keyword) for loss in made.losses] == [("/properties/p/allOf/1", "pattern")]


def test_a_schema_that_unfolds_without_measure_is_refused_in_time() -> None:
    definitions: dict[str, Any] = {}
    for n in range(30):
        ways = [{"$ref": f"#/$defs/D{n + 1}", "maximum": most} for most in (5, 6)]
        definitions[f"D{n}"] = {"anyOf": ways}
    definitions["D30"] = {"type": "integer"}
    schema = {"type": "object", "properties": {"a": {"$ref": "#/$defs/D0"}}, "$defs": definitions}
    assert "unfolds" in compile([ToolSpec(name="bomb", input_schema=schema)]).refused["local/bomb"]


def test_every_call_of_the_tools_for_files_that_can_be_written_fits_their_schemas() -> None:
    specs = {spec.name: spec for spec in tools()}
    made = compile(specs.values())
    assert {loss.keyword for loss in made.losses} <= {"maxLength", "maxItems"}
    for text in written(made, 500):
        said = made.decode(text)
        for call in said.calls:
            validator = validate.compile(JsonObject.of(specs[call.tool].input_schema), where=call.tool)
            assert validator.errors(dict(call.arguments)) == []  # type: ignore[call-overload]


def _references(value: Any) -> list[str]:
    if isinstance(value, list):
        return [reference for one in value for reference in _references(one)]
    if not isinstance(value, dict):
        return []
    own = [value["$ref"]] if isinstance(value.get("$ref"), str) else []
    return own + [reference for one in value.values() for reference in _references(one)]
