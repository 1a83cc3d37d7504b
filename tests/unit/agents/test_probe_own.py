"""Fuzzing your own tools: what is certain of an input really is, and none of your code runs."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import pytest

import licet.agents.probe.own as own
import licet.policy.judge
from licet import Runtime, ToolSpec, tool
from licet.agents.probe.fuzz import Input, inputs
from licet.agents.probe.own import Fuzzed, OwnReport, document, probe_own
from licet.bundles.files import tools
from licet.errors import ConfigurationError
from licet.ledger.sqlite import SqliteLedger
from licet.model.json_object import JsonObject
from licet.model.tool import ToolCapability
from licet.model.verdict import PERMIT
from licet.schema.validate import compile
from licet.sources.combine import combine

NESTED = {
    "type": "object",
    "$defs": {
        "point": {
            "type": "object",
            "properties": {"x": {"type": "number"}, "y": {"type": "number", "minimum": 0, "exclusiveMaximum": 9.5}},
            "required": ["x", "y"],
            "additionalProperties": False,
        }
    },
    "properties": {
        "shape": {"anyOf": [{"$ref": "#/$defs/point"}, {"type": "null"}]},
        "points": {"type": "array", "items": {"$ref": "#/$defs/point"}, "minItems": 1, "maxItems": 3},
        "unit": {"enum": ["mm", "cm", 7, None]},
        "kind": {"const": "drawing"},
        "either": {"oneOf": [{"type": "string", "minLength": 2, "maxLength": 4}, {"type": "integer", "maximum": 5}]},
        "both": {"allOf": [{"type": "string"}, {"maxLength": 3}]},
        "tag": {"type": ["string", "null"]},
        "code": {"type": "string", "pattern": "^[A-Z]{3}$"},
        "flags": {"type": "array", "items": {"type": "boolean"}, "uniqueItems": True},
    },
    "required": ["points", "unit"],
    "additionalProperties": False,
}

SCHEMAS: dict[str, dict[str, Any]] = {
    "nested": NESTED,
    "empty": {"type": "object", "properties": {}, "additionalProperties": False},
    "open": {"type": "object"},
    "no_types": {"type": "object", "properties": {"a": {}, "b": True, "n": {"minimum": 3}}, "required": ["a"]},
    "recursive": {
        "type": "object",
        "$defs": {
            "tree": {"type": "object", "properties": {"in": {"type": "array", "items": {"$ref": "#/$defs/tree"}}}}
        },
        "properties": {"tree": {"$ref": "#/$defs/tree"}},
        "required": ["tree"],
    },
    "conditional": {
        "type": "object",
        "properties": {"a": {"type": "integer"}, "b": {"type": "string"}},
        "if": {"properties": {"a": {"const": 1}}},
        "then": {"required": ["b"]},
    },
    "patterned": {"type": "object", "patternProperties": {"^x": {"type": "integer"}}, "additionalProperties": False},
    "overlapping": {
        "type": "object",
        "properties": {"a": {"oneOf": [{"type": "integer"}, {"type": "number"}]}},
        "required": ["a"],
    },
    "impossible": {
        "type": "object",
        "properties": {"a": {"type": "integer", "minimum": 2, "maximum": 1}},
        "required": ["a"],
    },
    "old": {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "object",
        "definitions": {"n": {"type": "integer"}},
        "properties": {"n": {"$ref": "#/definitions/n", "minimum": 3}, "m": {"type": "integer", "minimum": 3}},
        "required": ["n", "m"],
    },
}


def spec_of(name: str, schema: dict[str, Any], **rest: Any) -> ToolSpec:
    return ToolSpec(name=name, input_schema=schema, **rest)


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[SqliteLedger]:
    ledger = SqliteLedger(tmp_path / "ledger.db")
    yield ledger
    ledger.close()


def booked(
    title: str, seats: int = 1, room: Literal["north", "south"] = "north", tags: list[str] | None = None
) -> dict:  # type: ignore[type-arg]
    """Book a room."""
    raise SystemExit("the body of a tool ran")


# --- what is certain of an input ---


@pytest.mark.parametrize("name", SCHEMAS)
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_what_is_certain_of_an_input_is_true(name: str, seed: int) -> None:
    spec = spec_of(name, SCHEMAS[name])
    fit = compile(JsonObject.of(spec.input_schema), where=name)
    for found in inputs(spec, seed):
        if not isinstance(found.arguments, str):
            assert fit.is_valid(found.arguments) is found.fits, str(found)
        else:
            assert not found.fits


@pytest.mark.parametrize("spec", tools(), ids=lambda spec: str(spec.name))
def test_the_schemas_of_the_file_tools_are_understood(spec: ToolSpec) -> None:
    found = inputs(spec, 0)
    assert sum(one.fits for one in found) >= 5
    kinds = {one.kind for one in found if not one.fits}
    assert {"wrong type", "null", "extra", "boundary", "path", "too large", "a key twice", "not JSON"} <= kinds


def test_every_property_is_given_every_wrong_type() -> None:
    found = inputs(spec_of("nested", NESTED), 0)
    wrong = {one.pointer for one in found if one.kind == "wrong type"}
    assert {"/shape", "/points", "/unit", "/kind", "/either", "/both", "/tag", "/code", "/flags"} <= wrong
    assert {"/points/0", "/points/0/x", "/points/0/y", "/shape/x", "/flags/0"} <= wrong


def test_a_schema_that_is_not_understood_is_still_attacked() -> None:
    for name in ("conditional", "patterned", "impossible"):
        found = inputs(spec_of(name, SCHEMAS[name]), 0)
        assert not any(one.fits for one in found), name
        assert len(found) > 12, name


def test_the_same_seed_gives_the_same_inputs_and_another_gives_others() -> None:
    spec = spec_of("nested", NESTED)
    assert inputs(spec, 7) == inputs(spec, 7)
    assert inputs(spec, 7) != inputs(spec, 8)


# --- a sound corridor ---


async def test_bad_inputs_are_refused_and_good_ones_let_in(ledger: SqliteLedger) -> None:
    offered = [tool.spec for tool in combine([booked, *tools()])] + [spec_of(n, s) for n, s in SCHEMAS.items()]
    report = await probe_own(offered, ledger, 0)
    assert [(fuzzed.tool, fuzzed.passed, fuzzed.turned_away) for fuzzed in report.tools if not fuzzed.held] == []
    assert report.ok
    assert all(fuzzed.ran_bad > 0 for fuzzed in report.tools), "called directly, every tool runs when it must not"
    assert sum(fuzzed.good for fuzzed in report.tools) > 100


async def test_every_refusal_stands_on_the_ledger(ledger: SqliteLedger) -> None:
    report = await probe_own([tool.spec for tool in combine([booked])], ledger, 0)
    [fuzzed] = report.tools
    refused = {entry.seq for entry in ledger.entries() if entry.kind == "tool.refused"}
    assert len(fuzzed.entries) == fuzzed.bad
    assert {entry.seq for entry in fuzzed.entries} == refused


async def test_the_bodies_never_run(ledger: SqliteLedger, tmp_path: Path) -> None:
    mark = tmp_path / "ran"

    def ran(**_: Any) -> dict[str, Any]:
        mark.write_text("ran")
        raise SystemExit("ran")

    @tool(unsafe=True, inline=True, paths=["path"])
    def reckless(path: str, force: bool = False) -> dict[str, Any]:
        return ran()

    @tool(checkpoint=ran, restore=ran, writes=True)
    async def reversible(n: int) -> dict[str, Any]:
        return ran()

    spec = ToolSpec(name="handed", input_schema=SCHEMAS["nested"], handler=ran, output_schema={"type": "integer"})
    specs = [made.spec for made in combine([reckless, reversible, spec, ran])]
    with Runtime([reckless, reversible]) as mine:
        report = await probe_own(specs, ledger, 0)
        again = await probe_own(mine.specs(), ledger, 1)
    assert report.ok
    assert again.ok
    assert not mark.exists()


async def test_a_hosted_tool_is_named_and_not_probed(ledger: SqliteLedger) -> None:
    hosted = ToolSpec(name="web_search", source="hosted")
    report = await probe_own([spec_of("open", SCHEMAS["open"]), hosted], ledger, 0)
    assert report.skipped == ("web_search",)
    assert [fuzzed.tool for fuzzed in report.tools] == ["open"]


@pytest.mark.parametrize("specs", [[], [ToolSpec(name="web_search", source="hosted")]])
async def test_nothing_to_probe_is_a_mistake(ledger: SqliteLedger, specs: list[ToolSpec]) -> None:
    with pytest.raises(ConfigurationError, match="no tool to probe"):
        await probe_own(specs, ledger, 0)
    assert list(ledger.entries()) == []


async def test_a_tool_without_parameters_lets_an_ungranted_call_in_directly(ledger: SqliteLedger) -> None:
    report = await probe_own([spec_of("empty", SCHEMAS["empty"])], ledger, 0)
    assert report.ok
    assert report.controlled == 1


async def test_the_document_tells_counts_and_the_seed(ledger: SqliteLedger) -> None:
    report = await probe_own([spec_of("nested", NESTED)], ledger, 42)
    told = json.loads(json.dumps(document(report)))
    assert told["ok"] is True
    assert told["seed"] == 42
    assert told["tools"][0]["bad"]["refused"] == told["tools"][0]["bad"]["inputs"] == report.tools[0].bad
    assert told["flipped"]["found"] is True


# --- controls ---


@pytest.mark.parametrize(
    ("check", "kind"), [("arguments", "missing"), ("mode", "hidden by the mode"), ("paths", "path at /path")]
)
async def test_a_corridor_without_one_of_its_checks_is_found(
    ledger: SqliteLedger, monkeypatch: pytest.MonkeyPatch, check: str, kind: str
) -> None:
    order = licet.policy.judge._ORDER
    without = tuple((name, (lambda *_: PERMIT) if name == check else judged) for name, judged in order)
    monkeypatch.setattr(licet.policy.judge, "_ORDER", without)
    writes = ToolCapability(writes=True)
    schema = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
    spec = spec_of("save", schema, capabilities=writes, path_access="allowed_roots", path_arguments=("/path",))
    report = await probe_own([spec], ledger, 0)
    assert not report.ok
    assert any(text.startswith(kind) for text in report.tools[0].passed)


async def test_a_corridor_that_turns_good_calls_away_is_found(
    ledger: SqliteLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(spec: ToolSpec, seed: int) -> list[Input]:
        return [found._replace(fits=True) for found in inputs(spec, seed) if found.kind == "null"][:3]

    monkeypatch.setattr(own, "inputs", never)
    report = await probe_own([spec_of("nested", NESTED)], ledger, 0)
    assert not report.ok
    assert len(report.tools[0].turned_away) == 3


async def test_inputs_that_nothing_lets_in_directly_fail_the_demonstration(ledger: SqliteLedger) -> None:
    report = await probe_own([spec_of("nested", NESTED)], ledger, 0)
    blunt = tuple(fuzzed._replace(ran_bad=0) for fuzzed in report.tools)
    assert report.ok
    assert not report._replace(tools=blunt).ok


async def test_a_verification_that_misses_the_flipped_byte_fails_the_demonstration(ledger: SqliteLedger) -> None:
    report: OwnReport = await probe_own([spec_of("open", SCHEMAS["open"])], ledger, 0)
    missed = report.flip._replace(broken=report.flip.whole)
    assert report.ok
    assert not report._replace(flip=missed).ok
    assert isinstance(report.tools[0], Fuzzed)
