"""A LiteLLM configuration for a profile, and a linter that fails on whatever goes past what licet serve strips."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from licet.adapters.litellm.configuration import configuration, parameters, written
from licet.adapters.litellm.endpoint import endpoint
from licet.adapters.litellm.lint import CODES, lint
from licet.adapters.litellm.served import served
from licet.cli import main
from licet.dialects.mcp import Definition
from licet.errors import ConfigurationError
from licet.model.json_object import JsonObject
from licet.model.tool import Annotations
from licet.project.config import load
from licet.project.lock import Lock, LockedServer, launch_digest, locked, text
from licet.project.trust import trust
from licet.project.yaml_file import read

PAGE = (Path(__file__).parents[4] / "docs" / "profiles.md").read_text("utf-8")
URL = "http://127.0.0.1:8765/mcp"
SCHEMA = {
    "type": "object",
    "properties": {"decision_id": {}, "force": {}, "Override-Safety": {}},
    "anyOf": [{"properties": {"metadata": {}}}, {"$ref": "#/$defs/x"}],
    "not": {"properties": {"never": {}}},
}
OBSERVE = ["get_contract", "query_data", "simulate", "recommend"]
SCHEMAS = dict.fromkeys([*OBSERVE, "plan_decision", "log_decision", "execute_decision", "reindex"], SCHEMA)


def pinned(*tools: str) -> LockedServer:
    shown = {tool: Definition(tool, "", "Works.", JsonObject(SCHEMA), None, Annotations()) for tool in tools}
    launch = {"command": "x", "args": [], "cwd": "", "env": []}
    held = {tool: locked("mcp/algenta", definition) for tool, definition in shown.items()}
    return LockedServer(JsonObject(launch), launch_digest(launch), held)


def written_for(profile: str | None, **options: Any) -> dict[str, Any]:
    value = configuration(URL, SCHEMAS, profile, **options)
    assert read(written(value).encode(), "x").value == value
    return value


@pytest.mark.requirement("profile.litellm")
@pytest.mark.requirement("profile.default-observe")
@pytest.mark.parametrize(("profile", "count"), [(None, 4), ("observe", 4), ("govern", 6), ("execute", 7), ("full", 8)])
def test_a_configuration_allows_exactly_the_profile_and_no_field(profile: str | None, count: int) -> None:
    value = written_for(profile)
    server = value["mcp_servers"]["algenta"]
    assert server["allowed_tools"] == list(SCHEMAS)[:count]
    assert server["allowed_params"] == {tool: ["decision_id", "metadata"] for tool in list(SCHEMAS)[:count]}
    assert (server["url"], server["auth_value"]) == (URL, "os.environ/LICET_TOKEN")
    assert "force" not in json.dumps(value)
    assert lint(value, [URL], profile, schemas=SCHEMAS) == []
    assert lint(written_for(profile, token=False), [URL], profile) == []


def test_what_is_not_served_cannot_be_configured() -> None:
    with pytest.raises(ConfigurationError, match="has recommend, which is not served"):
        configuration(URL, dict.fromkeys(OBSERVE[:3], SCHEMA))
    with pytest.raises(ValueError, match="there is no profile"):
        configuration(URL, SCHEMAS, "admin")


@pytest.mark.requirement("profile.flat-names")
@pytest.mark.parametrize("tool", ["fs.read", "Reindex", "a-b", "a" * 57])
def test_a_tool_without_a_flat_name_is_not_allowed_and_the_linter_says_so(tool: str) -> None:
    schemas = {**SCHEMAS, tool: SCHEMA}
    value = configuration(URL, schemas, "full")
    server = value["mcp_servers"]["algenta"]
    assert server["allowed_tools"] == list(server["allowed_params"]) == list(SCHEMAS)
    assert lint(value, [URL], "full", schemas=schemas) == []
    server["allowed_tools"].append(tool)
    server["allowed_params"][tool] = ["decision_id", "metadata"]
    assert [fault.code for fault in lint(value, [URL], "full", schemas=schemas)] == ["wrong_name"]


def test_what_is_served_is_known_by_the_name_that_the_operator_chose_and_what_has_no_flat_name_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, home = tmp_path / "project" / "licet.yaml", tmp_path / "home"
    path.parent.mkdir()
    agent = "{profile: full, names: {mcp/algenta.reindex: index_anew}}"
    path.write_text(f"mcpServers:\n  algenta: {{command: x}}\nagents:\n  a: {agent}\n")
    lock = Lock().with_server("mcp/algenta", pinned("reindex", "simulate", "fs.read"))
    path.with_name("licet.lock").write_text(text(lock))
    trust(path, home)
    assert sorted(served(load(path), lock, "a").schemas) == ["fs.read", "index_anew", "simulate"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LICET_HOME", str(home))
        assert main(["litellm", "write", "--agent", "a", "--url", URL, "--config", str(path)]) == 0
    said = capsys.readouterr()
    assert 'allowed_tools: ["index_anew", "simulate"]' in said.out
    assert "'fs.read' has no flat name" in said.err


def test_arguments_are_those_of_the_whole_object() -> None:
    assert parameters(SCHEMA) == ["decision_id", "metadata"]
    assert parameters({"type": "object"}) == []


NO_ENDPOINTS = (
    "x ftp://h/mcp http:// http://u@h/mcp http://h/mcp?x=1 http://h/mcp#x http://h:99999/ http://é/mcp".split()
)


@pytest.mark.parametrize("url", [*NO_ENDPOINTS, "", None, 5, "http://h /mcp", "http://h\n/mcp", "http://[::1/mcp"])
def test_what_is_no_endpoint_is_refused(url: Any) -> None:
    with pytest.raises(ConfigurationError, match="no endpoint"):
        endpoint(url)


def test_one_endpoint_has_one_spelling() -> None:
    assert endpoint("http://LOCALHOST/mcp") == endpoint("http://localhost:80/mcp")
    assert endpoint("http://[::1]:8765/mcp") == "http://[::1]:8765/mcp"
    assert endpoint("http://localhost:81/mcp") != endpoint("http://localhost/mcp")
    assert endpoint("http://localhost/mcp") != endpoint("https://localhost/mcp")


Change = Callable[[dict[str, Any], dict[str, Any]], Any]
FAULTS: list[tuple[str, Change]] = [
    ("no_server", lambda value, server: value.pop("mcp_servers")),
    ("no_server", lambda value, server: value.update(mcp_servers=[])),
    ("other_endpoint", lambda value, server: server.update(url="http://engine.example/mcp")),
    ("other_endpoint", lambda value, server: server.update(url="http://127.0.0.1:8765/mcp/raw")),
    ("other_endpoint", lambda value, server: server.pop("url")),
    ("other_endpoint", lambda value, server: server.update(transport="stdio")),
    ("other_endpoint", lambda value, server: server.update(command="engine")),
    ("other_endpoint", lambda value, server: server.update(spec_path="openapi.json")),
    ("other_endpoint", lambda value, server: value["mcp_servers"].update(algenta=5)),
    ("own_definitions", lambda value, server: server.update(pinned_tools={"simulate": {}})),
    ("own_definitions", lambda value, server: server.update(tool_name_to_description={"simulate": "x"})),
    ("wrong_name", lambda value, server: value.update(mcp_servers={"engine": server})),
    ("wrong_name", lambda value, server: server.update(alias="a")),
    ("wrong_name", lambda value, server: server.update(tool_name_to_display_name={"simulate": "sim"})),
    ("wrong_name", lambda value, server: value.update(environment_variables={"MCP_TOOL_PREFIX_SEPARATOR": "_"})),
    ("wrong_name", lambda value, server: value.update(litellm_settings={"mcp_aliases": {"a": "algenta"}})),
    ("wrong_name", lambda value, server: server["allowed_tools"].append("fs.read")),
    ("tools", lambda value, server: server.pop("allowed_tools")),
    ("tools", lambda value, server: server["allowed_tools"].append("execute_decision")),
    ("tools", lambda value, server: server["allowed_tools"].remove("simulate")),
    ("params", lambda value, server: server.pop("allowed_params")),
    ("params", lambda value, server: server["allowed_params"].pop("simulate")),
    ("params", lambda value, server: server["allowed_params"].update(simulate="all")),
    ("params", lambda value, server: server["allowed_params"].update(reindex=[])),
    ("params", lambda value, server: server["allowed_params"]["simulate"].append("bogus")),
    ("params", lambda value, server: server["allowed_params"]["simulate"].pop()),
    ("never_field", lambda value, server: server["allowed_params"]["simulate"].append("force")),
    ("never_field", lambda value, server: server["allowed_params"]["simulate"].append("Override-Safety")),
    ("secret", lambda value, server: server.update(auth_value="s3cret")),
]


@pytest.mark.requirement("profile.litellm")
@pytest.mark.parametrize(("code", "change"), FAULTS, ids=[f"{at}-{code}" for at, (code, _) in enumerate(FAULTS)])
def test_a_configuration_that_goes_past_the_boundary_is_a_fault(code: str, change: Change) -> None:
    value = written_for("observe")
    change(value, value["mcp_servers"]["algenta"])
    faults = lint(value, [URL], schemas=SCHEMAS)
    assert code in {fault.code for fault in faults}
    assert "s3cret" not in str(faults)


def test_a_second_server_is_a_fault_of_its_own() -> None:
    value = written_for("observe")
    value["mcp_servers"]["engine"] = {"url": "http://engine.example/mcp"}
    assert {fault.place[1] for fault in lint(value, [URL])} == {"engine"}


def test_every_code_has_a_fault_here_and_a_row_on_the_page() -> None:
    assert {code for code, _ in FAULTS} == set(CODES)
    assert dict(re.findall(r"^\| `(\w+)` \| ([^|]+) \|$", PAGE.partition("## LiteLLM")[2], re.MULTILINE)) == CODES


def test_the_command_lints_a_file_by_line_and_shows_nothing_that_acts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good, bad = tmp_path / "good.yaml", tmp_path / "bad.yaml"
    good.write_text(written(configuration(URL, SCHEMAS)))
    bad.write_text(good.read_text().replace(URL, "http://\\x1b[31m.example/mcp"))
    assert main(["litellm", "lint", str(good), "--url", URL]) == 0
    assert capsys.readouterr().out == ""
    assert main(["litellm", "lint", str(bad), "--url", URL]) == 1
    out = capsys.readouterr().out
    assert "bad.yaml:5: mcp_servers.algenta.url: " in out
    assert "\x1b" not in out
    for words in (
        ("lint", str(tmp_path / "none.yaml"), "--url", URL),
        ("lint", str(good), "--url", "x"),
        ("lint", str(good)),
        ("lint", str(good), "--url", URL, "--profile", "admin"),
        ("write", "--agent", "a", "--url", URL, "--config", str(tmp_path / "none.yaml")),
    ):
        assert main(["litellm", *words]) == 2
        assert capsys.readouterr().out == ""


def test_an_agent_without_a_profile_or_a_lock_has_no_configuration(tmp_path: Path) -> None:
    path = tmp_path / "licet.yaml"
    path.write_text("mcpServers:\n  algenta: {command: x}\nagents:\n  a: {profile: observe}\n  b: {}\n")
    for agent, told in (("a", "run licet lock"), ("b", "has no agent 'b' with a profile"), ("c", "has no agent 'c'")):
        with pytest.raises(ConfigurationError, match=told):
            served(load(path), None, agent)


def test_nothing_is_written_from_a_file_that_nobody_trusts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "licet.yaml"
    path.write_text("mcpServers:\n  algenta: {command: x}\nagents:\n  a: {profile: observe}\n")
    assert main(["litellm", "write", "--agent", "a", "--url", URL, "--config", str(path)]) == 2
    assert "licet trust" in capsys.readouterr().err
