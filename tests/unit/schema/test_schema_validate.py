"""What a schema accepts, which schemas are refused, and what a refusal says."""

import inspect
from typing import Any

import pytest

from licet.errors import RegistrationError
from licet.model.json_object import JsonObject
from licet.schema.validate import MAX_SCHEMA_BYTES, Problem, Validator, compile

SEARCH = {
    "type": "object",
    "properties": {
        "path": {"type": "string"},
        "limit": {"type": "integer", "minimum": 1, "maximum": 500},
        "tags": {"type": "array", "items": {"enum": ["a", "b"]}},
    },
    "required": ["path"],
    "additionalProperties": False,
}


def fit(schema: dict[str, Any], **options: Any) -> Validator:
    return compile(JsonObject(schema), where="acme/files.read input_schema", tool_input=False, **options)


def refusal(schema: dict[str, Any], *, tool_input: bool = False) -> str:
    with pytest.raises(RegistrationError) as caught:
        compile(JsonObject(schema), where="acme/files.read input_schema", tool_input=tool_input)
    message = str(caught.value)
    assert message.startswith("acme/files.read input_schema: ")
    assert message.isprintable()
    return message


# --- values ---


def test_a_value_fits_or_each_problem_is_told_with_its_place() -> None:
    search = fit(SEARCH)
    assert search.is_valid({"path": "a", "limit": 3, "tags": ["a"]})
    assert search.errors({"path": "a"}) == []
    found = search.errors({"limit": "three", "tags": ["a", "c"], "bogus/~": True})
    assert {problem.pointer for problem in found} == {"", "/limit", "/tags/1"}
    assert Problem("", '"path" is a required property') in found
    assert Problem("/limit", 'the value is not of type "integer"') in found


def test_true_is_no_integer_and_one_is_no_boolean() -> None:
    assert not fit({"type": "integer"}).is_valid(True)
    assert not fit({"type": "boolean"}).is_valid(1)
    assert fit({"type": "integer"}).is_valid(3.0)


def test_the_hot_path_is_the_validators_own_method() -> None:
    for schema in (SEARCH, {"$defs": {"a": {"$ref": "#"}}, "properties": {"a": {"$ref": "#/$defs/a"}}}):
        assert inspect.isbuiltin(fit(schema).is_valid)


def test_equal_schemas_share_one_validator() -> None:
    assert fit(SEARCH) is fit(dict(reversed(SEARCH.items())))
    assert fit(SEARCH) is not fit({**SEARCH, "title": "another"})


def test_at_most_the_wanted_number_of_problems_is_told() -> None:
    strings = fit({"items": {"type": "string"}})
    assert len(strings.errors(list(range(100)))) == 8
    assert len(strings.errors(list(range(100)), limit=3)) == 3
    assert strings.errors(list(range(100)), 1)[0].pointer == "/0"


def test_a_message_repeats_no_value_and_stays_short_and_on_one_line() -> None:
    secret = "s3cr3t\x1b[31m\u202e" * 1000
    schema = {
        "properties": {"a": {"type": "integer"}, "b": {"enum": ["x" * 5000]}, "c": {"pattern": "^(\x1b\u202e)+$"}},
        "required": ["r\x1b" * 1000],
        "additionalProperties": False,
    }
    found = fit(schema).errors({"a": secret, "b": secret, "c": secret, "k\x1b\u202e" * 1000: 1})
    assert len(found) == 5
    for problem in found:
        assert "s3cr3t" not in problem.message
        assert problem.message.isprintable()
        assert len(problem.message) < 1000


def test_formats_are_annotations() -> None:
    assert fit({"format": "date"}).is_valid("never")
    assert fit({"$schema": "http://json-schema.org/draft-07/schema#", "format": "email"}).is_valid("nobody")


def test_draft_2020_12_is_the_default_and_an_older_draft_is_honoured() -> None:
    first_is_text = {"items": [{"type": "string"}]}
    assert "/items" in refusal(first_is_text)
    for draft in ("http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft/2019-09/schema"):
        old = fit({"$schema": draft, **first_is_text})
        assert old.is_valid(["a", 1])
        assert not old.is_valid([1])
    old = fit({"$schema": "http://json-schema.org/draft-04/schema#", "minimum": 1, "exclusiveMinimum": True})
    assert not old.is_valid(1)


