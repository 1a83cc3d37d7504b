"""The published schema decides about the shape: each wrong type of each key is refused there and nowhere else."""

import json
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from written import WORKING, read

from licet.project.place import Place
from licet.project.shape import MOST_PROBLEMS, problems, schema
from licet.project.yaml_file import read as parsed
from licet.runtime.limits import Limits
from licet.sources.mcp.limits import McpLimits

SAMPLES = {"mcpServers": "git", "tools": "mcp/git.log", "agents": "coder", "names": "mcp/git.log"}
VALUES: list[Any] = [None, True, 0, -1, 1.5, "", "text", [], [1], ["text"], {}, {"key": "text"}, {"key": 1}]


def places(part: Any, place: Place = ()) -> Iterator[Place]:
    """Every place that the schema says something of, with sample names for names that a file chooses."""
    if "$ref" in part:
        _, _, *steps = part["$ref"].split("/")
        found: Any = schema()["$defs"]
        for step in steps:
            found = found[step]
        part = found
    yield place
    for key, inner in part.get("properties", {}).items():
        yield from places(inner, (*place, key))
    if isinstance(part.get("additionalProperties"), dict):
        yield from places(part["additionalProperties"], (*place, SAMPLES.get(str(place[-1]) if place else "", "name")))
    if "items" in part:
        yield from places(part["items"], (*place, 0))
    for branch in part.get("anyOf", ()):
        yield from (inner for inner in places(branch, place) if inner != place)


PLACES = sorted(set(places(schema())), key=str)


def holding(place: Place, value: Any) -> Any:
    for step in reversed(place):
        value = [value] if isinstance(step, int) else {step: value}
    return value


def fits(value: Any) -> bool:
    return bool(jsonschema_rs.Draft202012Validator(dict(schema())).is_valid(value))


def test_the_walk_over_the_schema_finds_every_kind_of_key() -> None:
    assert len(PLACES) > 80
    assert ("agents", "coder", "tools", 0, "name", "name", "pattern") in PLACES
    assert ("limits", "mcp", "connect_s") in PLACES


@pytest.mark.parametrize("place", PLACES, ids=str)
def test_a_wrong_value_is_told_at_its_own_place_and_line(place: Place) -> None:
    wrong = 0
    for value in VALUES:
        whole = holding(place, value)
        document = parsed(json.dumps(whole, indent=1).encode(), "licet.yaml")
        found = problems(document.value)
        if fits(whole):
            assert found == []
            continue
        wrong += 1
        assert any(problem.place[: len(place)] == place for problem in found), (value, found)
        for problem in found:
            assert document.line(problem.place) == min(len(problem.place), len(place) + 1) + 1
            assert len(problem.text) > 10
            assert ";" in problem.text
    ignored = place[:1] == ("mcpServers",) and "effect" in json.dumps(
        schema()["$defs"]["server"]["properties"].get(place[-1], "")
    )
    assert wrong or ignored, "no value is wrong here: the key is not checked"


@pytest.mark.parametrize("place", [p for p in PLACES if p], ids=str)
def test_an_unknown_key_is_told_with_the_one_that_was_meant(place: Place) -> None:
    if not isinstance(place[-1], str) or place[-1].startswith("$") or len(place[-1]) < 5:
        return
    inside = schema() if len(place) == 1 else None
    if inside is None and place[:-1] not in OBJECTS:
        return
    meant = place[-1] + "x"
    found = [problem for problem in problems(holding((*place[:-1], meant), 1)) if problem.place == (*place[:-1], meant)]
    assert any("there is no such key; did you mean" in problem.text for problem in found)


OBJECTS = {
    ("mcpServers", "git"),
    ("tools", "mcp/git.log"),
    ("agents", "coder"),
    ("agents", "coder", "tools", 0, "name", "name"),
    ("limits",),
    ("limits", "mcp"),
}


def test_a_working_file_has_no_problem(tmp_path: Path) -> None:
    assert read(tmp_path, WORKING).problems == ()


def test_the_schema_is_one_and_names_each_limit_that_there_is() -> None:
    jsonschema_rs.meta.validate(dict(schema()))
    limits = schema()["$defs"]["limits"]["properties"]
    assert set(limits) - {"mcp"} == {field.name for field in fields(Limits)}
    assert set(limits["mcp"]["properties"]) == set(McpLimits._fields)


def test_each_key_says_what_it_means() -> None:
    def silent(part: Any, at: str) -> Iterator[str]:
        for key, inner in part.get("properties", {}).items():
            if "description" not in inner and "$ref" not in inner and key != "agents":
                yield f"{at}.{key}"
            yield from silent(inner, f"{at}.{key}")

    assert [*silent(schema(), ""), *(s for name, part in schema()["$defs"].items() for s in silent(part, name))] == []


def test_no_more_problems_are_told_than_anybody_reads() -> None:
    assert len(problems({f"key{i}": 1 for i in range(5000)})) == MOST_PROBLEMS
    assert len(problems({"agents": {f"a{i}": {"mode": 1} for i in range(500)}})) == MOST_PROBLEMS
