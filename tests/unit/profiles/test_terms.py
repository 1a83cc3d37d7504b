"""The contract file, read strictly: named errors with their place, and nothing that makes full a default."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from licet.errors import ConfigurationError
from licet.profiles import DEFAULT, load, profile, shipped
from licet.profiles.terms import FILE, text

ROOT = Path(__file__).parents[3]
SCHEMA = json.loads((ROOT / "contracts" / "integration-tool-contract.schema.json").read_text("utf-8"))
OBSERVE = ("get_contract", "query_data", "simulate", "recommend")

Change = Callable[[dict[str, Any]], Any]


def changed(change: Change) -> str:
    value = json.loads(text())
    change(value)
    return json.dumps(value)


@pytest.mark.requirement("profile.contract-file")
def test_the_package_holds_the_contract_of_the_repository() -> None:
    assert text() == (ROOT / "contracts" / FILE).read_bytes()
    assert load(text()) == shipped()
    assert (shipped().version, shipped().prefix, shipped().pattern) == ("0.1.0", "algenta_", "^algenta_[a-z0-9_]+$")
    assert shipped().never_model_facing == ("force", "override_safety")
    assert [name for name, held in shipped().profiles.items() if held.is_default] == ["observe"]


@pytest.mark.requirement("profile.cumulative")
def test_each_profile_adds_to_the_one_before() -> None:
    assert profile("observe").tools == OBSERVE
    assert profile("govern").tools == (*OBSERVE, "plan_decision", "log_decision")
    assert profile("execute").tools == (*OBSERVE, "plan_decision", "log_decision", "execute_decision")
    assert (profile("full").tools, profile("full").is_default) == (None, False)
    assert profile("execute").requires == profile("full").requires != ()


@pytest.mark.requirement("profile.default-observe")
def test_whoever_asks_for_none_gets_observe() -> None:
    assert profile() == profile(None) == profile(DEFAULT) == profile("observe")


@pytest.mark.parametrize("name", ["", "Observe", "admin", "observe ", 5, ["observe"], True, "\x1b[31m"])
def test_an_unknown_profile_is_a_value_error_that_names_those_that_there_are(name: Any) -> None:
    with pytest.raises(ValueError, match="use observe, govern, execute, full") as refused:
        profile(name)
    assert isinstance(refused.value, ConfigurationError)
    assert "\x1b" not in str(refused.value)


def at(*path: str) -> Callable[[dict[str, Any]], dict[str, Any]]:
    def inside(value: dict[str, Any]) -> Any:
        for key in path:
            value = value[key]
        return value

    return inside


EXECUTE, FULL = at("profiles", "execute"), at("profiles", "full")
OBSERVING, NAMING = at("profiles", "observe"), at("external_tool_name_convention")
SIMULATE = at("mcp_tool_reference", "simulate")

WRONG: list[tuple[str, Change]] = [
    ("/extra: there is no such key; use contract_version", lambda v: v.update(extra=1)),
    ("/: the key 'conformance' is missing", lambda v: v.pop("conformance")),
    ("/contract_version: write a version", lambda v: v.update(contract_version="1")),
    ("/contract_version: write a version", lambda v: v.update(contract_version=1)),
    ("/profiles/admin: there is no such key", lambda v: v["profiles"].update(admin={})),
    ("/profiles: the key 'full' is missing", lambda v: v["profiles"].pop("full")),
    ("/profiles/full/default: there is no such key", lambda v: FULL(v).update(default=True)),
    ("/profiles/full/opt_in_only: full is asked for by name", lambda v: FULL(v).update(opt_in_only=False)),
    ("/profiles/full: the key 'opt_in_only' is missing", lambda v: FULL(v).pop("opt_in_only")),
    ("/profiles/full/tools: full is everything", lambda v: FULL(v).update(tools=["get_contract"])),
    ("/profiles/observe/default: observe is the default", lambda v: OBSERVING(v).update(default=False)),
    ("/profiles/observe/default: observe is the default", lambda v: OBSERVING(v).update(default=1)),
    ("/profiles/observe/tools: write a list", lambda v: OBSERVING(v).update(tools=[])),
    ("/profiles/observe/tools: write a list", lambda v: OBSERVING(v).update(tools="*")),
    ("/profiles/observe/tools/1: it stands there twice", lambda v: OBSERVING(v).update(tools=["simulate"] * 2)),
    ("/profiles/observe/tools/0: 'sell' is no tool of", lambda v: OBSERVING(v).update(tools=["sell"])),
    ("/profiles/observe: the default only reads", lambda v: SIMULATE(v).update(read_only=False)),
    ("/profiles/govern/extends: govern extends observe", lambda v: v["profiles"]["govern"].update(extends="full")),
    ("/profiles/execute/extends: execute extends govern", lambda v: EXECUTE(v).update(extends="observe")),
    ("/profiles/execute/adds_tools/0: 'simulate' belongs to it", lambda v: EXECUTE(v).update(adds_tools=["simulate"])),
    ("/profiles/execute: the key 'never_model_facing", lambda v: EXECUTE(v).pop("never_model_facing_fields")),
    ("/profiles/execute/never_model_facing_fields: write", lambda v: EXECUTE(v).update(never_model_facing_fields=[])),
    ("/profiles/execute/requires_all_of/0: use 1 to 64", lambda v: EXECUTE(v).update(requires_all_of=["A b"])),
    ("/mcp_tool_reference: name the engine's tools", lambda v: v.update(mcp_tool_reference={})),
    ("/mcp_tool_reference: write an object", lambda v: v.update(mcp_tool_reference=[])),
    ("/mcp_tool_reference/Bad: use 1 to 56", lambda v: v["mcp_tool_reference"].update(Bad={})),
    ("/mcp_tool_reference/simulate: the key 'category'", lambda v: SIMULATE(v).pop("category")),
    ("/mcp_tool_reference/simulate/category: use one of", lambda v: SIMULATE(v).update(category="run")),
    ("/mcp_tool_reference/simulate/read_only: write true", lambda v: SIMULATE(v).update(read_only="yes")),
    ("/mcp_tool_reference/simulate/description: write text", lambda v: SIMULATE(v).update(description="")),
    ("/mcp_tool_reference/simulate/aliases: 'recommend' is", lambda v: SIMULATE(v).update(aliases=["recommend"])),
    ("/mcp_tool_reference/simulate/safety_critical: write", lambda v: SIMULATE(v).update(safety_critical=None)),
    ("/external_tool_name_convention/prefix: a prefix ends in _", lambda v: NAMING(v).update(prefix="algenta")),
    ("/external_tool_name_convention/prefix: use 1 to 64", lambda v: NAMING(v).update(prefix="")),
    ("/external_tool_name_convention/pattern: it is no pattern", lambda v: NAMING(v).update(pattern="^($")),
    ("/external_tool_name_convention/pattern: it says what a whole", lambda v: NAMING(v).update(pattern="algenta_")),
    ("/external_tool_name_convention/pattern: 'algenta_get", lambda v: NAMING(v).update(pattern="^x_[a-z]+$")),
    ("/conformance/checked_by: write a list", lambda v: v["conformance"].update(checked_by="ci")),
]
BEYOND_A_SHAPE = ("is no tool of", "belongs to it", "only reads", "aliases: 'recommend'", "pattern: ")


@pytest.mark.requirement("profile.contract-file")
@pytest.mark.parametrize(("beginning", "change"), WRONG, ids=[beginning for beginning, _ in WRONG])
def test_a_contract_that_is_wrong_says_where_and_what_instead(beginning: str, change: Change) -> None:
    with pytest.raises(ConfigurationError) as refused:
        load(changed(change), "some.json")
    assert str(refused.value).startswith(f"some.json: {beginning}")


@pytest.mark.parametrize(("beginning", "change"), WRONG, ids=[beginning for beginning, _ in WRONG])
def test_the_schema_beside_the_contract_refuses_what_is_a_matter_of_shape(beginning: str, change: Change) -> None:
    validator = jsonschema_rs.Draft202012Validator(SCHEMA)
    assert validator.is_valid(json.loads(text()))
    if not any(part in beginning for part in BEYOND_A_SHAPE):
        assert not validator.is_valid(json.loads(changed(change)))


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "not JSON"),
        (b"{", "not JSON"),
        (b"[]", "/: write an object"),
        (text().replace(b'"0.1.0"', b"NaN"), "not JSON"),
        (text().replace(b'"govern": {', b'"govern": {"extends": "observe"}, "govern": {'), "/profiles/govern: the key"),
        (b"\xff\xfe", ""),
        (b"[" * 10_000, "nested deeper"),
        (b'"' + b"x" * (1 << 20) + b'"', ""),
    ],
    ids=["nothing", "a beginning", "a list", "NaN", "a key twice", "no UTF-8", "too deep", "too large"],
)
def test_what_is_no_strict_json_is_refused_with_its_place(content: bytes, problem: str) -> None:
    with pytest.raises(ConfigurationError, match=r"^some\.json: ") as refused:
        load(content, "some.json")
    assert problem in str(refused.value)
