"""Schemas that ask something of every wire: the 33 keywords that converters are known to differ in, and more."""

from typing import Any

from licet.dialects.lower import Form, Lowered, lowered
from licet.model.json_object import JsonObject
from licet.model.tool import ModelTool

KEYWORDS: dict[str, Any] = {
    "a list of types": {"type": ["integer", "null"]},
    "anyOf with null": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
    "oneOf": {"oneOf": [{"type": "string"}, {"type": "integer"}]},
    "allOf": {"allOf": [{"type": "object", "properties": {"x": {"type": "string"}}}]},
    "not": {"type": "string", "not": {"const": "x"}},
    "if and then": {
        "type": "object",
        "properties": {"k": {"type": "string"}},
        "if": {"properties": {"k": {"const": "a"}}},
        "then": {"required": ["k"]},
    },
    "$ref": {"$ref": "#/$defs/Range"},
    "$ref with a description": {"$ref": "#/$defs/Range", "description": "From where to where."},
    "$ref in a circle": {"$ref": "#/$defs/Chain"},
    "enum of texts": {"type": "string", "enum": ["a", "b"]},
    "enum of integers": {"type": "integer", "enum": [1, 2]},
    "const": {"type": "string", "const": "a"},
    "const without a type": {"const": "a"},
    "default": {"type": "integer", "default": 3},
    "pattern": {"type": "string", "pattern": "^a+$"},
    "minLength and maxLength": {"type": "string", "minLength": 1, "maxLength": 9},
    "format date": {"type": "string", "format": "date"},
    "format uri": {"type": "string", "format": "uri"},
    "minimum and maximum": {"type": "integer", "minimum": 1, "maximum": 9},
    "exclusiveMinimum": {"type": "number", "exclusiveMinimum": 0},
    "multipleOf": {"type": "integer", "multipleOf": 2},
    "minItems and maxItems": {"type": "array", "items": {"type": "string"}, "minItems": 2, "maxItems": 3},
    "uniqueItems": {"type": "array", "items": {"type": "string"}, "uniqueItems": True},
    "prefixItems": {"type": "array", "prefixItems": [{"type": "string"}], "items": False},
    "array of anything": {"type": "array"},
    "map": {"type": "object", "additionalProperties": {"type": "string"}},
    "free object": {"type": "object"},
    "patternProperties": {"type": "object", "patternProperties": {"^x": {"type": "string"}}},
    "no type": {"description": "Anything."},
    "true": True,
    "$id and $comment": {"type": "string", "$id": "urn:x", "$comment": "c"},
    "deprecated and readOnly": {"type": "string", "deprecated": True, "readOnly": True},
    "examples": {"type": "string", "examples": ["a"]},
}

