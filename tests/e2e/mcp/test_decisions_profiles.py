"""The decision engine behind ``licet serve``, in every profile: it advertises break-glass fields, no model sees one."""

import asyncio
import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from decisions_served import DATASETS, ORDERS, POLICY, SEVEN
from test_serve import Process

from engines import DOUBTFUL, ENVIRON, SURE, written
from hooks import Hook, hook
from licet.conformance.run import run
from licet.conformance.target import Target, address, server
from licet.conformance.vector import chosen
from peers.serving import Project, laid_down

PROFILES = {"observe": 4, "govern": 6, "execute": 7, "full": 7}


class Served(NamedTuple):
    """An agent of a profile, and where webhooks of its engine go."""

    profile: str
    licet: Process
    target: Hook
    project: Project

    def answer(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        return dict(self.licet.ask("tools/call", name=tool, arguments=arguments))

    def result(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """What a tool gave back, read from the text that a model reads."""
        return dict(json.loads(self.answer(tool, arguments)["result"]["content"][0]["text"]))


def _engine(folder: Path, target: Hook) -> list[str]:
    """Its file and its data; gives the command that serves it."""
    folder.mkdir(parents=True)
    more = DATASETS + "break_glass_advertised: true\n"
    (folder / "orders.csv").write_text(ORDERS)
    (folder / "engine.yaml").write_text(written(target.port, POLICY, more))
    return [sys.executable, "-m", "licet", "decisions", "serve", "--config", str(folder / "engine.yaml")]


@contextlib.contextmanager
def _entry(way: str, command: list[str]) -> Iterator[dict[str, Any]]:
    """How licet's file names the engine. Over HTTP it runs while the block does."""
    if way == "stdio":
        yield {"command": command[0], "args": command[1:], "env": {name: f"${{{name}}}" for name in ENVIRON}}
        return
    environment = {**os.environ, **ENVIRON}
    with subprocess.Popen([*command, "--http", "0"], env=environment, stderr=subprocess.PIPE, text=True) as engine:
        assert engine.stderr is not None
        url = next(line.split()[-1] for line in engine.stderr if line.rstrip().endswith("/mcp"))
        yield {"url": url, "headers": {"Authorization": "Bearer ${NORTH_TRADER}"}}
        engine.terminate()


@pytest.fixture(scope="module", params=[(profile, way) for profile in PROFILES for way in ("stdio", "http")])
def served(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    profile, way = request.param
    folder = tmp_path_factory.mktemp("engine") / "project"
    with hook() as target, _entry(way, _engine(folder, target)) as engine:
        project = laid_down(folder, {"algenta": engine}, {"profile": profile}, ENVIRON)
        assert "override_safety" in (project.folder / "licet.lock").read_text()  # the control: it is advertised
        licet = Process(project)
        yield Served(profile, licet, target, project)
        licet.end()


@pytest.mark.requirement("profile.never-model-facing")
def test_a_profile_of_the_engine_is_exactly_its_tools_and_names_no_field(served: Served) -> None:
    listed = served.licet.ask("tools/list")["result"]["tools"]
    names = [tool["name"].rpartition("__")[2] for tool in listed]
    assert sorted(names) == sorted(SEVEN[: PROFILES[served.profile]])
    told = json.dumps(listed).casefold()
    assert "force" not in told
    assert "override" not in told


@pytest.mark.requirement("profile.conformance-suite")
def test_the_conformance_suite_is_green_on_the_served_profile_over_both_transports(served: Served) -> None:
    async def examined(target: Target) -> dict[str, str]:
        report = await run(target, chosen(["profile"], [served.profile]), patience_s=20.0)
        return {one.vector: one.verdict for one in report.outcomes if one.verdict != "not applicable"}

    green = {f"profile.{served.profile}": "passed", f"fields.shown-{served.profile}": "passed"}
    project = served.project
    stdio = server(project.command, project.environment, profiles=[served.profile])
    assert asyncio.run(examined(stdio)) == green
    with project.over_http() as (url, _):
        assert asyncio.run(examined(address(url, {}, profiles=[served.profile]))) == green


def test_only_execute_and_full_reach_a_webhook_and_gates_come_back_by_name(served: Served) -> None:
    executes = served.profile in ("execute", "full")
    run = served.result("simulate", SURE)
    assert run["confidence"] == 1.0
    arguments: dict[str, Any] = {"decision_id": "dec_" + "0" * 32, "webhook_url": served.target.url}
    if served.profile == "observe":
        assert "error" in served.answer("log_decision", {"chosen_action": "proceed"})
        assert "error" in served.answer("execute_decision", arguments)
    else:
        told = {"chosen_action": "proceed", "run_id": run["run_id"]}
        arguments["decision_id"] = served.result("log_decision", told)["decision_id"]
        if executes:
            assert served.result("execute_decision", arguments)["execution_status"] == "delivered"
            blocked = served.answer("execute_decision", arguments)["result"]
            assert blocked["isError"] is True
            assert "execution_blocked_idempotency" in json.dumps(blocked)
        else:
            assert "error" in served.answer("execute_decision", arguments)
    assert len(served.target.requests) == executes


@pytest.mark.requirement("profile.never-model-facing")
def test_no_break_glass_field_of_a_model_opens_a_gate(served: Served) -> None:
    if served.profile == "observe":
        return
    before = len(served.target.requests)
    run = served.result("simulate", DOUBTFUL)
    logged = served.result("log_decision", {"chosen_action": "proceed", "run_id": run["run_id"]})
    arguments = {"decision_id": logged["decision_id"], "webhook_url": served.target.url}
    for more in (
        {"override_safety": True},
        {"override_safety": True, "force": True},
        {"Override_Safety": True},
        {"override-safety": True},
        {"metadata": {"override_safety": True}},
        {"options": {"override_safety": True}},
    ):
        answer = served.answer("execute_decision", {**arguments, **more})
        assert "delivered" not in json.dumps(answer.get("result", {}))
        assert "error" in answer or answer["result"]["isError"] is True
    assert len(served.target.requests) == before
