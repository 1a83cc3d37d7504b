"""A whole listing: one tool that cannot be used costs no other, and none stands in for another."""

from time import thread_time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mcp_samples import HTTP, STDIO, read, tool

from licet.dialects.mcp import MAX_TOOLS, definition_of, read_listing, spec_of, wire_tool
from licet.model.server import ServerSpec
from licet.schema.pin import pin_of
from licet.schema.validate import compile


@pytest.mark.requirement("own.one-bad-tool")
def test_one_bad_tool_costs_no_other() -> None:
    listing = [
        tool("good", description="works"),
        tool("int", inputSchema={"type": "object", "properties": {"n": {"type": "int"}}}),
        tool("pattern", inputSchema={"type": "object", "properties": {"n": {"pattern": "^(?<y>\\d+$"}}}),
        tool("résumé écrire"),
        tool("untyped", inputSchema={"properties": {}}),
    ]
    usable, aside = read_listing(listing, STDIO)
    assert [definition.name for definition in usable] == ["good"]
    assert [(one.name, one.reason) for one in aside] == [
        ("int", "bad_input_schema"),
        ("pattern", "bad_input_schema"),
        ("résumé écrire", "unusable_name"),
        ("untyped", "bad_input_schema"),
    ]


def test_of_tools_with_one_name_none_can_be_used() -> None:
    usable, aside = read_listing([tool("a"), tool("b"), tool("a", description="another"), tool("c")], STDIO)
    assert [definition.name for definition in usable] == ["b", "c"]
    assert [(one.name, one.reason) for one in aside] == [("a", "duplicate_name")] * 2
    assert "2 tools of this name" in aside[0].told


@pytest.mark.parametrize(
    ("first", "later"),
    [("read", "Read"), ("read", "READ"), ("list_all", "Iist_all"), ("b1", "bl"), ("modern", "modem")],
)
def test_of_names_that_a_person_may_confuse_the_later_cannot_be_used(first: str, later: str) -> None:
    for one, other in ((first, later), (later, first)):
        usable, aside = read_listing([tool("x"), tool(one), tool(other)], STDIO)
        assert [definition.name for definition in usable] == ["x", one]
        assert [(found.name, found.reason) for found in aside] == [(other, "confusable_name")]
        assert f"mistaken for {one!r}" in aside[0].told


LOOK_ALIKES = [*zip("lI10oO", "1lIOO0", strict=True), ("m", "rn"), ("a", "\u0430"), ("e", "\u0435"), ("A", "\uff21")]
"""A letter, and what a person may take for it."""


@settings(max_examples=1000, deadline=None)
@given(
    st.text("aelmAEO01Irn_.-", min_size=1, max_size=12),
    st.just([]) | st.lists(st.sampled_from(LOOK_ALIKES), min_size=1, max_size=4),
)
def test_of_two_generated_names_that_look_alike_one_can_be_used(name: str, changes: list[tuple[str, str]]) -> None:
    other = name if changes else name.swapcase()
    for change in changes:
        other = other.replace(*change)
    usable, aside = read_listing([tool(name), tool(other)], STDIO)
    if name == other:
        assert [found.reason for found in aside] == ["duplicate_name"] * 2
    else:
        assert [definition.name for definition in usable] == [name]
        assert [found.reason for found in aside] == ["confusable_name" if other.isascii() else "unusable_name"]


def test_what_looks_like_a_broken_tool_is_not_taken_for_it() -> None:
    usable, aside = read_listing([tool("read", inputSchema=7), tool("Read")], STDIO)
    assert usable == []
    assert [found.reason for found in aside] == ["bad_input_schema", "confusable_name"]


def test_a_tool_without_a_name_is_shown_by_its_place() -> None:
    _, aside = read_listing([tool("a"), {}, tool("b"), None], STDIO)
    assert [found.name for found in aside] == ["#2", "#4"]


