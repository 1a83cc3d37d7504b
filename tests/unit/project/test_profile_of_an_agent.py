"""An agent with a profile: what it is granted, in which mode, under which names, and what it never sees."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from test_assemble import NOWHERE, definition, lock_of, project, put_together

from licet.dialects.mcp import Definition
from licet.errors import ConfigurationError
from licet.model.json_object import JsonObject
from licet.model.tool import Annotations
from licet.project.assemble import Opened, principal_of, reaches
from licet.project.locked import Lock
from licet.testing import RecordingLedger

OBSERVE = ["get_contract", "query_data", "simulate", "recommend"]
GOVERN = [*OBSERVE, "plan_decision", "log_decision"]
EXECUTE = [*GOVERN, "execute_decision"]
FULL = [*EXECUTE, "reindex", "Odd.Name"]
FIELDS = {"force": {"type": "boolean", "default": True}, "override_safety": {"type": "boolean"}}
ADVERTISED = JsonObject({"type": "object", "properties": {"x": {}, **FIELDS}, "required": ["force"]})


def yaml(profile: str, more: str = "") -> str:
    return f"mcpServers:\n  algenta: {{command: {NOWHERE}}}\nagents:\n  a:\n    profile: {profile}\n{more}"


def engine(*names: str) -> dict[str, tuple[Definition]]:
    """Definitions of an engine that advertises what no model may see, on every tool."""
    said = "Works. With force=true it skips a gate."
    honest = {"execute_decision": Annotations(destructive=True)}
    return {
        name: (Definition(name, "Force", said, ADVERTISED, None, honest.get(name, Annotations())),) for name in names
    }


def own(found: Opened) -> list[str]:
    return [spec.name.removeprefix("mcp/algenta.") for spec in found.runtime.tools_for(found.principal)]


@pytest.mark.requirement("profile.cumulative")
@pytest.mark.requirement("profile.default-observe")
@pytest.mark.parametrize(
    ("profile", "tools", "mode"),
    [
        ("", OBSERVE, "read_only"),
        ("observe", OBSERVE, "read_only"),
        ("{server: mcp/algenta}", OBSERVE, "read_only"),
        ("govern", GOVERN, "workspace_write"),
        ("execute", EXECUTE, "workspace_write"),
        ("full", FULL, "workspace_write"),
    ],
)
async def test_an_agent_sees_exactly_the_tools_of_its_profile(
    profile: str, tools: list[str], mode: str, tmp_path: Path
) -> None:
    held = project(tmp_path, yaml(profile))
    ledger = RecordingLedger()
    locked = lock_of(held, **engine(*FULL))
    async with put_together(held, locked, ledger=ledger) as found:
        assert own(found) == tools
        assert found.principal.mode == mode
        run = found.runtime.begin(found.principal)
        assert sorted(run.principal.grants) == sorted(f"mcp/algenta.{tool}" for tool in tools)
        [expanded] = [body for kind, body in ((e.kind, e.body) for e in ledger.entries()) if kind == "grant.expanded"]
        name = profile if profile.isalpha() else "observe"
        assert f'"profile:{name}@mcp/algenta"'.encode() in expanded


@pytest.mark.requirement("profile.never-model-facing")
@pytest.mark.parametrize("profile", ["observe", "govern", "execute", "full"])
async def test_no_definition_of_an_engine_that_advertises_them_names_a_field(profile: str, tmp_path: Path) -> None:
    held = project(tmp_path, yaml(profile))
    locked = lock_of(held, **engine(*FULL))
    async with put_together(held, locked) as found:
        specs = [spec for spec in found.runtime.specs() if spec.name.startswith("mcp/")]
        assert len(specs) == len(FULL)
        for spec in specs:
            shown = f"{spec.title}{spec.description}{spec.input_schema}{spec.model_tool}".casefold()
            assert "force" not in shown
            assert "override" not in shown
    raw = locked.servers["mcp/algenta"].tools["simulate"].definition
    assert b'"force"' in raw.input_schema.json  # the control: what is pinned is what the engine advertises


@pytest.mark.requirement("profile.never-model-facing")
async def test_a_call_that_sets_a_field_never_reaches_the_engine(tmp_path: Path) -> None:
    held = project(tmp_path, yaml("{name: execute, never_fields: refuse}"))
    async with put_together(held, lock_of(held, **engine(*FULL))) as found:
        for arguments in ({"force": True}, {"x": {"Override-Safety": 1}}, {"x": '{"force": true}'}):
            result = await found.runtime.call(found.principal, "mcp/algenta.execute_decision", arguments)
            assert (result.code, result.effect) == ("invalid_arguments", "none")
            assert result.metadata["reason"] == "never_model_facing"
        allowed = await found.runtime.call(found.principal, "mcp/algenta.execute_decision", {"metadata": {"force": 1}})
        assert allowed.code == "server_unavailable"  # it went as far as the server, which is not there


@pytest.mark.requirement("profile.absent-not-hidden")
async def test_a_tool_outside_the_profile_is_answered_like_one_that_does_not_exist(tmp_path: Path) -> None:
    held = project(tmp_path, yaml("observe"))
    ledger = RecordingLedger()
    async with put_together(held, lock_of(held, **engine(*FULL)), ledger=ledger) as found:
        told = []
        for own_name in ("execute_decision", "no_such_tool_here"):
            result = await found.runtime.call(found.principal, f"mcp/algenta.{own_name}", {})
            told.append(str(result.content).replace(own_name, "NAME"))
            assert result.effect == "none"
        facts = [line.split('"')[1::2] for line in told]
        assert told[0].count("unknown_tool") == told[1].count("unknown_tool") == 1, facts
        assert [e.kind for e in ledger.entries() if e.kind.startswith("tool.")] == ["tool.refused", "tool.refused"]


async def test_what_the_engine_does_not_offer_is_a_line_and_the_rest_is_exposed(tmp_path: Path) -> None:
    held = project(tmp_path, yaml("observe"))
    async with put_together(held, lock_of(held, **engine("get_contract", "simulate", "reindex"))) as found:
        assert own(found) == ["get_contract", "simulate"]
        lines = [(line.tool, line.reason) for line in found.report if line.reason == "not_advertised"]
        assert lines == [("mcp/algenta.query_data", "not_advertised"), ("mcp/algenta.recommend", "not_advertised")]


@pytest.mark.requirement("own.error-is-not-emptiness")
@pytest.mark.parametrize(("profile", "offered"), [("observe", ["reindex"]), ("observe", []), ("full", [])])
async def test_a_profile_that_resolves_to_no_tool_is_an_error_that_says_so(
    profile: str, offered: list[str], tmp_path: Path
) -> None:
    held = project(tmp_path, yaml(profile))
    with pytest.raises(ConfigurationError, match=f"the profile {profile} resolves to no tool: mcp/algenta offers none"):
        async with put_together(held, lock_of(held, **engine(*offered))):
            raise AssertionError("it was put together")


async def test_an_engine_that_is_dead_is_unavailable_and_not_empty(tmp_path: Path) -> None:
    held = project(tmp_path, yaml("observe"))
    async with put_together(held, None, trust_first_use=True) as found:
        assert [(line.state, line.reason) for line in found.report] == [("unavailable", "spawn_failed")]
        result = await found.runtime.call(found.principal, "mcp/algenta.simulate", {})
        assert result.code in ("server_unavailable", "not_granted")


async def test_full_is_what_is_registered_when_it_is_put_together(tmp_path: Path) -> None:
    held = project(tmp_path, yaml("full"))
    async with put_together(held, lock_of(held, **engine("simulate", "reindex"))) as found:
        (grant,) = found.principal.grant_sets
        assert grant.tools == ("mcp/algenta.simulate", "mcp/algenta.reindex")
    (open_grant,) = principal_of(held, held.agents["a"]).grant_sets
    assert open_grant.tools is None


@pytest.mark.requirement("profile.flat-names")
async def test_names_are_own_over_mcp_and_flat_where_there_is_no_namespace(tmp_path: Path) -> None:
    held = project(tmp_path, yaml("full", "    names: {mcp/algenta.reindex: again}\n"))
    async with put_together(held, lock_of(held, **engine(*FULL))) as found:
        served = {tool: tool for tool in FULL if tool != "Odd.Name"} | {"reindex": "again"}
        assert found.names == {f"mcp/algenta.{tool}": name for tool, name in served.items()}
        flat = [tool for tool in FULL if tool != "Odd.Name"]  # no flat name matches that one
        assert found.flat == {f"mcp/algenta.{tool}": f"algenta_{tool}" for tool in flat}


async def test_what_the_file_says_of_a_tool_comes_before_the_contract(tmp_path: Path) -> None:
    held = project(tmp_path, yaml("observe", "tools:\n  mcp/algenta.simulate: {read_only: false, approval: ask}\n"))
    async with put_together(held, lock_of(held, **engine(*FULL))) as found:
        assert own(found) == ["get_contract", "query_data", "recommend"]
    assert held.word_for("mcp/other.simulate") is None


async def test_a_definition_that_was_accepted_anew_takes_no_word_of_the_contract(tmp_path: Path) -> None:
    held = project(tmp_path, yaml("observe"))
    locked = lock_of(held, **engine(*OBSERVE))
    server = locked.servers["mcp/algenta"]
    anew = replace(server.tools["simulate"], classification_dropped=True)
    changed = Lock({"mcp/algenta": replace(server, tools={**server.tools, "simulate": anew})})
    async with put_together(held, changed) as found:
        assert own(found) == ["get_contract", "query_data", "recommend"]


def test_a_narrower_mode_hides_what_writes_and_another_engine_can_be_named(tmp_path: Path) -> None:
    text = yaml("{name: govern, server: mcp/engine}", "    mode: read-only\n").replace("algenta:", "engine:")
    held = project(tmp_path, text)
    agent = held.agents["a"]
    assert (agent.mode, reaches(agent, "mcp/engine"), reaches(agent, "mcp/algenta")) == ("read_only", True, False)
    assert held.engines == {"mcp/engine"}


def test_a_tool_that_no_contract_names_stays_as_it_is(tmp_path: Path) -> None:
    assert definition("push").name == "push"
    held: Any = project(tmp_path, f"mcpServers:\n  git: {{command: {NOWHERE}}}\nagents:\n  a: {{groups: [mcp/git]}}\n")
    assert held.engines == frozenset()
