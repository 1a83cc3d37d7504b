"""What ``licet check`` finds, each finding beside a configuration that has nothing to find."""

import ast
import os
from pathlib import Path

import pytest
from written import write

from licet.dialects.mcp import Definition
from licet.errors import ConfigurationError
from licet.model.json_object import JsonObject
from licet.model.tool import Annotations
from licet.project.config import load
from licet.project.inspection.finding import CODES
from licet.project.inspection.inspect import inspect
from licet.project.lock import Lock, LockedServer, beside, launch_digest, locked
from licet.project.lock import write as write_lock

CLEAN = """\
mcpServers:
  git:
    command: uvx
    args: [mcp-server-git==2025.9.25]
    env: {TOKEN: "${TOKEN}"}
tools:
  mcp/git.*: {read_only: hinted}
  mcp/git.git_reset: {read_only: false, approval: ask}
agents:
  coder:
    mode: workspace_write
    tools:
      - mcp/git.git_status
      - mcp/git.git_reset
      - mcp/git.git_log: {max_count: {most: 50}}
      - write
    groups: [read_only_builtins]
    roots: [.]
    names: {mcp/git.git_status: status}
"""

OWN = ("git_status", "git_reset", "git_log")


def definition(name: str, *, read_only: bool | None = True) -> Definition:
    schema = JsonObject({"type": "object", "properties": {"max_count": {"type": "integer"}}})
    return Definition(name, None, "", schema, None, Annotations(read_only=read_only))


def pin(path: Path, *, own: tuple[str, ...] = OWN, claims: bool | None = True, dropped: str = "") -> None:
    """A lock of what the configuration declares."""
    servers = {}
    for server in load(path).servers:
        tools = {
            name: locked(server.name, definition(name, read_only=claims), classification_dropped=name == dropped)
            for name in own
        }
        launch = server.as_written().launch
        servers[server.name] = LockedServer(JsonObject(launch), launch_digest(launch), tools)
    write_lock(beside(path), Lock(servers))


def found(path: Path) -> list[str]:
    return [f"{line}: {code}" for line, code, _ in inspect(path).findings]


@pytest.fixture
def clean(tmp_path: Path) -> Path:
    path = write(tmp_path, CLEAN)
    pin(path)
    return path


def changed(path: Path, old: str, new: str) -> Path:
    text = path.read_text()
    assert text.count(old) == 1, old
    path.write_text(text.replace(old, new))
    return path


def test_a_configuration_with_nothing_to_find_has_no_finding(clean: Path) -> None:
    assert inspect(clean) == (str(clean), (), ())


CASES = [
    ("mode: workspace_write", "mode: rw", "11: configuration"),
    ("agents:", "agents: &x", "9: configuration"),
    ("mcp-server-git==2025.9.25", "mcp-server-git", "2: unversioned", "2: launch_changed"),
    ("command: uvx", "command: /opt/uvx", "2: launch_changed"),
    ('"${TOKEN}"', "abcdef123", "5: secret"),
    (
        "args: [mcp-server-git==2025.9.25]",
        "args: [mcp-server-git==2025.9.25, --token, abc123]",
        "2: launch_changed",
        "4: secret",
    ),
    ("command: uvx", "command: uvx mcp", "2: launch_changed", "3: shell"),
    (
        "command: uvx\n    args: [mcp-server-git==2025.9.25]",
        "command: sh\n    args: [-c, x]",
        "2: launch_changed",
        "2: shell",
    ),
    (
        "command: uvx\n    args: [mcp-server-git==2025.9.25]",
        "command: licet\n    args: [serve]",
        "2: launch_changed",
        "2: starts_licet",
    ),
    ("    env:", "    envFile: .env\n    env:", "5: ignored_key"),
    ("    env:", "    disabledTools: [x]\n    env:", "5: ignored_key"),
    ("- mcp/git.git_status\n", "- mcp/git.git_statu\n", "13: unpinned", "10: name_or_not"),
    ("- mcp/git.git_reset", "- mcp/gti.git_reset", "14: unknown_grant"),
    ("- write", "- wrte", "16: unknown_grant"),
    ("[read_only_builtins]", "[read_only_builtin]", "17: unknown_grant"),
    ("[read_only_builtins]", "[read_only_builtins, mcp/git]", "17: fails_open"),
    ("    roots:", "    globs: [mcp/git.git_*]\n    roots:", "18: fails_open"),
    ("    roots:", "    globs: [mcp/*]\n    roots:", "18: fails_open"),
    ("    roots:", "    globs: ['*']\n    roots:", None),
    ("    roots:", "    globs: [mcp/git.nothing*]\n    roots:", "18: empty_set"),
    ("    roots:", "    globs: [mcp/gti.*]\n    roots:", "18: empty_set"),
    ("    roots:", "    globs: ['re*']\n    roots:", None),
    ("{max_count: {most: 50}}", "{max_cuont: {most: 50}}", "15: unknown_argument"),
    ("mcp/git.*:", "mcp/gti.*:", "7: unused_word", "13: unclassified", "15: unclassified"),
    ("mcp/git.git_reset: {", "mcp/git.git_rset: {", "8: unused_word"),
    ("roots: [.]", "roots: [., nowhere]", "18: missing_root"),
    ("mcp/git.git_status: status", "mcp/git.other: status", "19: unused_name"),
    ("mcp/git.git_status: status", "mcp/git.git_status: git__git_log", "10: name_collision"),
    ("mode: workspace_write", "mode: danger_full_access", "11: danger_full_access"),
    (
        "mode: workspace_write",
        "mode: danger-full-access",
        "11: danger_full_access",
    ),
    ("      - write\n", "", None),
    ("tools:\n  mcp", "tools: # \u202e\n  mcp", "6: hidden_characters"),
    ("tools:\n  mcp", "tools: # \u200b\n  mcp", "6: hidden_characters"),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case[1])[:40])