def test_a_schema_may_refer_to_the_schema_of_its_own_draft() -> None:
    for draft in ("https://json-schema.org/draft/2020-12/schema", "http://json-schema.org/draft-07/schema#"):
        tool = fit({"$schema": draft, "properties": {"schema": {"$ref": draft}}})
        assert tool.is_valid({"schema": {"type": "integer"}})
        assert not tool.is_valid({"schema": {"type": "int"}})


def test_documents_that_are_handed_in_may_be_referred_to() -> None:
    documents = {"https://example.org/a.json": {"type": "string"}}
    tool = fit({"properties": {"a": {"$ref": "https://example.org/a.json"}}}, documents=documents)
    assert tool.is_valid({"a": "x"})
    assert not tool.is_valid({"a": 1})


# --- references ---


def test_references_with_odd_names_and_into_odd_places_are_followed() -> None:
    tool = fit(
        {
            "properties": {
                "tags": {"$ref": "#/definitions/_gen:tags"},
                "f": {"$ref": "#/properties/g/anyOf/0"},
                "g": {"anyOf": [{"type": "string"}, True]},
                "h": {"$ref": "#/x-parts/a~1b~0c%20d/items/0"},
                "i": {"$ref": "#/properties/g/anyOf/1"},
            },
            "definitions": {"_gen:tags": {"type": "array"}},
            "x-parts": {"a/b~c d": {"items": [{"type": "integer"}]}},
        }
    )
    assert tool.is_valid({"tags": [], "f": "s", "h": 1, "i": None})
    for wrong in ({"tags": 1}, {"f": 1}, {"h": "s"}):
        assert not tool.is_valid(wrong)
        assert [problem.pointer for problem in tool.errors(wrong)] == ["/" + next(iter(wrong))]


def test_a_recursive_schema_checks_every_level() -> None:
    node = {
        "type": "object",
        "properties": {"v": {"type": "integer"}, "next": {"$ref": "#/$defs/Node"}},
        "required": ["v"],
    }
    tool = fit({"$ref": "#/$defs/Node", "$defs": {"Node": node}})
    assert tool.is_valid({"v": 1, "next": {"v": 2}})
    assert [problem.pointer for problem in tool.errors({"v": 1, "next": {"v": "x"}})] == ["/next/v"]


def test_references_by_identifier_and_anchor_are_followed() -> None:
    tool = fit(
        {
            "$id": "https://example.org/root.json",
            "$defs": {
                "a": {"$id": "inner/a.json", "$defs": {"b": {"$anchor": "here", "type": "integer"}}},
                "c": {"$anchor": "there", "type": "string"},
            },
            "properties": {
                "x": {"$ref": "inner/a.json#here"},
                "y": {"$ref": "#there"},
                "z": {"$ref": "https://example.org/inner/a.json#/$defs/b"},
            },
        }
    )
    assert tool.is_valid({"x": 1, "y": "s", "z": 2})
    for wrong in ({"x": "s"}, {"y": 1}, {"z": "s"}):
        assert not tool.is_valid(wrong)


@pytest.mark.parametrize(
    "reference",
    [
        "http://127.0.0.1:9/x",
        "https://example.org/schema.json#/a",
        "file:///etc/passwd",
        "//127.0.0.1:9/x",
        "other.json",
        "HTTP://127.0.0.1:9/",
        "urn:example:a",
        "data:application/json,{}",
        "http://json-schema.org.evil.example/draft-07/schema#",
        "http://json-schema.org/draft-07/schema#",
    ],
)
@pytest.mark.parametrize("keyword", ["$ref", "$dynamicRef"])
def test_a_reference_out_of_the_document_is_refused_where_it_stands(reference: str, keyword: str) -> None:
    for holder, place in (
        ({"properties": {"a/b": {"items": {keyword: reference}}}}, f"/properties/a~1b/items/{keyword}"),
        ({"$defs": {"unused": {keyword: reference}}}, f"/$defs/unused/{keyword}"),
        ({keyword: reference}, f"/{keyword}"),
    ):
        message = refusal(holder)
        assert "leads out of the schema" in message
        assert f"(at {place} of the schema)" in message


