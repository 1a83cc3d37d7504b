"""Names of properties that a provider refuses: another on the wire, their own on the way back."""

import re
from typing import Any

import pytest
from lower_samples import low

from licet.dialects.lower.forms import ANTHROPIC, BEDROCK, GEMINI_PARAMETERS
from licet.dialects.lower.property_name import called
from licet.dialects.lower.restore import restored
from licet.model.json_object import JsonObject

RULE = "[a-zA-Z0-9_.-]{1,64}"
ODD = ["filter[x]", "$top", "", "a" * 65, "päß", "a b", "a\tb", "7 zip", "\ud800"]


def test_odd_names_get_legal_ones_of_their_own() -> None:
    told = called([*ODD, "fine", "x-y.z"], RULE)
    assert list(told) == ODD
    assert len(set(told.values())) == len(ODD)
    for rule in (RULE, "[A-Za-z_][A-Za-z0-9_]{0,63}"):
        assert all(re.fullmatch(rule, name, re.ASCII) for name in told.values())


def test_a_stranger_who_takes_the_other_names_first_gains_nothing() -> None:
    names = ["a b"]
    for _ in range(5):
        taken = called(names, RULE)["a b"]
        names.append(taken)
    told = called(names, RULE)
    assert told["a b"] not in names
    assert len(told["a b"]) <= 64


def test_two_names_never_share_another(monkeypatch: pytest.MonkeyPatch) -> None:
    class Same:
        def __init__(self, _: bytes) -> None: ...

        def hexdigest(self) -> str:
            return "0" * 64

    monkeypatch.setattr("licet.dialects.lower.property_name.sha256", Same)
    told = called(["a b", "a?b", "a!b", "a_b"], RULE)
    assert len({*told.values(), "a_b"}) == 4


@pytest.mark.parametrize("form", [ANTHROPIC, BEDROCK, GEMINI_PARAMETERS], ids=lambda form: form.name)
def test_names_are_restored_where_they_were_given_and_nowhere_else(form: Any) -> None:
    inner = {"type": "object", "properties": {"in ner": {"type": "string"}}}
    schema = {
        "type": "object",
        "properties": {"a b": inner, "list": {"type": "array", "items": inner}},
        "required": ["a b"],
    }
    found = low(schema, form)
    wire = found.schema
    names = {
        pointer: found.renamed.get(pointer) for pointer in ("/properties/a b", "/properties/a b/properties/in ner")
    }
    outer = names["/properties/a b"]
    below = names["/properties/a b/properties/in ner"] or "in ner"
    assert outer is not None
    assert wire["required"] == [outer]
    assert (below == "in ner") is form.property_names_at_root
    written = {outer: {below: "x", outer: 1}, "list": [{below: "y"}], "other": {outer: 2}}
    meant = {"a b": {"in ner": "x", outer: 1}, "list": [{"in ner": "y"}], "other": {outer: 2}}
    assert restored(written, JsonObject(schema).json, found) == meant


def test_what_speaks_of_a_property_by_its_name_goes_into_words() -> None:
    schema = {
        "type": "object",
        "properties": {"a b": {"type": "string"}, "c": {"type": "string"}},
        "dependentRequired": {"a b": ["c"]},
        "if": {"required": ["a b"]},
        "then": {"required": ["c"]},
    }
    found = low(schema, ANTHROPIC)
    assert not found.schema.keys() & {"dependentRequired", "if", "then"}
    assert "a b" in found.suffix
    assert {loss.keyword for loss in found.losses} == {"dependentRequired", "if", "then", "properties"}