def test_tools_beyond_the_limit_are_left_out_with_one_word_and_count_as_names() -> None:
    listing = [tool(f"t{number}") for number in range(MAX_TOOLS)] + [tool("t0"), tool("beyond"), None]
    usable, aside = read_listing(listing, STDIO)
    assert len(usable) == MAX_TOOLS - 1
    assert [(found.name, found.reason) for found in aside] == [("t0", "duplicate_name"), ("#10001", "too_many_tools")]
    assert aside[1].told == "3 tools beyond the first 10000"


def test_a_listing_of_ten_thousand_different_tools_is_read_in_seconds() -> None:
    def schema(number: int) -> dict[str, Any]:
        return {"type": "object", "properties": {f"p{number}": {"type": "string"}, "q": {"enum": ["a", "b"]}}}

    listing = [tool(f"tool_{number}", inputSchema=schema(number)) for number in range(MAX_TOOLS)]
    start = thread_time()
    usable, aside = read_listing(listing, STDIO)
    took_s = thread_time() - start
    assert (len(usable), aside) == (MAX_TOOLS, [])
    assert took_s < 10, f"{took_s:.1f} s"


def test_references_to_odd_places_and_to_themselves_are_read_and_hold() -> None:
    node = {"type": "object", "properties": {"v": {"type": "integer"}, "next": {"$ref": "#/$defs/Node"}}}
    tags = {"type": "array", "items": {"type": "string"}}
    schema = {
        "type": "object",
        "properties": {
            "tags": {"$ref": "#/definitions/_gen:tags"},
            "f": {"$ref": "#/properties/g/anyOf/0"},
            "g": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
            "node": {"$ref": "#/$defs/Node"},
        },
        "definitions": {"_gen:tags": tags},
        "$defs": {"Node": node},
    }
    usable, aside = read_listing([tool(inputSchema=schema)], STDIO)
    assert aside == []
    fits = compile(usable[0].input_schema, where="t").is_valid
    assert fits({"tags": ["a"], "f": 1, "g": None, "node": {"v": 1, "next": {"v": 2}}})
    for wrong in ({"tags": [1]}, {"f": None}, {"node": {"v": 1, "next": {"v": "x"}}}):
        assert not fits(wrong)


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=6)
    | st.sampled_from(["object", "int", "#"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.text(max_size=4) | st.sampled_from(["type", "properties", "$ref", "pattern", "allOf", "$defs", "$id"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)
schemas = st.dictionaries(
    st.sampled_from(
        "type properties $ref $schema $id $anchor pattern patternProperties required items allOf if enum const "
        "dependencies additionalProperties $defs x-mcp-header maxLength".split()
    ),
    json_values,
    max_size=4,
).map(lambda schema: {"type": "object", **schema})
parts = {
    "title": json_values,
    "description": json_values,
    "annotations": json_values | st.dictionaries(st.sampled_from(["readOnlyHint", "title"]), json_values, max_size=2),
    "execution": json_values,
    "outputSchema": json_values | schemas,
    "_meta": json_values,
}
raw_tools = json_values | st.fixed_dictionaries(
    {"name": st.sampled_from(["a", "A", "b", "b2"]) | json_values, "inputSchema": schemas | json_values}, optional=parts
)


@settings(max_examples=300, deadline=None)
@given(st.lists(raw_tools, max_size=5), st.sampled_from([STDIO, HTTP]))
def test_whatever_is_listed_each_tool_is_read_or_set_aside(listing: list[Any], server: ServerSpec) -> None:
    usable, aside = read_listing(listing, server)
    assert len(usable) + len(aside) == len(listing)
    assert all(found.name and found.reason and found.told for found in aside)
    for definition in usable:
        spec = spec_of(definition, server)
        assert definition_of(spec) == definition
        again = read(wire_tool(definition, definition.name, modern=True), server)
        assert again.annotations == definition.annotations
        if b"x-mcp-header" not in definition.input_schema.json + (getattr(definition.output_schema, "json", b"")):
            assert again == definition
            assert pin_of(spec_of(again, server)) == pin_of(spec)
