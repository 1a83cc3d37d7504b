"""``licet serve`` before an engine that advertises what no model may set, in every profile, over both transports."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from test_serve import Process

from peers.serving import Project, laid_down

ENGINE = str(Path(__file__).parent / "engine.py")
OBSERVE = ["get_contract", "query_data", "simulate", "recommend"]
TOOLS = [*OBSERVE, "plan_decision", "log_decision", "execute_decision", "reindex"]
PROFILES = {"observe": 4, "govern": 6, "execute": 7, "full": 8}


def made(folder: Path, profile: Any, *, tools: list[str] = TOOLS, extra: dict[str, Any] | None = None) -> Project:
    """A trusted, locked project whose agent ``coder`` has a profile on an engine that writes down what reaches it."""
    folder.mkdir(parents=True)
    engine = {"command": sys.executable, "args": [ENGINE, str(folder / "log"), *tools]}
    return laid_down(folder, {"algenta": engine}, {"profile": profile, **(extra or {})})


def reached(project: Project) -> list[Any]:
    log = project.folder / "log"
    return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []


@pytest.fixture(scope="module", params=PROFILES)
def served(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[str, Project, Process]]:
    project = made(tmp_path_factory.mktemp("profiles") / "project", request.param)
    licet = Process(project)
    yield request.param, project, licet
    licet.end()


@pytest.mark.requirement("profile.cumulative")
@pytest.mark.requirement("profile.never-model-facing")
def test_a_served_profile_is_exactly_its_tools_and_names_no_field(served: tuple[str, Project, Process]) -> None:
    name, project, licet = served
    listed = licet.ask("tools/list")["result"]["tools"]
    assert sorted(tool["name"] for tool in listed) == sorted(TOOLS[: PROFILES[name]])
    told = json.dumps(listed).casefold()
    assert "force" not in told
    assert "override" not in told
    assert "decision_id" in told
    assert '"force"' in (project.folder / "licet.lock").read_text()  # the control: the engine does advertise it


@pytest.mark.requirement("profile.never-model-facing")
def test_no_field_of_a_served_call_reaches_the_engine(served: tuple[str, Project, Process]) -> None:
    name, project, licet = served
    tool = TOOLS[PROFILES[name] - 1]
    hostile: list[dict[str, Any]] = [
        {"decision_id": "d", "force": True},
        {"decision_id": "d", "options": {"override_safety": True, "note": "x"}},
        {"decision_id": "d", "Force": True},
        {"decision_id": "d", "options": {"note": '{"force": true}'}},
        {"decision_id": "d", "calls": [{"arguments": {"override-safety": 1}}]},
    ]
    for arguments in hostile:
        licet.ask("tools/call", name=tool, arguments=arguments)
    fair = licet.ask("tools/call", name=tool, arguments={"decision_id": "d", "options": {"note": "x"}})["result"]
    assert fair["isError"] is False
    calls = reached(project)
    assert calls[-1] == [tool, {"decision_id": "d", "options": {"note": "x"}}]
    assert all("force" not in json.dumps(call).casefold() and "safety" not in json.dumps(call) for call in calls)


@pytest.mark.requirement("profile.never-model-facing")
def test_metadata_of_an_execution_is_payload_where_it_can_be_executed(served: tuple[str, Project, Process]) -> None:
    name, project, licet = served
    arguments = {"decision_id": "d", "metadata": {"force": True}}
    answer = licet.ask("tools/call", name="execute_decision", arguments=arguments)
    executes = name in ("execute", "full")
    assert ("result" in answer and answer["result"]["isError"] is False) is executes
    assert (["execute_decision", arguments] in reached(project)) is executes


@pytest.mark.requirement("profile.absent-not-hidden")
@pytest.mark.requirement("profile.default-observe")
def test_a_tool_outside_the_profile_is_answered_like_one_that_nobody_has(tmp_path: Path) -> None:
    project = made(tmp_path / "p", None)
    licet = Process(project)
    assert sorted(tool["name"] for tool in licet.ask("tools/list")["result"]["tools"]) == sorted(OBSERVE)
    answers = []
    side_doors = (
        *("execute_decision", "Execute_Decision", "EXECUTE_DECISION", "algenta_execute_decision", "reindex"),
        *("algenta__execute_decision", "mcp__algenta__execute_decision", "mcp/algenta.execute_decision"),
        *("other__execute_decision", "local/execute_decision", "nobody_has_this"),
    )
    for tool in side_doors:
        answer = licet.ask("tools/call", name=tool, arguments={"decision_id": "d"})
        answers.append(json.dumps({k: v for k, v in answer.items() if k != "id"}).replace(tool, "NAME"))
    licet.end()
    assert len(set(answers)) == 1
    assert reached(project) == []
    shown = project.licet("ledger", "show", "--agent", "coder", "--kind", "refused", "--json")
    assert len(json.loads(shown.stdout)) == len(side_doors)


async def test_over_http_it_is_the_same(tmp_path: Path) -> None:
    from mcp.client.session import ClientSession
    from mcp.client.streamable_http import streamable_http_client

    served = made(tmp_path / "p", "execute")
    with served.over_http() as (url, _):
        async with streamable_http_client(url) as streams, ClientSession(streams[0], streams[1]) as client:
            await client.initialize()
            listed = await client.list_tools()
            assert sorted(tool.name for tool in listed.tools) == sorted(TOOLS[:7])
            assert "force" not in listed.model_dump_json().casefold()
            await client.call_tool("execute_decision", {"decision_id": "d", "force": True})
            await client.call_tool("execute_decision", {"decision_id": "e"})
    assert reached(served)[-1] == ["execute_decision", {"decision_id": "e"}]
    assert all("force" not in call[1] for call in reached(served))


def test_what_the_engine_lacks_is_said_and_the_rest_is_served(tmp_path: Path) -> None:
    served = made(tmp_path / "p", "observe", tools=["get_contract", "simulate"])
    licet = Process(served)
    assert [tool["name"] for tool in licet.ask("tools/list")["result"]["tools"]] == ["get_contract", "simulate"]
    said = licet.end()
    assert "observe has mcp/algenta.query_data" in said
    checked = served.licet("check")
    assert checked.returncode == 1
    assert "missing_tool: the profile observe has query_data" in checked.stdout


@pytest.mark.requirement("profile.never-model-facing")
def test_an_exact_grant_without_a_profile_is_stripped_too(tmp_path: Path) -> None:
    served = made(tmp_path / "p", "observe")
    path = served.folder / "licet.yaml"
    value = json.loads(path.read_text())
    value["agents"]["coder"] = {"mode": "workspace_write", "tools": ["mcp/algenta.execute_decision"]}
    path.write_text(json.dumps(value))
    assert served.licet("trust", "--yes").returncode == 0
    licet = Process(served)
    listed = licet.ask("tools/list")["result"]["tools"]
    licet.end()
    assert [tool["name"] for tool in listed] == ["algenta__execute_decision"]
    assert "force" not in json.dumps(listed).casefold()
