"""What stands in my environment reaches no server that was not told of it, and no file, text or wire of licet's."""

import json
import sys
from pathlib import Path

import pytest
from process import licet

PEER = Path(__file__).parents[2] / "peers" / "telling.py"
CANARIES = {f"CANARY_{number:02}_TOKEN": f"cnry-{number:02}-9b1f4e" for number in range(50)}
DECLARED = "declared-7e20c1"
INHERITED = {"HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"}
OURS = {"LICET_DEPTH", "DECLARED_TOKEN"}
PYTHONS_OWN = {"LC_CTYPE"}
"""Python itself sets it in a process whose locale is not UTF-8."""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    server = {"command": sys.executable, "args": [str(PEER)], "env": {"DECLARED_TOKEN": "${MY_TOKEN}"}}
    dead = {"command": str(folder / "nowhere"), "args": ["${CANARY_00_TOKEN}"], "env": {"A": "${CANARY_01_TOKEN}"}}
    lost = {"url": "http://127.0.0.1:9/${CANARY_02_TOKEN}", "headers": {"X-Key": "${CANARY_03_TOKEN}"}}
    agents = {"reader": {"globs": ["mcp/*"]}}
    words = {"mcp/*": {"read_only": "hinted"}}
    servers = {"telling": server, "dead": dead, "lost": lost}
    (folder / "licet.yaml").write_text(json.dumps({"mcpServers": servers, "tools": words, "agents": agents}))
    return folder


@pytest.mark.requirement("own.configuration-trust")
def test_a_server_sees_six_variables_and_those_that_were_declared_for_it(project: Path, tmp_path: Path) -> None:
    more = {**CANARIES, "MY_TOKEN": DECLARED, "LOGNAME": "l", "SHELL": "/bin/sh", "TERM": "dumb", "USER": "u"}

    def said(*words: str) -> tuple[int, str]:
        done = licet(project, *words, env=more)
        assert "Traceback" not in done.stderr
        told.append(done.stdout + done.stderr)
        return done.returncode, done.stdout

    told: list[str] = []
    assert said("trust", "--yes")[0] == 0
    said("lock")
    code, out = said("call", "mcp/telling.environment", "--agent", "reader")
    assert code == 0, told
    seen = json.loads(out)
    assert set(seen["names"]) - PYTHONS_OWN == INHERITED | OURS
    assert DECLARED in seen["values"]
    assert not set(CANARIES.values()) & set(seen["values"])
    assert said("call", "mcp/telling.complains", "--agent", "reader")[0] == 4
    for words in (
        ("tools", "--agent", "reader", "--json"),
        ("call", "mcp/dead.x", "--agent", "reader"),
        ("call", "mcp/lost.x", "--agent", "reader"),
        ("why", "mcp/telling.environment", "--agent", "reader"),
        ("check", "--json"),
        ("lock", "--check"),
        ("ledger", "show", "--agent", "reader", "--json"),
        ("runs", "last", "--agent", "reader", "--json"),
    ):
        said(*words)
    written = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    everything = "".join(told).encode() + written
    assert [name for name, value in CANARIES.items() if value.encode() in everything] == []
    assert DECLARED.encode() not in (project / "licet.lock").read_bytes()
    assert b"${CANARY_02_TOKEN}" in (project / "licet.yaml").read_bytes(), "the control: it looks where they would be"


@pytest.mark.parametrize("variable", ["LD_PRELOAD", "NODE_OPTIONS", "PYTHONPATH", "BASH_ENV", "LICET_DEPTH"])
def test_a_variable_that_makes_programs_load_code_is_refused_in_a_configuration(variable: str, project: Path) -> None:
    held = json.loads((project / "licet.yaml").read_text())
    held["mcpServers"]["telling"]["env"][variable] = "x"
    (project / "licet.yaml").write_text(json.dumps(held, indent=1))
    for words in (("trust", "--yes"), ("check",)):
        done = licet(project, *words)
        assert variable in done.stdout + done.stderr
        assert done.returncode in (1, 2)
