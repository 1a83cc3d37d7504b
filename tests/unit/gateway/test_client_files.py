"""The entry in a client's own file: all else stays as it was written."""

import json
from pathlib import Path
from typing import Any

import pytest

from licet.errors import ConfigurationError
from licet.gateway.client_files import client_file, entry
from licet.gateway.jsonc import entries, with_entry
from licet.gateway.toml_text import tables, with_table

ENTRY: dict[str, Any] = {"command": "/usr/bin/licet", "args": ["serve", "--config", "/p/licet.yaml"]}


def test_a_file_that_is_not_there_begins_with_the_entry() -> None:
    assert json.loads(with_entry("", "mcpServers", "licet", ENTRY)) == {"mcpServers": {"licet": ENTRY}}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("{}", '{\n  "servers": {\n    "licet": 1\n  }\n}'),
        ('{"servers": {}}', '{"servers": {\n    "licet": 1\n  }}'),
        ('{\n\t"a": 1 // why\n}\n', '{\n\t"a": 1,\n\t"servers": {\n\t\t"licet": 1\n\t} // why\n}\n'),
        (
            '{\n  "servers": {\n    "git": {"command": "x"}, // ours\n    /* the last */\n  },\n}',
            '{\n  "servers": {\n    "git": {"command": "x"},\n    "licet": 1, // ours\n    /* the last */\n  },\n}',
        ),
        ('{"servers": {"licet": {"old": [1, {"}": "]"}]}, "z": 2}}', '{"servers": {"licet": 1, "z": 2}}'),
        (
            '// mine\n{ /* a */ "servers": { "a": "//no" } }',
            '// mine\n{ /* a */ "servers": { "a": "//no",\n    "licet": 1 } }',
        ),
    ],
)
def test_other_entries_comments_and_white_space_stay(before: str, after: str) -> None:
    assert with_entry(before, "servers", "licet", 1) == after  # type: ignore[arg-type]


def test_an_entry_that_is_there_is_not_put_twice() -> None:
    once = with_entry('{"mcpServers": {"git": {}}}', "mcpServers", "licet", ENTRY)
    assert with_entry(once, "mcpServers", "licet", ENTRY) == with_entry(once, "mcpServers", "licet", ENTRY)
    assert list(entries(once, "mcpServers")) == ["git", "licet"]


@pytest.mark.parametrize(
    "broken",
    ["[]", "null", '{"servers": []}', '{"servers": 1}', '{"a" 1}', '{"a": }', '{"a": 1', "{a: 1}", '{"a": 1, "a": 2}',
     '{"servers": {"x": 1, "x": 2}}', "{,}", '{"a": [1'],
)  # fmt: skip
def test_what_is_no_such_file_is_refused(broken: str) -> None:
    with pytest.raises(ConfigurationError):
        with_entry(broken, "servers", "licet", ENTRY)


TOML = """model = "o"  # mine

[mcp_servers.git]
command = "uvx"

[tui]
theme = "dark"
"""


def test_a_table_is_added_and_the_rest_stays_byte_for_byte() -> None:
    after = with_table(TOML, "mcp_servers", "licet", ENTRY)
    assert after.startswith(TOML)
    assert tables(after, "mcp_servers")["licet"] == ENTRY
    assert with_table("", "mcp_servers", "licet", ENTRY).startswith("[mcp_servers.licet]\n")


def test_a_table_is_replaced_with_those_below_it() -> None:
    old = '[mcp_servers.licet]\ncommand = "old"\n\n[mcp_servers.licet.env]\nA = "1"\n\n'
    head, tail = TOML.split("[tui]")
    after = with_table(f"{head}{old}[tui]{tail}", "mcp_servers", "licet", {**ENTRY, "env": {"LICET_HOME": "/s"}})
    assert tables(after, "mcp_servers")["licet"]["env"] == {"LICET_HOME": "/s"}
    assert after.startswith(head)
    assert after.endswith(f"\n\n[tui]{tail}")
    assert "old" not in after


@pytest.mark.parametrize(
    "odd", ['mcp_servers = {licet = {command = "x"}}', "mcp_servers.licet.command = 'x'", "[a\n", "a = 1\na = 2"]
)
def test_a_table_that_is_written_otherwise_is_left_alone(odd: str) -> None:
    with pytest.raises(ConfigurationError):
        with_table(odd, "mcp_servers", "licet", ENTRY)


def test_each_client_has_its_file_and_its_spelling(tmp_path: Path) -> None:
    home, folder = tmp_path / "home", tmp_path / "project"
    (folder / ".cursor").mkdir(parents=True)

    def where(client: str, **environ: str) -> tuple[str, str]:
        file = client_file(client, folder, home, environ)
        return str(file.path.relative_to(tmp_path)), file.group

    assert where("claude") == ("project/.mcp.json", "mcpServers")
    assert where("cursor") == ("project/.cursor/mcp.json", "mcpServers")
    assert where("vscode") == ("project/.vscode/mcp.json", "servers")
    assert where("codex") == ("home/.codex/config.toml", "mcp_servers")
    assert where("codex", CODEX_HOME=str(tmp_path / "c")) == ("c/config.toml", "mcp_servers")
    (folder / ".cursor").rmdir()
    assert where("cursor") == ("home/.cursor/mcp.json", "mcpServers")


def test_variables_are_handed_on_by_name_and_never_by_value() -> None:
    command, variables, fixed = ("/licet", "serve"), ["TOKEN"], {"LICET_HOME": "/s"}
    assert entry("claude", command, variables, fixed)["env"] == {"TOKEN": "${TOKEN}", "LICET_HOME": "/s"}
    assert entry("cursor", command, variables, {})["env"] == {"TOKEN": "${env:TOKEN}"}
    assert entry("vscode", command, variables, {})["env"] == {"TOKEN": "${env:TOKEN}"}
    assert entry("vscode", command, [], {}) == {"type": "stdio", "command": "/licet", "args": ["serve"]}
    assert entry("codex", command, variables, fixed)["env_vars"] == ["TOKEN"]
