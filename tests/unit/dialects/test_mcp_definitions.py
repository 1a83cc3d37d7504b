"""What a server says of one tool: read part by part, or set aside with the reason; and said again to a client."""

import copy
from typing import Any

import pytest
from mcp_samples import HTTP, OBJECT, STDIO, quarantined, read, tool

from licet.dialects.mcp import Definition, definition_of, spec_of, wire_tool, without_headers
from licet.model.server import ServerSpec
from licet.model.tool import Annotations, ToolCapability
from licet.schema.pin import pin_of

# --- what is read ---


def test_every_pinned_part_is_read_and_nothing_else() -> None:
    raw = tool(
        "git_status",
        title="Status",
        description="Shows it.",
        inputSchema={"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "properties": {"a": {}}},
        outputSchema={"type": "object", "required": ["n"]},
        annotations={"readOnlyHint": True, "destructiveHint": False, "idempotentHint": None, "colour": "red"},
        icons=[{"src": "http://evil.example/x.png"}],
        execution={"taskSupport": "forbidden"},
        _meta={"secret": 1},
        vendor={"x": 1},
    )
    before = copy.deepcopy(raw)
    found = read(raw)
    assert raw == before, "what came is not changed"
    assert (found.name, found.title, found.description) == ("git_status", "Status", "Shows it.")
    assert found.input_schema == raw["inputSchema"]
    assert found.output_schema == raw["outputSchema"]
    assert found.annotations == Annotations(read_only=True, destructive=False, idempotent=None, open_world=None)
    spec = spec_of(found, STDIO)
    assert "evil" not in repr(spec)
    assert "secret" not in repr(spec)


def test_a_tool_that_says_little_is_read_too() -> None:
    assert read(tool(title=None, description=None, annotations=None, outputSchema=None, execution=None)) == Definition(
        "t", None, "", read(tool()).input_schema, None, Annotations()
    )


def test_an_absent_hint_is_not_false() -> None:
    for said in (None, True, False):
        hints = dict.fromkeys(("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"), said)
        claims = read(tool(annotations=hints)).annotations
        assert {claims.read_only, claims.destructive, claims.idempotent, claims.open_world} == {said}


def test_the_title_of_the_annotations_stands_in_for_one_of_its_own() -> None:
    assert read(tool(annotations={"title": "Old"})).title == "Old"
    assert read(tool(title="New", annotations={"title": "Old"})).title == "New"
    assert quarantined(tool(annotations={"title": 7})).reason == "bad_title"


def test_members_of_a_schemas_root_that_are_null_are_left_out_as_the_pin_does() -> None:
    with_nulls = {"type": "object", "default": None, "description": None, "properties": {"a": {"default": None}}}
    without = {"type": "object", "properties": {"a": {"default": None}}}
    one, other = (read(tool(inputSchema=schema, outputSchema=schema)) for schema in (with_nulls, without))
    assert one == other
    assert one.input_schema.json == b'{"properties":{"a":{"default":null}},"type":"object"}'
    assert pin_of(spec_of(one, STDIO)) == pin_of(spec_of(other, STDIO))


@pytest.mark.parametrize("draft", ["draft-04", "draft-06", "draft-07"])
def test_schemas_of_older_drafts_are_read(draft: str) -> None:
    schema = {"$schema": f"http://json-schema.org/{draft}/schema#", "type": "object", "definitions": {"a": OBJECT}}
    assert read(tool(inputSchema=schema)).input_schema == schema


@pytest.mark.parametrize(
    "name",
    ["a", "A9", "get-sum", "a.b.c", "_private", "7zip", "-x", ".", "..", "a" * 128, "mcp__git__x", "constructor"],
)
def test_a_name_that_the_protocol_knows_is_usable_and_leads_back(name: str) -> None:
    spec = spec_of(read(tool(name)), STDIO)
    assert spec.name == f"mcp/git.{name}"
    assert definition_of(spec).name == name


# --- what cannot be used ---


@pytest.mark.parametrize(
    ("raw", "reason", "told"),
    [
        (None, "not_an_object", "a tool is an object, not null"),
        ([], "not_an_object", "not an array"),
        ("t", "not_an_object", "not text"),
        (7, "not_an_object", "not a number"),
        ({}, "no_name", "it has no name"),
        (tool(None), "no_name", "it has no name"),
        (tool(""), "no_name", "it has no name"),
        (tool(7), "no_name", "its name is a number, not text"),
        (tool(["t"]), "no_name", "an array"),
        (tool("résumé écrire"), "unusable_name", "more than ASCII letters"),
        (tool("../etc"), "unusable_name", "more than ASCII letters"),
        (tool("a/b"), "unusable_name", "more than ASCII"),
        (tool("/etc"), "unusable_name", "more than ASCII"),
        (tool("a b"), "unusable_name", "more than ASCII"),
        (tool("<a>"), "unusable_name", "more than ASCII"),
        (tool("re\u0430d"), "unusable_name", "more than ASCII"),
        (tool("\uff52ead"), "unusable_name", "more than ASCII"),
        *(
            (tool(f"a{hidden}b"), "hidden_characters", "control, bidirectional or invisible")
            for hidden in "\0\n\r\t\x1b\x7f\x85\xad\u200b\u200d\u202e\u2066\u2028\u3164\ufeff\U000e0041\ud800"
        ),
        (tool("a" * 129), "name_too_long", "129 characters, 128 at most"),
        (tool("a" * 200), "name_too_long", "200 characters, 128 at most"),
        (tool(title=7), "bad_title", "its title is a number, not text"),
        (tool(title="\ud800"), "bad_title", "half of a surrogate pair"),
        (tool(title="x" * 16385), "title_too_long", "16385 bytes"),
        (tool(description=["a"]), "bad_description", "an array, not text"),
        (tool(description="a\udfff"), "bad_description", "half of a surrogate pair"),
        (tool(description="ä" * 8193), "description_too_long", "16386 bytes, 16384 at most"),
        (tool(annotations=[]), "bad_annotations", "an array, not an object"),
        (tool(annotations={"readOnlyHint": "true"}), "bad_annotations", "its readOnlyHint is text, not true or false"),
        (tool(annotations={"destructiveHint": 0}), "bad_annotations", "its destructiveHint is a number"),
        (tool(execution={"taskSupport": "required"}), "task_required", "as a task only"),
        ({"name": "t"}, "no_input_schema", "no inputSchema"),
        (tool(inputSchema=None), "no_input_schema", '{"type": "object"}'),
        (tool(inputSchema=[]), "bad_input_schema", "its inputSchema is an array, not an object"),
        (tool(inputSchema=True), "bad_input_schema", "its inputSchema is a boolean, not an object"),
        (tool(inputSchema={}), "bad_input_schema", "no type, but arguments are an object"),
        (tool(inputSchema={"type": "string"}), "bad_input_schema", "the type 'string'"),
        (tool(inputSchema={"type": ["object"]}), "bad_input_schema", "(at /type of the schema)"),
        (tool(inputSchema={"type": "object", "properties": 1}), "bad_input_schema", "(at /properties of the schema)"),
        (
            tool(inputSchema={"type": "object", "properties": {"n": {"type": "int"}}}),
            "bad_input_schema",
            "'int' is not a type",
        ),
        (
            tool(inputSchema={"type": "object", "properties": {"n": {"pattern": "^(?<y>\\d+$"}}}),
            "bad_input_schema",
            "(at /properties/n/pattern of the schema)",
        ),
        (
            tool(inputSchema={"type": "object", "properties": {"n": {"$ref": "http://127.0.0.1:1/x"}}}),
            "bad_input_schema",
            "leads out of the schema",
        ),
        (tool(inputSchema={"type": "object", "$ref": "#/$defs/none"}), "bad_input_schema", "leads to no schema"),
        (tool(inputSchema={"type": "object", "$schema": "http://x.example/"}), "bad_input_schema", "draft is not kno"),
        (tool(inputSchema={"type": "object", "default": 1 << 70}), "bad_input_schema", "64 bits"),
        (tool(inputSchema={"type": "object", "default": float("inf")}), "bad_input_schema", "not a JSON object"),
        (tool(inputSchema={"type": "object", "description": "\ud800"}), "bad_input_schema", "not a JSON object"),
        (tool(inputSchema={"type": "object", "description": "x" * 300_000}), "bad_input_schema", "bytes of schema"),
        (tool(outputSchema=7), "bad_output_schema", "its outputSchema is a number, not an object"),
        (tool(outputSchema={"type": "int"}), "bad_output_schema", "'int' is not a type"),
    ],
    ids=lambda value: None if isinstance(value, dict) else str(value)[:40],
)  # fmt: skip
def test_a_tool_that_cannot_be_used_says_why(raw: Any, reason: str, told: str) -> None:
    found = quarantined(raw)
    assert (found.reason, told in found.told) == (reason, True), found
    assert found.told.isprintable()
    assert found.name.isprintable()
    assert found.name.isascii() or "é" in found.name or "\u0430" in found.name or "\uff52" in found.name


def test_a_deep_schema_is_set_aside() -> None:
    schema: dict[str, Any] = {"type": "object"}
    for _ in range(3000):
        schema = {"type": "object", "properties": {"a": schema}}
    assert quarantined(tool(inputSchema=schema)).reason == "bad_input_schema"


def test_a_long_name_is_shown_short_and_escaped() -> None:
    found = quarantined(tool("\u202e<b>" + "a" * 500))
    assert found.name == "\\u202e\\u003cb\\u003e" + "a" * 76 + "..."


def test_an_output_schema_may_be_about_any_json() -> None:
    assert read(tool(outputSchema={"type": "array"})).output_schema == {"type": "array"}


# --- arguments in headers ---

ANNOTATED = {"type": "object", "properties": {"region": {"type": "string", "x-mcp-header": "Region"}}}
NAMED_SO = {"type": "object", "properties": {"x-mcp-header": {"type": "string"}}, "default": {"x-mcp-header": 1}}


def test_a_tool_that_wants_arguments_in_headers_is_set_aside_where_there_are_headers() -> None:
    found = quarantined(tool(inputSchema=ANNOTATED), HTTP)
    assert (found.reason, "x-mcp-header" in found.told) == ("header_argument", True)
    assert read(tool(inputSchema=ANNOTATED), STDIO).input_schema == ANNOTATED
    for server in (STDIO, HTTP):
        assert read(tool(inputSchema=NAMED_SO), server).input_schema == NAMED_SO


def test_no_served_definition_has_an_argument_in_a_header_at_any_depth() -> None:
    leaf = {"type": "string", "x-mcp-header": "A", "const": {"x-mcp-header": "kept"}}
    schema = {
        "type": "object",
        "x-mcp-header": "Root",
        "properties": {"x-mcp-header": leaf, "properties": {"properties": {"b": leaf}}},
        "patternProperties": {"x-mcp-header": leaf},
        "items": [leaf],
        "allOf": [{"not": leaf}, {"anyOf": [leaf, True]}],
        "additionalProperties": leaf,
        "$defs": {"x-mcp-header": leaf},
        "dependentRequired": {"x-mcp-header": ["x-mcp-header"]},
        "required": ["x-mcp-header"],
        "enum": [{"x-mcp-header": 1}],
        "examples": [{"x-mcp-header": 1}],
    }
    plain = {"type": "string", "const": {"x-mcp-header": "kept"}}
    assert without_headers(schema) == {
        "type": "object",
        "properties": {"x-mcp-header": plain, "properties": {"properties": {"b": plain}}},
        "patternProperties": {"x-mcp-header": plain},
        "items": [plain],
        "allOf": [{"not": plain}, {"anyOf": [plain, True]}],
        "additionalProperties": plain,
        "$defs": {"x-mcp-header": plain},
        "dependentRequired": {"x-mcp-header": ["x-mcp-header"]},
        "required": ["x-mcp-header"],
        "enum": [{"x-mcp-header": 1}],
        "examples": [{"x-mcp-header": 1}],
    }
    wire = wire_tool(read(tool(inputSchema=ANNOTATED, outputSchema=ANNOTATED)), "t")
    assert "x-mcp-header" not in repr(wire)


# --- specs and wires ---


def test_a_spec_is_the_tool_as_nobody_vouches_for_it() -> None:
    spec = spec_of(read(tool(annotations={"readOnlyHint": True})), HTTP)
    assert (spec.name, spec.source, spec.group) == ("mcp/git.t", "mcp", "mcp/git")
    assert spec.capabilities == ToolCapability(writes=True)
    assert spec.execution.timeout_s == 7
    assert spec_of(read(tool()), ServerSpec(id="s", plugin="other", command="x")).name == "other/s.t"


def test_a_client_reads_the_pinned_parts_as_they_came() -> None:
    raw = tool(
        title="T",
        description="d \u202e\x1b[2J",
        inputSchema={"type": "object", "properties": {"z": {"minimum": 2.0}, "a": {"default": None}}},
        outputSchema={"type": "object"},
        annotations={"readOnlyHint": False, "openWorldHint": True},
    )
    assert wire_tool(read(raw), "served") == {**raw, "name": "served"}
    assert wire_tool(read(tool()), "t") == {"name": "t", "inputSchema": OBJECT}


def test_an_output_schema_that_is_no_objects_reaches_modern_clients_only() -> None:
    definition = read(tool(outputSchema={"type": "array"}))
    assert "outputSchema" not in wire_tool(definition, "t")
    assert wire_tool(definition, "t", modern=True)["outputSchema"] == {"type": "array"}
