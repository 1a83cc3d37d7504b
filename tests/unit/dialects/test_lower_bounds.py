"""What lowering costs is bounded, whatever a stranger's schema says."""

from time import thread_time
from typing import Any

import pytest
from lower_samples import low

from licet.dialects.lower import Form
from licet.dialects.lower.forms import BEDROCK, EVERY, GEMINI_PARAMETERS, OLLAMA, OPENAI_STRICT
from licet.dialects.lower.restore import restored
from licet.dialects.lower.walk import MOST_NODES
from licet.dialects.lower.words import MAX_WORDS
from licet.model.json_object import JsonObject

by_form = pytest.mark.parametrize("form", EVERY, ids=lambda form: form.name)


def doubling(levels: int) -> dict[str, Any]:
    """A schema that doubles with each level where references are followed."""
    definitions: dict[str, Any] = {"L0": {"type": "string"}}
    for level in range(1, levels + 1):
        below = {"$ref": f"#/$defs/L{level - 1}"}
        definitions[f"L{level}"] = {
            "type": "object",
            "properties": {"a": below, "b": below},
            "additionalProperties": False,
        }
    return {"type": "object", "properties": {"p": {"$ref": f"#/$defs/L{levels}"}}, "$defs": definitions}


@by_form
def test_references_that_double_do_not_double_the_wire_for_ever(form: Form) -> None:
    began = thread_time()
    found = low(doubling(40), form)
    assert thread_time() - began < 5
    assert len(found.json) < 400 * MOST_NODES
    if not form.references:
        assert any("too large" in loss.became for loss in found.losses)


@by_form
def test_a_chain_of_references_is_followed_without_end_of_the_stack(form: Form) -> None:
    definitions: dict[str, Any] = {f"L{n}": {"$ref": f"#/$defs/L{n + 1}"} for n in range(1000)}
    definitions["L1000"] = {"type": "string"}
    for schema in (
        {"type": "object", "properties": {"p": {"$ref": "#/$defs/L0"}}, "$defs": definitions},
        {"type": "object", "properties": {"p": nested(60)}},
    ):
        assert low(schema, form).json


def nested(levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(levels):
        schema = {"type": "array", "items": schema}
    return schema


@pytest.mark.parametrize("form", [OLLAMA, GEMINI_PARAMETERS, BEDROCK], ids=lambda form: form.name)
def test_a_description_says_no_more_than_so_much_of_one_keyword(form: Form) -> None:
    schema = {
        "type": "object",
        "properties": {"p": {"const": {"a": "x" * 5 * MAX_WORDS}, "not": {"const": "y" * 9999}}},
    }
    description = str(low(schema, form).schema["properties"]["p"].get("description", ""))
    assert len(description) < 3 * MAX_WORDS


def test_a_value_that_branches_at_every_level_is_restored_at_once() -> None:
    def branch(kind: str) -> dict[str, Any]:
        properties = {"kind": {"enum": [kind, "both"]}, "next": {"$ref": "#/$defs/N"}}
        return {"type": "object", "properties": properties, "additionalProperties": False}

    schema = {
        "type": "object",
        "properties": {"p": {"$ref": "#/$defs/N"}},
        "$defs": {"N": {"anyOf": [branch("a"), branch("b")]}},
    }
    found = low(schema, OPENAI_STRICT)
    assert found.strict
    value: Any = None
    for _ in range(60):
        value = {"kind": "both", "next": value}
    began = thread_time()
    told = restored({"p": value}, JsonObject(schema).json, found)
    assert thread_time() - began < 1
    depth = 0
    while "next" in (told := next(iter([told.get("p", told.get("next"))]))):
        depth += 1
    assert depth == 59
    assert told == {"kind": "both"}
