"""With ``mcp`` not installed every command that needs no server works, and the others name the extra."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from process import PATIENCE_S, environment

WITHOUT = """
import sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"mcp", "mcp_types", "anyio", "httpx2", "starlette", "uvicorn", "pydantic"}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Absent())
from licet.cli import main
sys.exit(main(sys.argv[1:]))
"""
EXTRA = "licet[mcp]"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "a.txt").write_text("one\n")
    servers = {"far": {"command": sys.executable, "args": ["-c", ""]}}
    agents = {"coder": {"tools": ["mcp/far.x", "read"], "roots": ["."]}}
    (folder / "licet.yaml").write_text(json.dumps({"mcpServers": servers, "agents": agents}))
    return folder


def run(folder: Path, *words: str, env: dict[str, str] | None = None) -> "subprocess.CompletedProcess[str]":
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT, *words],
        cwd=folder,
        env={**environment(folder), **(env or {})},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done


@pytest.mark.requirement("mcp.optional-extra")
def test_commands_that_need_no_server_work_without_the_extra(project: Path) -> None:
    for words, code in (
        (("--help",), 0),
        (("tools",), 0),
        (("call", "read", '{"path": "a.txt"}', "--grant", "read", "--root", "."), 0),
        (("why", "read", "--grant", "read", "--root", "."), 0),
        (("runs",), 0),
        (("ledger", "verify"), 0),
        (("explore", "."), 0),
        (("check",), 1),
        (("trust", "--yes"), 0),
        (("serve", "--help"), 0),
        (("lock", "--help"), 0),
    ):
        done = run(project, *words)
        assert done.returncode == code, (words, done.stdout, done.stderr)
        assert EXTRA not in done.stdout + done.stderr


@pytest.mark.requirement("mcp.optional-extra")
def test_commands_that_need_a_server_name_the_extra(project: Path) -> None:
    assert run(project, "trust", "--yes").returncode == 0
    for words in (
        ("call", "mcp/far.x", "--agent", "coder"),
        ("tools", "--agent", "coder"),
        ("serve", "--agent", "coder", "--trust-first-use"),
        ("serve", "--", sys.executable, "-c", ""),
        ("probe", "--", sys.executable, "-c", ""),
        ("lock",),
    ):
        done = run(project, *words)
        assert EXTRA in done.stdout + done.stderr, (words, done.returncode, done.stdout, done.stderr)
        assert done.returncode != 0 or words[0] == "tools"


@pytest.mark.requirement("mcp.optional-extra")
def test_the_doors_of_the_environment_name_the_extra(project: Path) -> None:
    script = WITHOUT.rpartition("from licet.cli")[0] + (
        "from licet import default_tool_registry\n"
        "class M: tools = ['oracle']\n"
        "with default_tool_registry() as registry:\n"
        "    print(registry.call('a', M, 'oracle', {'seed': 's'}))\n"
    )
    alone = [sys.executable, "-c", script]
    env = environment(project)
    offline = subprocess.run(alone, cwd=project, env=env, capture_output=True, text=True, timeout=PATIENCE_S)
    assert offline.returncode == 0, offline.stderr
    over = subprocess.run(
        alone, cwd=project, env={**env, "MCP_ORACLE": "1"}, capture_output=True, text=True, timeout=PATIENCE_S
    )
    assert over.returncode != 0
    assert EXTRA in over.stderr