@pytest.mark.parametrize(
    "reference", ["#/$defs/missing", "#missing", "#/type", "#/required/0", "#/allOf/7", "#/allOf/x", "#/"]
)
def test_a_reference_that_leads_to_no_schema_is_refused_where_it_stands(reference: str) -> None:
    schema = {
        "type": "object",
        "required": ["a"],
        "allOf": [{}],
        "$defs": {"a": {"prefixItems": [{"$ref": reference}]}},
    }
    message = refusal(schema)
    assert "leads to no schema" in message
    assert "(at /$defs/a/prefixItems/0/$ref of the schema)" in message


def test_what_only_looks_like_a_reference_is_none() -> None:
    away = {"$ref": "http://127.0.0.1:9/x"}
    tool = fit({"const": away, "default": away, "examples": [away], "enum": [away], "x-vendor": away, "title": "$ref"})
    assert tool.is_valid(away)
    named = fit({"properties": {"$ref": {"type": "string"}}})
    assert named.is_valid({"$ref": "http://127.0.0.1:9/x"})
    assert not named.is_valid({"$ref": 1})


# --- schemas that cannot be used ---


@pytest.mark.parametrize(
    ("schema", "place", "said"),
    [
        ({"properties": {"n": {"type": "int"}}}, "/properties/n/type", "use array, boolean, integer"),
        ({"type": ["string", "text"]}, "/type", "use array, boolean, integer"),
        ({"properties": {"n": {"pattern": "^(?<y>\\d+$"}}}, "/properties/n/pattern", "no pattern"),
        ({"patternProperties": {"(": {}}}, "/patternProperties/(", "no pattern"),
        ({"properties": []}, "/properties", "object"),
        ({"properties": {"a": 5}}, "/properties/a", ""),
        ({"required": "a"}, "/required", "array"),
        ({"required": ["a", "a"]}, "/required", "unique"),
        ({"minLength": -1}, "/minLength", "minimum"),
        ({"minimum": "1"}, "/minimum", "number"),
        ({"allOf": []}, "/allOf", ""),
        ({"enum": "a"}, "/enum", "array"),
        ({"$ref": 5}, "/$ref", "string"),
        ({"$defs": {"unused": {"type": "int"}}}, "/$defs/unused/type", "use array"),
        ({"$schema": "https://example.org/draft"}, "/$schema", "draft is not known"),
        ({"$schema": "http://json-schema.org/draft-03/schema#"}, "/$schema", "draft is not known"),
        ({"$schema": 5}, "/$schema", "string"),
        ({"maximum": 2**70}, "/maximum", "64 bits"),
    ],
    ids=str,
)
def test_a_schema_that_makes_no_sense_is_refused_with_the_pointer(
    schema: dict[str, Any], place: str, said: str
) -> None:
    message = refusal(schema)
    assert f"(at {place} of the schema)" in message
    assert said in message


def test_a_schema_beyond_the_limits_is_refused() -> None:
    assert str(MAX_SCHEMA_BYTES) in refusal({"description": "x" * MAX_SCHEMA_BYTES})
    deep: dict[str, Any] = {}
    for _ in range(64):
        deep = {"items": deep}
    assert "nested deeper than 64" in refusal(deep)


def test_a_message_about_a_hostile_schema_is_short_and_printable() -> None:
    message = refusal({"properties": {"\x1b[31m\u202e" + "k" * 9000: {"type": "\x1b[2J" + "t" * 9000}}})
    assert len(message) < 1500
    message = refusal({"$ref": "http://127.0.0.1/\x1b[31m" + "r" * 9000})
    assert len(message) < 1500


@pytest.mark.parametrize("kind", [None, "string", ["object", "null"], "array"])
def test_a_tools_input_is_an_object_by_type(kind: Any) -> None:
    schema = {"properties": {}} if kind is None else {"type": kind}
    message = refusal(schema, tool_input=True)
    assert 'use "type": "object"' in message
    assert "(at /type of the schema)" in message
    assert fit(schema)  # as any other schema it is fine


def test_the_same_schema_may_be_fine_as_output_and_refused_as_input() -> None:
    schema = {"type": "array", "title": "twice"}
    assert fit(schema).is_valid([])
    assert refusal(schema, tool_input=True)
    assert fit(schema).is_valid([])
