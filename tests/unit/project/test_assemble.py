"""An agent put together: only the servers that its grants reach, words that tighten, rules, and what fails alone."""

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from licet.dialects.mcp import Definition
from licet.errors import ConfigurationError
from licet.model.json_object import JsonObject
from licet.model.tool import Annotations
from licet.project.assemble import Opened, opened, principal_of, reaches
from licet.project.config import Agent, load
from licet.project.locked import Lock, LockedServer, launch_digest, locked
from licet.testing import RecordingLedger

NOWHERE = "/nonexistent/licet-test-server"


def project(folder: Path, text: str) -> Any:
    path = folder / "licet.yaml"
    path.write_text(text)
    return load(path)


def definition(name: str, **hints: bool) -> Definition:
    return Definition(name, None, "", JsonObject({"type": "object"}), None, Annotations(**hints))


def lock_of(held: Any, **tools: Any) -> Lock:
    """A lock of all declared servers, each with these tools."""
    servers = {}
    for declared in held.servers:
        spec = declared.as_written()
        digest = launch_digest(spec.launch)
        named = {name: locked(spec.name, *args) for name, args in tools.items()}
        servers[spec.name] = LockedServer(JsonObject(spec.launch), digest, named)
    return Lock(servers)


@asynccontextmanager
async def put_together(held: Any, lock: Lock | None, **options: Any) -> AsyncIterator[Opened]:
    agent = next(iter(held.agents.values()))
    ledger = options.pop("ledger", RecordingLedger())
    environ = options.pop("environ", {})
    async with opened(held, agent, environ=environ, lock=lock, ledger=ledger, **options) as found:
        yield found


TWO = f"""
mcpServers:
  git: {{command: {NOWHERE}}}
  web: {{command: {NOWHERE}}}
"""


@pytest.mark.parametrize(
    ("grants", "reached"),
    [
        ({"tools": ["mcp/git.log"]}, {"git"}),
        ({"globs": ["mcp/git.*"]}, {"git"}),
        ({"globs": ["mcp/g*.log"]}, {"git"}),
        ({"globs": ["mcp/*"]}, {"git", "web"}),
        ({"globs": ["*/web.x"]}, {"web"}),
        ({"groups": ["mcp/web"]}, {"web"}),
        ({"groups": ["read_only_builtins"], "tools": ["read"]}, set()),
        ({"globs": ["other/*"]}, set()),
        ({}, set()),
    ],
)
def test_an_agent_reaches_the_servers_that_its_grants_are_about(grants: Any, reached: set[str], tmp_path: Path) -> None:
    held = project(tmp_path, TWO + f"agents: {{a: {grants}}}")
    agent = held.agents["a"]
    assert {server.id for server in held.servers if reaches(agent, server.name)} == reached


async def test_without_a_lock_first_use_has_to_be_asked_for(tmp_path: Path) -> None:
    held = project(tmp_path, TWO + "agents: {a: {globs: [mcp/*]}}")
    with pytest.raises(ConfigurationError, match="licet lock"):
        async with put_together(held, None):
            raise AssertionError
    only_files = project(tmp_path, TWO + "agents: {a: {tools: [read]}}")
    async with put_together(only_files, None) as found:
        assert found.servers == ()


@pytest.mark.requirement("own.error-is-not-emptiness")
async def test_a_server_whose_variable_is_not_set_is_a_line_and_the_others_work(tmp_path: Path) -> None:
    text = f"""
mcpServers:
  git: {{command: {NOWHERE}, env: {{TOKEN: "${{SECRET_TOKEN}}"}}}}
  web: {{command: {NOWHERE}}}
agents: {{a: {{mode: workspace_write, tools: [mcp/git.log, mcp/web.log]}}}}
"""
    held = project(tmp_path, text)
    async with put_together(held, lock_of(held, log=(definition("log"),))) as found:
        [line] = [line for line in found.report if line.state != "ready"]
        assert (line.server, line.state, line.reason) == ("mcp/git", "unavailable", "not_configured")
        assert "SECRET_TOKEN" in line.told
        assert "licet.yaml:3" in line.told
        assert [spec.name for spec in found.runtime.tools_for(found.principal)] == ["mcp/web.log"]
        result = await found.runtime.call(found.principal, "mcp/git.log")
        assert (result.code, result.reason, result.effect) == ("server_unavailable", "not_configured", "none")