MORE: dict[str, Any] = {
    "false": False,
    "null alone": {"type": "null"},
    "enum with null": {"enum": ["a", None]},
    "mixed enum": {"enum": ["a", 1, None, {"b": 2}]},
    "const of null": {"const": None},
    "const of an object": {"const": {"a": 1}},
    "several types": {
        "type": ["string", "integer", "array"],
        "minLength": 2,
        "minimum": 3,
        "items": {"type": "string"},
    },
    "several types and null": {"type": ["string", "integer", "null"], "description": "Either.", "minLength": 2},
    "types and anyOf": {"type": ["string", "integer"], "anyOf": [{"minLength": 1}, {"minimum": 2}]},
    "anyOf with neighbours": {
        "type": "object",
        "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
        "anyOf": [{"required": ["a"]}, {"required": ["b"]}],
        "required": ["a"],
    },
    "anyOf and oneOf": {"anyOf": [{"type": "string"}], "oneOf": [{"minLength": 1}, {"minLength": 2}]},
    "anyOf of objects": {
        "anyOf": [
            {"type": "object", "properties": {"k": {"const": "a"}, "x": {"type": "string"}}, "required": ["k"]},
            {"type": "object", "properties": {"k": {"const": "b"}, "x": {"type": "integer"}}, "required": ["k"]},
            {"type": "null"},
        ]
    },
    "anyOf with false": {"anyOf": [False, {"type": "string"}]},
    "anyOf of false": {"anyOf": [False]},
    "allOf of two": {
        "allOf": [
            {"type": "object", "properties": {"x": {"type": "string", "minLength": 1}}, "required": ["x"]},
            {"properties": {"x": {"description": "Both.", "maxLength": 3}, "y": {"type": "integer"}}},
        ],
        "description": "Two.",
    },
    "allOf that contradicts": {"type": "string", "minLength": 1, "allOf": [{"type": "integer"}, {"minLength": 3}]},
    "allOf of types": {"type": ["string", "number"], "allOf": [{"type": ["integer", "boolean"]}, True]},
    "allOf with closed objects": {
        "allOf": [
            {"properties": {"x": {"type": "string"}}, "additionalProperties": False},
            {"properties": {"y": {"type": "string"}}, "additionalProperties": False},
        ]
    },
    "allOf with $ref": {"allOf": [{"$ref": "#/$defs/Range"}], "description": "Wrapped.", "default": {"from": 1}},
    "allOf with $ref and more": {"allOf": [{"$ref": "#/$defs/Range"}, {"properties": {"to": {"minimum": 4}}}]},
    "$ref with constraints": {"$ref": "#/$defs/Range", "required": ["to"], "minProperties": 2},
    "$ref to a property": {"$ref": "#/properties/other"},
    "$ref to the root": {"type": "array", "items": {"$ref": "#"}},
    "$ref to an anchor": {"$ref": "#named"},
    "$ref to true": {"$ref": "#/$defs/Any"},
    "$ref into a union": {"$ref": "#/$defs/Either/oneOf/1"},
    "$ref to a union": {"$ref": "#/$defs/Either"},
    "$dynamicRef": {"$dynamicRef": "#dynamic"},
    "circle of two": {"$ref": "#/$defs/Even"},
    "circle through allOf": {"allOf": [{"$ref": "#/$defs/Tree"}], "minProperties": 1},
    "definitions below the root": {"$ref": "#/properties/p/$defs/Deep", "$defs": {"Deep": {"type": "string"}}},
    "look-around": {"type": "string", "pattern": "^(?!x)a"},
    "contains": {"type": "array", "contains": {"type": "string"}, "minContains": 2, "maxContains": 3},
    "items and prefixItems": {"type": "array", "prefixItems": [{"type": "string"}], "items": {"type": "integer"}},
    "minItems of 1": {"type": "array", "items": {"type": "string"}, "minItems": 1},
    "items true": {"type": "array", "items": True},
    "map by pattern, closed": {
        "type": "object",
        "properties": {"a": {"type": "string"}},
        "patternProperties": {"^x": {"type": "string"}},
        "additionalProperties": False,
    },
    "open on purpose": {"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": True},
    "propertyNames": {"type": "object", "propertyNames": {"maxLength": 3}, "additionalProperties": {"type": "integer"}},
    "unevaluatedProperties": {
        "type": "object",
        "allOf": [{"properties": {"a": {"type": "string"}}}],
        "unevaluatedProperties": False,
    },
    "dependentRequired": {
        "type": "object",
        "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
        "dependentRequired": {"a": ["b"]},
        "dependentSchemas": {"b": {"minProperties": 2}},
    },
    "content": {"type": "string", "contentEncoding": "base64", "contentMediaType": "image/png"},
    "nobody's keyword": {"type": "string", "x-note": {"type": 5}, "nullable": True},
    "odd names": {
        "type": "object",
        "properties": {"filter[x]": {"type": "string"}, "$top": {"type": "integer"}, "": {"type": "string"}},
        "required": ["$top"],
    },
    "optional below": {
        "type": "array",
        "items": {
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "n": {"type": "integer"},
                "maybe": {"type": ["integer", "null"]},
                "choice": {"enum": ["a", "b"]},
                "range": {"$ref": "#/$defs/Range"},
                "either": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
                "fixed": {"const": 3},
            },
        },
    },
    "false beside others": {
        "allOf": [
            {"type": "array", "items": False, "properties": {"a": False}},
            {"items": {"type": "string", "minLength": 1}, "properties": {"a": {"type": "string"}}},
        ]
    },
    "property that never is": {"type": "object", "properties": {"a": False, "b": {"type": "string"}}},
    "values that look like schemas": {"type": "object", "default": {"$ref": "#/x"}, "examples": [{"$ref": "urn:y"}]},
}

DEFINITIONS: dict[str, Any] = {
    "Range": {
        "type": "object",
        "additionalProperties": False,
        "properties": {"from": {"type": "integer"}, "to": {"type": "integer", "description": "Last."}},
        "required": ["from"],
    },
    "Chain": {
        "type": "object",
        "additionalProperties": False,
        "properties": {"next": {"$ref": "#/$defs/Chain"}},
        "required": ["next"],
    },
    "Even": {"type": "object", "properties": {"odd": {"$ref": "#/$defs/Odd"}}, "additionalProperties": False},
    "Odd": {"type": "object", "properties": {"even": {"$ref": "#/$defs/Even"}}, "additionalProperties": False},
    "Tree": {
        "type": "object",
        "properties": {"below": {"type": "array", "items": {"allOf": [{"$ref": "#/$defs/Tree"}]}}},
    },
    "Either": {"oneOf": [{"type": "string", "minLength": 1}, {"type": "integer", "minimum": 1}]},
    "Any": True,
    "Named": {"$anchor": "named", "type": "string"},
    "Dynamic": {"$dynamicAnchor": "dynamic", "type": "integer"},
}
_USED = {"Even": ("Even", "Odd"), "#named": ("Named",), "#dynamic": ("Dynamic",)}

