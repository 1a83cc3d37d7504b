"""Clients of both eras and both languages against ``licet serve``, in front of upstreams of both eras."""

import json
import subprocess
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from peers.installed import HERE, MCP1, NODE, OURS, PEERS, PYTHON, peers  # noqa: F401 - installs them
from peers.servers import EVERYTHING, GIT, LEGACY, MODERN, PATIENCE_S, Peer, repository
from peers.serving import Project, made

TOOLS = {"git__git_status", "git__git_log", "everything__echo", "everything__get-sum"}
SAYS = {"git__git_status": "new.txt", "everything__echo": "hello from afar"}
GRANTS = ("mcp/git.git_status", "mcp/git.git_log", "mcp/everything.echo", "mcp/everything.get-sum")
INSPECTOR = str(OURS / "inspector" / "clients" / "launcher" / "build" / "index.js")


class Client(NamedTuple):
    """A program that lists, calls, and prints what it saw; ``protocol`` is what it must have agreed on."""

    id: str
    command: tuple[str, ...]
    protocol: str


CLIENTS = (
    Client("mcp 2 auto", (PYTHON, str(HERE / "client2.py"), "auto"), MODERN),
    Client("mcp 2 legacy", (PYTHON, str(HERE / "client2.py"), "legacy"), LEGACY),
    Client("mcp 1", (str(MCP1 / "python"), str(HERE / "client1.py")), LEGACY),
    Client("TypeScript", (NODE, str(HERE / "client.mjs")), LEGACY),
)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    folder = tmp_path_factory.mktemp("clients")

    def entry(peer: Peer) -> dict[str, Any]:
        command, *args = peer.command(folder)
        return {"command": command, "args": args, "env": dict(peer.env(folder))}

    return made(folder / "project", {"git": entry(GIT), "everything": entry(EVERYTHING)}, GRANTS)


@pytest.fixture(scope="module")
def url(project: Project) -> Iterator[str]:
    with project.over_http() as (url, _):
        yield url


@pytest.fixture(params=["stdio", "http"])
def way(request: pytest.FixtureRequest, project: Project) -> tuple[str, ...]:
    """How a client is told to reach the surface."""
    if request.param == "http":
        return ("http", request.getfixturevalue("url"))
    return ("stdio", *project.command)


def ran(project: Project, *command: str) -> Any:
    """The JSON document that a client printed."""
    done = subprocess.run(
        command,
        cwd=PEERS / "node",
        env=dict(project.environment),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)


def texts(result: dict[str, Any]) -> str:
    assert not result.get("isError"), result
    return " ".join(block["text"] for block in result["content"])


def calls(project: Project) -> dict[str, dict[str, str]]:
    return {
        "git__git_status": {"repo_path": str(repository(project.folder.parent))},
        "everything__echo": {"message": "hello from afar"},
    }


@pytest.mark.parametrize("client", CLIENTS, ids=lambda client: client.id)
def test_a_client_of_either_era_lists_and_calls_upstreams_of_both(
    client: Client, way: tuple[str, ...], project: Project
) -> None:
    seen = ran(project, *client.command, json.dumps(calls(project)), *way)
    assert set(seen["tools"]) == TOOLS
    assert seen["protocol"] == client.protocol
    assert {name: says in texts(seen["said"][name]) for name, says in SAYS.items()} == dict.fromkeys(SAYS, True)


def test_the_inspectors_command_line_lists_and_calls_upstreams_of_both(way: tuple[str, ...], project: Project) -> None:
    how, *where = way
    entry = {"type": "streamable-http", "url": where[0]} if how == "http" else {"command": where[0], "args": where[1:]}
    configuration = project.folder / f"inspector-{how}.json"
    configuration.write_text(json.dumps({"mcpServers": {"licet": entry}}))

    def inspected(*words: str) -> Any:
        return ran(project, NODE, INSPECTOR, "--cli", "--config", str(configuration), "--server", "licet", *words)

    listed = inspected("--method", "tools/list")
    assert {tool["name"] for tool in listed["tools"]} == TOOLS
    for name, says in SAYS.items():
        pairs = [f"{key}={value}" for key, value in calls(project)[name].items()]
        result = inspected("--method", "tools/call", "--tool-name", name, "--tool-arg", *pairs)
        assert says in texts(result)


@pytest.fixture(scope="module")
def bereft(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project whose one server was there when it was locked."""
    folder = tmp_path_factory.mktemp("bereft")
    command, *args = GIT.command(folder)
    gone = folder / "mcp-server-git"
    gone.symlink_to(command)
    git = {"command": str(gone), "args": args, "env": dict(GIT.env(folder))}
    project = made(folder / "project", {"git": git}, GRANTS[:2])
    gone.unlink()
    return project


@pytest.mark.parametrize("client", CLIENTS, ids=lambda client: client.id)
def test_a_dead_upstream_is_an_error_of_its_tools_and_never_an_empty_list(client: Client, bereft: Project) -> None:
    call = {"git__git_status": calls(bereft)["git__git_status"]}
    seen = ran(bereft, *client.command, json.dumps(call), "stdio", *bereft.command)
    assert set(seen["tools"]) == {"git__git_status", "git__git_log"}
    said = seen["said"]["git__git_status"]
    assert said["isError"]
    assert "server_unavailable" in said["content"][0]["text"]
