"""Whatever a schema says, each wire says it too, or the list of losses says what became of it."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from lower_account import dangling, unexplained
from lower_samples import EVERY, KEYWORDS, MORE, low, rooted

from licet.dialects.lower import Form
from licet.dialects.lower.forms import EVERY as FORMS
from licet.model.json_object import JsonObject
from licet.schema.validate import compile

by_form = pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)


def test_there_are_33_cases_of_keywords() -> None:
    assert len(KEYWORDS) == 33


@by_form
@pytest.mark.parametrize("name", EVERY)
def test_a_keyword_is_kept_or_on_the_list_of_losses(name: str, form: Form) -> None:
    found = low(EVERY[name], form)
    assert unexplained(EVERY[name], found, form) == []
    assert list(found.losses) == sorted(set(found.losses))


@by_form
@pytest.mark.parametrize("name", EVERY)
def test_no_reference_on_a_wire_dangles(name: str, form: Form) -> None:
    if form.whole:
        assert low(EVERY[name], form).json == JsonObject(EVERY[name]).json, "what is not lowered is as it was"
    else:
        assert dangling(low(EVERY[name], form).schema) == []


@by_form
@pytest.mark.parametrize("name", EVERY)
def test_every_wire_but_openapi_is_a_schema_that_compiles(name: str, form: Form) -> None:
    wire = low(EVERY[name], form).json
    if not form.uppercase:
        compile(JsonObject(wire), where="the wire")
    assert json.loads(wire)["type"] == ("OBJECT" if form.uppercase else "object")


AROUND: dict[str, Callable[[Any], Any]] = {
    "items": lambda inner: {"type": "array", "items": inner},
    "an optional property": lambda inner: {
        "type": "object",
        "properties": {"o": inner, "z": {"type": "string"}},
        "required": ["z"],
        "additionalProperties": False,
    },
    "anyOf": lambda inner: {"anyOf": [inner, {"type": "boolean"}], "description": "Either."},
    "oneOf with null": lambda inner: {"oneOf": [inner, {"type": "null"}]},
    "allOf": lambda inner: {"allOf": [inner], "title": "One"},
    "allOf with more": lambda inner: {"allOf": [inner, {"description": "More.", "minLength": 1}]},
    "a map": lambda inner: {"type": "object", "additionalProperties": inner},
    "prefixItems": lambda inner: {"type": "array", "prefixItems": [inner], "items": inner},
    "not": lambda inner: {"not": inner, "type": "string"},
}


@by_form
@pytest.mark.parametrize("around", AROUND)
def test_so_it_is_inside_of_another_keyword(around: str, form: Form) -> None:
    for name, inner in {**KEYWORDS, **MORE}.items():
        if "properties/p" in str(inner):
            continue  # it names its own place
        schema = rooted(AROUND[around](inner))
        found = low(schema, form)
        assert unexplained(schema, found, form) == [], name
        assert form.whole or dangling(found.schema) == [], name


def test_the_account_misses_whatever_is_taken_off_the_list() -> None:
    """Control: without any one of its losses a list is found to be incomplete."""
    missed = []
    taken = 0
    for form in FORMS:
        for name in EVERY:
            found = low(EVERY[name], form)
            for loss in found.losses:
                if (loss.path, loss.keyword) in (("", "strict"), ("", "$defs")):
                    continue  # not about a keyword that can be seen
                taken += 1
                fewer = found._replace(losses=tuple(one for one in found.losses if one != loss))
                if not unexplained(EVERY[name], fewer, form):
                    missed.append((form.name, name, loss.path, loss.keyword, loss.became))
    assert [one for one in missed if one[1] in KEYWORDS] == []
    assert len(missed) < taken / 20  # what is told twice of one place, or of what stands in a branch that has gone


def test_the_account_sees_what_was_changed_on_the_way() -> None:
    """Control: a keyword that is dropped, changed or made up without a word."""
    schema = EVERY["minimum and maximum"]
    whole = low(schema, FORMS[0])
    for spoilt in (
        {"type": "integer", "minimum": 1},
        {"type": "integer", "minimum": 1, "maximum": 8},
        {"type": "integer", "minimum": 1, "maximum": 9, "multipleOf": 2},
        {},
    ):
        wire = {**schema, "properties": {"p": spoilt}}
        assert unexplained(schema, whole._replace(json=json.dumps(wire).encode()), FORMS[0]) != []
    assert unexplained(schema, whole._replace(json=json.dumps({**schema, "required": []}).encode()), FORMS[0]) != []


def test_a_dangling_reference_is_seen() -> None:
    assert dangling({"properties": {"a": {"items": {"$ref": "#/$defs/A"}}}, "$defs": {"B": {}}}) == ["#/$defs/A"]