ROOTS: dict[str, Any] = {
    "nothing but a type": {"type": "object"},
    "closed and empty": {"type": "object", "properties": {}, "additionalProperties": False},
    "with $schema and $id": {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "https://example.test/tool",
        "title": "Tool",
        "description": "At the root.",
        "type": "object",
        "properties": {"a": {"$ref": "#/$defs/A"}},
        "$defs": {"A": {"type": "string"}},
    },
    "references by $id": {
        "$id": "https://example.test/tool",
        "type": "object",
        "properties": {"a": {"$ref": "https://example.test/tool#/$defs/A"}, "b": {"$ref": "inner"}},
        "$defs": {"A": {"type": "string"}, "B": {"$id": "inner", "type": "integer"}},
    },
    "a union": {
        "type": "object",
        "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
        "anyOf": [{"required": ["a"]}, {"required": ["b"]}],
        "unevaluatedProperties": False,
    },
    "oneOf and not": {"type": "object", "oneOf": [{"required": ["a"]}], "not": {"required": ["z"]}, "minProperties": 1},
    "allOf": {"type": "object", "allOf": [{"properties": {"a": {"type": "string"}}, "required": ["a"]}]},
    "a reference": {
        "type": "object",
        "$ref": "#/$defs/Arguments",
        "$defs": {
            "Arguments": {
                "type": "object",
                "properties": {"a": {"type": "string"}, "more": {"$ref": "#/$defs/Arguments"}},
                "additionalProperties": False,
            }
        },
    },
    "odd names": {
        "type": "object",
        "properties": {"filter[x]": {"type": "string"}, "$top": {"type": "integer"}, "ok": {"type": "string"}},
        "required": ["$top"],
        "dependentRequired": {"filter[x]": ["ok"]},
        "additionalProperties": False,
    },
    "draft 7": {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "object",
        "properties": {
            "pair": {"type": "array", "items": [{"type": "string"}], "additionalItems": {"type": "integer"}},
            "all": {"type": "array", "items": {"type": "string"}, "additionalItems": False},
            "named": {"$ref": "#/definitions/Named", "description": "says nothing here"},
        },
        "dependencies": {"pair": ["all"], "all": {"required": ["named"]}},
        "definitions": {"Named": {"type": "string"}},
    },
    "draft 4": {
        "$schema": "http://json-schema.org/draft-04/schema#",
        "id": "urn:tool",
        "type": "object",
        "properties": {
            "n": {"type": "number", "minimum": 0, "exclusiveMinimum": True},
            "m": {"type": "number", "maximum": 9, "exclusiveMaximum": False},
        },
    },
    "strange definitions": {
        "type": "object",
        "properties": {"a": {"$ref": "#/$defs/a~1b%20c"}, "b": {"$ref": "#/definitions/a"}, "c": {"$ref": "#/$defs/a"}},
        "$defs": {"a/b c": {"type": "string"}, "a": {"type": "integer"}},
        "definitions": {"a": {"type": "boolean"}},
    },
}


def rooted(schema: Any) -> dict[str, Any]:
    """A tool's schema whose property ``p`` is this one; only definitions that it uses."""
    text = str(schema)
    wanted = [name for name in DEFINITIONS if f"$defs/{name}" in text]
    wanted += [name for mark, names in _USED.items() if mark in text for name in names]
    root: dict[str, Any] = {
        "type": "object",
        "additionalProperties": False,
        "properties": {"p": schema},
        "required": ["p"],
    }
    if "#/properties/other" in text:
        root["properties"]["other"] = {"type": "string", "maxLength": 5}
    if wanted:
        root["$defs"] = {name: DEFINITIONS[name] for name in dict.fromkeys(wanted)}
    return root


EVERY: dict[str, dict[str, Any]] = {
    **{name: rooted(schema) for name, schema in {**KEYWORDS, **MORE}.items()},
    **{f"root: {name}": schema for name, schema in ROOTS.items()},
}


def low(schema: dict[str, Any], form: Form, *, strict: bool | None = None) -> Lowered:
    """A schema in one form. A strict form is asked for by the tool."""
    return lowered(ModelTool("local/t", "A tool.", JsonObject(schema), form.strict if strict is None else strict), form)