def test_one_thing_to_find_is_found_on_its_line(clean: Path, case: tuple[str, ...]) -> None:
    old, new, *wanted = case
    changed(clean, old, new)
    if wanted == [None]:
        assert found(clean) == []
    else:
        assert {one for one in wanted if not one.endswith("name_or_not")} <= set(found(clean))
        assert len(found(clean)) <= len(wanted)


def test_without_a_lock_that_is_said_once_and_what_servers_offer_is_not_guessed(clean: Path) -> None:
    beside(clean).unlink()
    assert found(clean) == ["1: unpinned"]
    changed(clean, "- mcp/git.git_status\n", "- mcp/git.anything\n")
    changed(clean, "    roots:", "    globs: [mcp/git.any*]\n    roots:")
    assert found(clean) == ["1: unpinned", "18: fails_open", "20: unused_name"]
    changed(clean, "mcp/git.git_status: status", "mcp/git.any_name: status")
    assert found(clean) == ["1: unpinned", "18: fails_open"]


def test_a_server_that_the_lock_does_not_know_is_unpinned(clean: Path) -> None:
    changed(clean, "tools:\n  mcp", "  new: {command: /opt/new}\ntools:\n  mcp")
    changed(clean, "- write", "- mcp/new.x")
    assert found(clean) == ["6: unpinned", "17: unclassified"]


def test_a_lock_that_cannot_be_read_is_told_and_cannot_be_allowed(clean: Path) -> None:
    beside(clean).write_text("{}")
    changed(clean, "mcpServers:\n", "mcpServers: # licet: allow lock\n")
    assert found(clean)[0] == "1: lock"


def test_words_that_were_dropped_with_a_change_are_told(clean: Path) -> None:
    pin(clean, dropped="git_log")
    assert found(clean) == ["15: unclassified"]


def test_a_hint_that_nobody_gave_is_told(clean: Path) -> None:
    pin(clean, claims=None)
    assert found(clean) == ["13: unclassified", "15: unclassified"]


def test_a_server_that_no_agent_reaches_is_told(clean: Path) -> None:
    text = clean.read_text()
    clean.write_text(text[: text.index("agents:")])
    assert found(clean) == ["2: unused_server"]


def test_a_grant_of_a_disabled_server_is_told(clean: Path) -> None:
    changed(clean, "    command: uvx", "    disabled: true\n    command: uvx")
    (first, *_) = [finding for finding in inspect(clean).findings if finding.code == "unknown_grant"]
    assert "is disabled" in first.text


def test_in_a_run_that_only_reads_all_of_a_server_is_told_otherwise(clean: Path) -> None:
    changed(clean, "mode: workspace_write", "mode: read_only")
    changed(clean, "    roots:", "    globs: [mcp/git.*, mcp/git.git_l*]\n    roots:")
    assert found(clean) == ["18: whole_server"]


def test_a_comment_on_the_line_accepts_a_finding_and_is_counted(clean: Path) -> None:
    changed(clean, "mode: workspace_write", "mode: danger_full_access # ours; licet: allow x")
    assert found(clean) == ["11: danger_full_access"]
    changed(clean, "# ours; licet: allow x", "# licet: allow secret, danger_full_access")
    told = inspect(clean)
    assert told.findings == ()
    assert [(finding.line, finding.code) for finding in told.accepted] == [(11, "danger_full_access")]


def test_a_comment_elsewhere_or_about_what_is_plainly_wrong_accepts_nothing(clean: Path) -> None:
    changed(clean, "agents:\n", "agents: # licet: allow danger_full_access\n")
    changed(clean, "mode: workspace_write", "mode: danger_full_access")
    assert found(clean) == ["11: danger_full_access"]
    changed(clean, "mode: danger_full_access", "mode: rw # licet: allow configuration")
    assert found(clean) == ["11: configuration"]


def test_all_problems_of_a_file_are_findings(tmp_path: Path) -> None:
    path = write(tmp_path, "agents:\n  a: {mode: rw}\nmcpServers:\n  b: {comand: x}\n")
    assert found(path) == ["2: configuration", "4: configuration"]
    assert "did you mean command?" in inspect(path).findings[1].text


@pytest.mark.parametrize("content", [b"", b"\xff", b"a: &x 1", b"a" * (200 << 10), b"\0", b"- " * 1000])
def test_what_is_no_yaml_is_a_finding(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "licet.yaml"
    path.write_bytes(content)
    (finding,) = inspect(path).findings
    assert finding.code == "configuration"


def test_a_file_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="no such file"):
        inspect(tmp_path / "licet.yaml")
    os.mkfifo(tmp_path / "licet.yaml")
    with pytest.raises(ConfigurationError, match="no regular file"):
        inspect(tmp_path / "licet.yaml")


def test_no_secret_is_repeated(clean: Path) -> None:
    changed(clean, '"${TOKEN}"', "canary123")
    assert "canary" not in str(inspect(clean).findings)
    assert found(clean) == ["5: secret"]


def test_every_code_that_is_said_is_described() -> None:
    package = Path(inspect.__code__.co_filename).parent
    parsed = [ast.parse(file.read_text()) for file in package.glob("*.py")]
    calls = [node for tree in parsed for node in ast.walk(tree) if isinstance(node, ast.Call)]
    codes = [call.args[1] for call in calls if isinstance(call.func, ast.Name) and call.func.id == "Finding"]
    said = {code.value for code in codes if isinstance(code, ast.Constant)}
    assert said | {"fails_open", "whole_server"} == set(CODES)
