"""References that lead into odd places, in every dialect: none dangles on the wire, and calls are judged as registered.

The schema of the first tool has ``definitions`` with a colon in the name and a reference into a property; the second
refers to itself.
"""

import json
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import pytest

from licet import Runtime
from licet.model.principal import Principal
from licet.model.tool import ToolSpec
from licet.ports import Message
from licet.testing import fake_tool
from wires import DIALECTS, Said, answer

TAGS = {
    "type": "object",
    "properties": {
        "tags": {"$ref": "#/definitions/_gen:tags"},
        "g": {"anyOf": [{"type": "integer", "minimum": 3}, {"type": "null"}]},
        "f": {"$ref": "#/properties/g/anyOf/0"},
    },
    "definitions": {"_gen:tags": {"type": "array", "items": {"type": "string"}}},
}
NODE = {
    "type": "object",
    "properties": {"v": {"type": "integer"}, "next": {"$ref": "#/$defs/Node"}},
    "required": ["v"],
    "$defs": {
        "Node": {
            "type": "object",
            "properties": {"v": {"type": "integer"}, "next": {"$ref": "#/$defs/Node"}},
            "required": ["v"],
        }
    },
}
SCHEMA_KEYS = ("parameters", "input_schema", "inputSchema", "parametersJsonSchema", "json")


def schemas(declared: Any) -> Iterator[dict[str, Any]]:
    """The schemas in a dialect's declarations."""
    if isinstance(declared, list):
        for item in declared:
            yield from schemas(item)
    elif isinstance(declared, dict):
        for key, held in declared.items():
            if key in SCHEMA_KEYS and not (isinstance(held, dict) and held.keys() == {"json"}):
                yield held
            else:
                yield from schemas(held)


def references(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        if isinstance(schema.get("$ref"), str):
            yield schema["$ref"]
        for inner in schema.values():
            yield from references(inner)
    elif isinstance(schema, list):
        for inner in schema:
            yield from references(inner)


def leads_somewhere(schema: Any, reference: str) -> bool:
    if not reference.startswith("#"):
        return False
    held = schema
    for step in filter(None, reference[1:].split("/")):
        key = step.replace("~1", "/").replace("~0", "~")
        if isinstance(held, list):
            held = held[int(key)] if key.isdigit() and int(key) < len(held) else None
        else:
            held = held.get(key) if isinstance(held, dict) else None
        if held is None:
            return False
    return isinstance(held, dict | bool)


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("dialect", [*DIALECTS, "mcp"])
@pytest.mark.parametrize("schema", [TAGS, NODE], ids=["tags", "node"])
def test_no_reference_dangles(dialect: str, schema: dict[str, Any], strict: bool) -> None:
    made = import_module(f"licet.dialects.{dialect}").compile([ToolSpec(name="t", input_schema=schema, strict=strict)])
    assert dict(made.refused) == {}
    (wire,) = schemas(made.tools)
    assert wire["type"] == "object"
    assert set(wire["properties"]) >= {"tags", "f"} or set(wire["properties"]) >= {"v", "next"}
    assert [reference for reference in references(wire) if not leads_somewhere(wire, reference)] == []
    as_registered = json.loads(ToolSpec(name="t", input_schema=schema).model_tool.input_schema.json)
    of_the_schema = [loss for loss in made.losses if (loss.path, loss.keyword) != ("", "strict")]
    assert bool(of_the_schema) is (wire != as_registered), "what differs is told, and nothing else is"


def test_the_control_a_dangling_reference_is_found() -> None:
    assert not leads_somewhere({"properties": {}}, "#/definitions/x")
    assert leads_somewhere(TAGS, "#/definitions/_gen:tags")
    assert leads_somewhere(TAGS, "#/properties/g/anyOf/0")


@pytest.mark.parametrize("dialect", DIALECTS)
async def test_calls_are_judged_by_what_is_registered_whatever_the_wire_says(dialect: str) -> None:
    tool, touched = fake_tool("t", {"ok": True}, input_schema=NODE)
    tags, _ = fake_tool("tags", {"ok": True}, input_schema=TAGS)
    who = Principal("alice", grants=["t", "tags"], mode="workspace_write")
    with Runtime([tool, tags]) as runtime:
        made = import_module(f"licet.dialects.{dialect}").compile(runtime.tools_for(who))
        asks = (
            ("t", {"v": 1, "next": {"v": 2}}),
            ("t", {"v": 1, "next": {"v": "x"}}),
            ("tags", {"tags": ["a"], "f": 3}),
            ("tags", {"tags": [1]}),
            ("tags", {"f": 1}),
        )
        said = made.decode(answer(dialect, *(Said(name, given, f"id{n}") for n, (name, given) in enumerate(asks))))
        async with runtime.run(who) as run:
            results = [await run.call(request.tool, request.arguments) for request in said.calls]
        assert [one.success for one in results] == [True, False, True, False, False]
        assert {one.code for one in results if not one.success} == {"invalid_arguments"}
        assert touched.calls == [{"v": 1, "next": {"v": 2}}]
        messages = made.encode(Message.of(said), results)
        assert "/next/v" in json.dumps(messages)
