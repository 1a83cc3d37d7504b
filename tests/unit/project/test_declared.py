"""A declared server becomes one that can be reached, once its variables have values; those stay out of sight."""

from dataclasses import replace
from pathlib import Path

import pytest
from written import WORKING, loaded

from licet.errors import ConfigurationError
from licet.project.config import Declared
from licet.schema.pin import launch_pin

VALUES = {"TOKEN": "canary-token", "TENANT": "canary-tenant", "AUTHOR": "canary-author"}


def servers(folder: Path) -> tuple[Declared, Declared]:
    git, web = loaded(folder, WORKING).servers
    return git, web


def test_variables_expand_where_the_entry_writes_them(tmp_path: Path) -> None:
    git, web = servers(tmp_path)
    reached = git.resolve(VALUES)
    assert (reached.command, reached.args[1:]) == ("uvx", ("--token", "canary-token"))
    assert dict(reached.env) == {"AUTHOR": "canary-author"}
    assert reached.cwd == str(tmp_path / "repo")
    called = web.resolve(VALUES)
    assert called.url == "https://example.com/canary-tenant/mcp"
    assert dict(called.headers) == {"Authorization": "Bearer canary-token"}
    assert called.timeout_s == 90


def test_a_default_holds_where_nothing_is_set(tmp_path: Path) -> None:
    assert servers(tmp_path)[0].resolve({"TOKEN": "x"}).env["AUTHOR"] == "nobody"


def test_the_folder_of_the_file_is_the_working_directory_if_nothing_is_said(tmp_path: Path) -> None:
    (server,) = loaded(tmp_path, "mcpServers: {a: {command: x, args: ['${workspaceFolder}/b']}}").servers
    reached = server.resolve({})
    assert (reached.cwd, reached.pinned_cwd, reached.args) == (str(tmp_path), "", (f"{tmp_path}/b",))
    assert reached.launch["args"] == ["${workspaceFolder}/b"]


@pytest.mark.parametrize(
    ("without", "where"),
    [
        ("TOKEN", r"licet\.yaml:5: mcpServers\.git\.args\[2\]: the server git needs the variable TOKEN"),
        ("TENANT", r"licet\.yaml:11: mcpServers\.web\.url: the server web needs the variable TENANT"),
    ],
)
def test_a_missing_variable_is_told_with_file_line_and_server(tmp_path: Path, without: str, where: str) -> None:
    held = {name: value for name, value in VALUES.items() if name != without}
    server = servers(tmp_path)[0 if without == "TOKEN" else 1]
    with pytest.raises(ConfigurationError, match=where) as caught:
        server.resolve(held)
    assert "canary" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_a_missing_variable_of_a_header_is_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"licet\.yaml:12: mcpServers\.web\.headers\.Authorization: .*TOKEN"):
        servers(tmp_path)[1].resolve({"TENANT": "x"})


@pytest.mark.parametrize("value", ["canary\r\nX-Evil: 1", "canary\0", "canary\N{SNOWMAN}"])
def test_a_value_that_a_header_cannot_hold_is_refused_and_not_repeated(tmp_path: Path, value: str) -> None:
    with pytest.raises(ConfigurationError, match="cannot be sent") as caught:
        servers(tmp_path)[1].resolve({**VALUES, "TOKEN": value})
    assert "canary" not in str(caught.value)


@pytest.mark.parametrize("url", ["file:///etc/passwd", "http://u:canary@h/", "http://h/#canary", "canary"])
def test_a_url_is_judged_after_its_variables_have_values(tmp_path: Path, url: str) -> None:
    (server,) = loaded(tmp_path, "mcpServers: {a: {url: '${WHERE}'}}").servers
    with pytest.raises(ConfigurationError) as caught:
        server.resolve({"WHERE": url})
    assert "canary" not in str(caught.value)
    assert server.resolve({"WHERE": "https://h/mcp"}).url == "https://h/mcp"


def test_no_value_is_in_a_text_or_a_pin(tmp_path: Path) -> None:
    for server in servers(tmp_path):
        reached = server.resolve(VALUES)
        assert "canary" not in repr(server) + repr(reached) + str(reached.launch)
        assert launch_pin(reached) == launch_pin(server.resolve(dict.fromkeys(VALUES, "other")))
        assert launch_pin(reached) == launch_pin(server.as_written())


def test_literal_values_are_in_no_text_either(tmp_path: Path) -> None:
    text = "mcpServers: {a: {command: x, env: {K: canary}}, b: {url: 'https://h', headers: {K: canary}}}"
    for server in loaded(tmp_path, text).servers:
        assert "canary" not in repr(server) + repr(server.resolve({})) + str(server.as_written().launch)


def test_another_command_is_another_launch(tmp_path: Path) -> None:
    git, _ = servers(tmp_path)
    pins = {
        launch_pin(changed.as_written())
        for changed in (
            git,
            replace(git, command="other"),
            replace(git, args=(*git.args, "-v")),
            replace(git, cwd="other"),
            replace(git, env={**git.env, "MORE": "x"}),
        )
    }
    assert len(pins) == 5


def test_variables_are_listed_once_each(tmp_path: Path) -> None:
    assert [server.variables for server in servers(tmp_path)] == [("TOKEN", "AUTHOR"), ("TENANT", "TOKEN")]


def test_a_server_that_no_file_declares_names_itself() -> None:
    with pytest.raises(ConfigurationError, match=r"^mcp/command: the server command needs the variable X"):
        Declared(id="command", command="x", args=("${X}",)).resolve({})