async def test_a_launch_that_is_not_the_pinned_one_is_refused_unstarted(tmp_path: Path) -> None:
    held = project(tmp_path, TWO + "agents: {a: {mode: workspace_write, tools: [mcp/git.log]}}")
    lock = lock_of(held, log=(definition("log"),))
    changed = project(tmp_path, TWO.replace(NOWHERE, f"{NOWHERE}2", 1) + "agents: {a: {tools: [mcp/git.log]}}")
    async with put_together(changed, lock) as found:
        assert [(line.state, line.reason) for line in found.report] == [("drifted", "launch")]
        assert (await found.runtime.call(found.principal, "mcp/git.log")).code == "schema_changed"


async def test_the_words_of_the_operator_classify_and_an_accepted_change_keeps_only_what_restricts(
    tmp_path: Path,
) -> None:
    text = f"""
mcpServers: {{git: {{command: {NOWHERE}}}}}
tools:
  mcp/git.*: {{read_only: hinted}}
  mcp/git.push: {{read_only: false, approval: ask}}
  mcp/git.reset: {{approval: false}}
agents: {{a: {{mode: workspace_write, globs: [mcp/*]}}}}
"""
    held = project(tmp_path, text)
    tools = {
        "log": (definition("log", read_only=True),),
        "push": (definition("push", read_only=True),),
        "reset": (definition("reset", destructive=True),),
    }

    def flags(found: Opened, name: str) -> tuple[bool, bool]:
        spec = found.runtime.spec(f"mcp/git.{name}")
        assert spec is not None
        return spec.capabilities.read_only, spec.capabilities.asks

    lock = lock_of(held, **tools)
    async with put_together(held, lock) as found:
        assert [flags(found, name) for name in tools] == [(True, False), (False, True), (False, False)]
    for name, (read, *_) in tools.items():
        lock = lock.with_tool(f"mcp/git.{name}", locked("mcp/git", read, classification_dropped=True))
    async with put_together(held, lock) as found:
        assert [flags(found, name) for name in tools] == [(False, False), (False, True), (False, True)]


async def test_words_on_tools_of_licets_own_tighten_and_never_loosen(tmp_path: Path) -> None:
    text = "tools: {read: {approval: ask, timeout_s: 3}, ls: {read_only: false}}\nagents: {a: {tools: [read, ls]}}"
    async with put_together(project(tmp_path, text), None) as found:
        read, ls = found.runtime.spec("read"), found.runtime.spec("ls")
        assert read is not None
        assert ls is not None
        assert (read.capabilities.asks, read.execution.timeout_s) == (True, 3)
        assert not ls.capabilities.read_only
    loosened = project(tmp_path, "tools: {write: {read_only: true}}\nagents: {a: {}}")
    with pytest.raises(ConfigurationError, match="'write' comes with licet and writes"):
        async with put_together(loosened, None):
            raise AssertionError


async def test_the_rules_of_a_grant_are_checks_of_its_calls(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.txt").write_text("a")
    (tmp_path / "b.txt").write_text("b")
    text = "agents: {a: {roots: [.], tools: [{read: {path: {under: docs}}}]}}"
    ledger = RecordingLedger()
    async with put_together(project(tmp_path, text), None, ledger=ledger) as found:
        assert (await found.runtime.call(found.principal, "read", {"path": "docs/a.txt"})).success
        result = await found.runtime.call(found.principal, "read", {"path": "b.txt"})
        assert (result.code, result.reason) == ("rule_forbids", "argument_rule")
        assert ledger.kinds[-1] == "tool.refused"


def test_roots_start_at_the_folder_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    held = project(tmp_path, "agents: {a: {roots: [., src]}, b: {roots: [.]}, c: {}}")
    roots = {name: principal_of(held, agent).paths for name, agent in held.agents.items()}
    assert roots["a"].roots == (str(tmp_path), str(tmp_path / "src"))
    assert (roots["b"].access, roots["c"].access) == ("current_project", "none")
    missing = Agent(name="d", roots=("nowhere",))
    with pytest.raises(ConfigurationError, match="nowhere"):
        principal_of(held, missing)


async def test_a_block_that_raises_still_ends_what_was_started(tmp_path: Path) -> None:
    held = project(tmp_path, f"mcpServers: {{x: {{command: {sys.executable}}}}}\nagents: {{a: {{globs: [mcp/*]}}}}")
    runtimes = []

    async def spoilt() -> None:
        async with put_together(held, lock_of(held)) as found:
            runtimes.append(found.runtime)
            raise RuntimeError("mine")

    with pytest.raises(RuntimeError, match="mine"):
        await spoilt()
    with pytest.raises(ConfigurationError, match="closed"):
        runtimes[0].portal()
