"""Tools as they are registered: an engine that advertises what no model may see, and whoever else is called so."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from licet import Runtime, Tool, ToolSpec, profiles
from licet.errors import ConfigurationError
from licet.profiles.fields import fields, fold
from licet.profiles.scrub import scrubbed
from licet.profiles.strip import stripped
from licet.testing import FakeTransport

FIELDS = fields(("force", "override_safety"), ("metadata",))
SCHEMA = {
    "type": "object",
    "properties": {"decision_id": {"type": "string"}, "force": {"type": "boolean"}, "o": {"$ref": "#/$defs/o"}},
    "$defs": {"o": {"type": "object", "properties": {"override_safety": {"default": True}}}},
    "required": ["decision_id", "force"],
    "additionalProperties": False,
}


def registered(name: str, **spec: Any) -> ToolSpec:
    runtime = Runtime([Tool(ToolSpec(name=name, input_schema=SCHEMA, **spec), FakeTransport({}))])
    try:
        return runtime.specs()[0]
    finally:
        runtime.close()


@pytest.mark.requirement("profile.never-model-facing")
@pytest.mark.parametrize(
    "name",
    ["execute_decision", "mcp/algenta.execute_decision", "mcp/other.execute_decision", "algenta_execute_decision"],
)
def test_the_executing_tool_is_stripped_on_whatever_server(name: str) -> None:
    spec = registered(name, title="Force it", description="Sends it. force=true sends it twice. Override safety too!")
    assert (spec.title, spec.description) == (None, "Sends it.")
    for shown in (spec.model_tool, spec.input_schema, repr(spec.input_schema)):
        assert "force" not in str(shown)
        assert "override" not in str(shown)
    assert spec.never_model_facing == ("force", "override_safety")


def test_another_tool_keeps_its_arguments_unless_its_author_withholds_them() -> None:
    assert registered("mcp/git.push").input_schema == SCHEMA
    assert registered("simulate").input_schema == SCHEMA
    spec = registered("mcp/git.push", never_model_facing=("decision_id",))
    assert list(spec.input_schema["properties"]) == ["force", "o"]


def test_one_text_is_no_list_of_names() -> None:
    with pytest.raises(ConfigurationError, match="list of names"):
        ToolSpec(name="push", never_model_facing="force")  # type: ignore[arg-type]


def test_a_description_that_is_about_nothing_else_is_the_contracts() -> None:
    spec = registered("execute_decision", description="Uses force.")
    assert spec.description == profiles.shipped().tools["execute_decision"].description
    assert registered("execute_decision", description="").description == ""


def test_a_result_may_hold_what_no_argument_may_but_its_schema_is_not_shown() -> None:
    told = {"type": "object", "properties": {"force": {"type": "boolean"}}}
    assert registered("execute_decision", output_schema=told).output_schema is None
    receipt = {"type": "object", "properties": {"safety_overridden": {"type": "boolean"}}}
    assert registered("execute_decision", output_schema=receipt).output_schema == receipt


@pytest.mark.parametrize("name", ["get_contract", "execute_decision"])
def test_a_spec_is_registered_twice_to_the_same(name: str) -> None:
    once = registered(name)
    again = profiles.guarded(once, profiles.fields_of(once))
    assert again.input_schema == once.input_schema
    assert again.description == once.description


# --- whatever the engine writes ---

WIDE = "".join(chr(ord(letter) + 0xFEE0) for letter in "force")
NAMES = f"force Force override_safety overrideSafety override-safety {WIDE} x properties const enum default required"
WORDS = st.sampled_from([*NAMES.split(), "$ref", "#/$defs/force", "pattern", "^force$", "use force. Now.", "enforce"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | WORDS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(WORDS, inner, max_size=4),
    max_leaves=30,
)


@pytest.mark.requirement("profile.never-model-facing")
@given(st.dictionaries(WORDS, JSON, max_size=5))
def test_nothing_that_is_stripped_names_a_field_at_any_depth(schema: dict[str, Any]) -> None:
    told = stripped(schema, FIELDS).copy()
    assert stripped(told, FIELDS) == told
    for name in names_in(told):
        assert fold(name) not in FIELDS.folded, told


@pytest.mark.requirement("profile.never-model-facing")
@given(st.dictionaries(WORDS, JSON, max_size=5), st.booleans())
def test_no_argument_that_is_left_is_a_field_and_nothing_is_left_that_carries_one(
    arguments: dict[str, Any], as_text: bool
) -> None:
    given = {"body": json.dumps(arguments)} if as_text else arguments
    found = scrubbed(given, FIELDS)
    if found.problem:
        assert any(fold(name) in FIELDS.folded for name in names_in(arguments))
        return
    assert not any(fold(key) in FIELDS.folded for key in keys_in(found.arguments))
    assert scrubbed(found.arguments, FIELDS).removed == ()
    if as_text:
        assert not any(fold(key) in FIELDS.folded for key in keys_in(arguments))


def keys_in(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [*value, *(key for held in value.values() for key in keys_in(held))]
    return [key for held in value for key in keys_in(held)] if isinstance(value, list) else []


def names_in(value: Any) -> list[str]:
    """Keys and texts at any depth."""
    if isinstance(value, dict):
        return [*value, *(name for held in value.values() for name in names_in(held))]
    if isinstance(value, list):
        return [name for held in value for name in names_in(held)]
    return [value] if isinstance(value, str) else []
