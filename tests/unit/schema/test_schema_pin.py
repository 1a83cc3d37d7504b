"""A pin trips for every change of a definition, and never for what a hop through another implementation changes."""

import hashlib
import json
from dataclasses import replace
from typing import Any

import pytest
import rfc8785

from licet.model.tool import Annotations, ToolSpec
from licet.schema.canonical import NotJson
from licet.schema.pin import Pin, pin_of, pinned

SCHEMA = {
    "type": "object",
    "properties": {"path": {"type": "string", "default": None}, "limit": {"type": "integer", "maximum": 500}},
    "required": ["path"],
}
SPEC = ToolSpec(
    name="files/disk.read",
    title="Read",
    description="Reads a file — as text.",
    input_schema=SCHEMA,
    output_schema={"type": "object"},
    annotations=Annotations(read_only=True, open_world=False),
)


def different_parts(spec: ToolSpec) -> set[str]:
    before, after = pin_of(SPEC), pin_of(spec)
    return {part for part in Pin._fields if getattr(before, part) != getattr(after, part)}


def test_each_part_has_its_digest_and_whole_is_over_all() -> None:
    parts: dict[str, Any] = {
        "name": "files/disk.read",
        "title": "Read",
        "description": "Reads a file — as text.",
        "input_schema": SCHEMA,
        "output_schema": {"type": "object"},
        "annotations": {"read_only": True, "open_world": False},
    }
    found = pin_of(SPEC)
    for part, value in parts.items():
        assert getattr(found, part) == "sha256:" + hashlib.sha256(rfc8785.dumps(value)).hexdigest()
    assert found.whole == "sha256:" + hashlib.sha256(rfc8785.dumps(parts)).hexdigest()


def test_an_absent_part_is_null_and_left_out_of_the_whole() -> None:
    bare = pin_of(ToolSpec(name="a/b"))
    assert bare.title == bare.output_schema == "sha256:" + hashlib.sha256(b"null").hexdigest()
    whole = {"name": "a/b", "description": "", "input_schema": {"type": "object"}, "annotations": {}}
    assert bare.whole == "sha256:" + hashlib.sha256(rfc8785.dumps(whole)).hexdigest()


@pytest.mark.parametrize(
    ("change", "part"),
    [
        ({"name": "files/disk.reaD"}, "name"),
        ({"title": "read"}, "title"),
        ({"title": None}, "title"),
        ({"description": "Reads a file - as text."}, "description"),
        ({"input_schema": {**SCHEMA, "required": ["path", "limit"]}}, "input_schema"),
        ({"input_schema": {**SCHEMA, "description": "x"}}, "input_schema"),
        ({"input_schema": {**SCHEMA, "additionalProperties": False}}, "input_schema"),
        (
            {"input_schema": {**SCHEMA, "properties": {**SCHEMA["properties"], "limit": {"type": "integer"}}}},
            "input_schema",
        ),
        ({"output_schema": None}, "output_schema"),
        ({"output_schema": {"type": "object", "title": ""}}, "output_schema"),
        ({"annotations": Annotations(read_only=False, open_world=False)}, "annotations"),
        ({"annotations": Annotations(read_only=True)}, "annotations"),
        ({"annotations": Annotations(read_only=True, open_world=False, idempotent=False)}, "annotations"),
    ],
    ids=lambda case: str(case)[:60],
)
def test_a_change_of_one_part_changes_that_digest_and_the_whole(change: dict[str, Any], part: str) -> None:
    assert different_parts(replace(SPEC, **change)) == {part, "whole"}


def reordered(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: reordered(value[key]) for key in reversed(value)}
    return [reordered(item) for item in value] if isinstance(value, list) else value


def test_what_a_hop_changes_does_not_change_the_pin() -> None:
    hop = reordered(json.loads(json.dumps(SCHEMA, indent=3)))
    hop["properties"]["limit"]["maximum"] = 500.0
    hop["default"] = None
    assert different_parts(replace(SPEC, input_schema=hop, output_schema={"type": "object", "examples": None})) == set()


def test_what_is_no_part_of_a_definition_does_not_change_the_pin() -> None:
    assert different_parts(replace(SPEC, metadata={"a": 1}, group="g", category="read", source="mcp")) == set()


def test_a_null_below_the_root_is_part_of_the_pin() -> None:
    other = {**SCHEMA, "properties": {**SCHEMA["properties"], "path": {"type": "string"}}}
    assert different_parts(replace(SPEC, input_schema=other)) == {"input_schema", "whole"}


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, b"null"),
        ({"a": None, "b": {"c": None}}, b'{"b":{"c":null}}'),
        ([None], b"[null]"),
        (2.0, b"2"),
        (-0.0, b"0"),
        ([1.5, 1e16, 1e21, 1e-7, 5e-324, 0.000001], b"[1.5,10000000000000000,1e+21,1e-7,5e-324,0.000001]"),
        (2**53, b"9007199254740992"),
        (2**53 - 1, b"9007199254740991"),
        (2**64 - 1, b"18446744073709552000"),
        ([-(2**63)], b"[-9223372036854776000]"),
        ({"\U0001f600": 1, "\ufb33": 2, "é": 3}, '{"é":3,"\U0001f600":1,"\ufb33":2}'.encode()),
        (
            '\x00\b\t\n\f\r\x1f"\\/\x7f\u2028é\U0001f600',
            '"\\u0000\\b\\t\\n\\f\\r\\u001f\\"\\\\/\x7f\u2028é\U0001f600"'.encode(),
        ),
    ],
    ids=repr,
)
def test_pinned_text_is_rfc_8785_of_what_javascript_reads(value: Any, text: bytes) -> None:
    assert pinned(value) == text


@pytest.mark.parametrize("value", [float("nan"), {1, 2}, {"a": [2**64]}, "\ud800", {1: 2}])
def test_what_is_not_strict_json_cannot_be_pinned(value: Any) -> None:
    with pytest.raises(NotJson):
        pinned(value)
