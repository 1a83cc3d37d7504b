"""The vectors are JSON for every language: they fit their published schema, and each says what it promises."""

import json
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

import licet.conformance
from licet.conformance.execution import Executions
from licet.conformance.spelling import SPELLINGS
from licet.conformance.vector import SCHEMA, chosen, vectors
from licet.errors import ConfigurationError

FOLDER = Path(licet.conformance.__file__).parent


def document(name: str) -> Any:
    return json.loads((FOLDER / name).read_text("utf-8"))


@pytest.mark.parametrize("suite", ["core", "profile"])
def test_a_suite_fits_the_published_schema(suite: str) -> None:
    validator = jsonschema_rs.validator_for(document(SCHEMA))
    assert [error.message for error in validator.iter_errors(document(f"vectors/{suite}.json"))] == []


def test_every_vector_has_an_id_of_its_own_and_tools_that_can_be_told_apart() -> None:
    ids = [one.id for one in vectors()]
    assert len(set(ids)) == len(ids)
    for vector in vectors():
        told = [tool["description"] for tool in vector.tools]
        assert len(set(told)) == len(told), vector.id
        assert not any(one in other for one in told for other in told if one is not other), vector.id


def test_every_schema_of_a_tool_is_one_that_a_validator_takes() -> None:
    for vector in vectors():
        for tool in vector.tools:
            jsonschema_rs.validator_for(tool["input_schema"])


def test_every_spelling_of_the_schema_is_known_and_is_another_name() -> None:
    assert document(SCHEMA)["$defs"]["call"]["properties"]["spelled"]["enum"] == list(SPELLINGS)
    assert [how for how, spell in SPELLINGS.items() if spell("look") == "look"] == []


def test_tools_are_copies_so_that_no_subject_can_change_a_vector() -> None:
    vector = chosen(only=["arguments.schema"])[0]
    tool = Executions().tools(vector.tools)[0]
    tool.input_schema["title"] = "changed"
    assert "title" not in vector.tools[0]["input_schema"]


def test_a_profile_chooses_among_the_profile_suite_alone() -> None:
    assert {one.profile for one in chosen(["profile"], ["govern"])} == {"govern"}
    assert {one.suite for one in chosen([], ["govern"])} == {"core", "profile"}


@pytest.mark.parametrize("asked", [{"suites": ["cor"]}, {"profiles": ["Observe"]}, {"only": ["arguments.nothing"]}])
def test_what_does_not_exist_is_a_configuration_error(asked: dict[str, list[str]]) -> None:
    with pytest.raises(ConfigurationError, match="there is no"):
        chosen(**asked)
