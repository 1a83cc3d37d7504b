"""How the environment names servers: where a text is split, what is quoted, and what no error repeats."""

import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from licet.doors.mcp.command_line import command_lines, server_of
from licet.doors.mcp.environment import mcp_resolver_from_env, servers_from_env
from licet.errors import ConfigurationError

ORACLE = (sys.executable, ("-P", "-m", "licet.bundles.grove.server"))


def launches(**environ: str) -> list[tuple[str, tuple[str, ...]]]:
    return [(server.command, server.args) for server in servers_from_env(environ)]


@pytest.mark.requirement("env.mcp-servers")
@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("python -m one", ["python -m one"]),
        ("python -m one :: node two.js", ["python -m one", "node two.js"]),
        ("one::two", ["one", "two"]),
        (" one :: :: two :: ", ["one", "two"]),
        ("one 'a :: b' :: two", ["one 'a :: b'", "two"]),
        ('one "a :: b" :: two', ['one "a :: b"', "two"]),
        ('one "it\'s :: b" :: two', ['one "it\'s :: b"', "two"]),
        ("""one 'say "' :: two '"'""", ["""one 'say "'""", """two '"'"""]),
        ('one "a \\" :: b" :: two', ['one "a \\" :: b"', "two"]),
        ("one \\' :: two", ["one \\'", "two"]),
        ("one 'a\\' :: two", ["one 'a\\'", "two"]),
        ("one a:b:c :: two", ["one a:b:c", "two"]),
        ("one a\\::b", ["one a\\::b"]),
        ("::", []),
        ("", []),
    ],
)
def test_a_text_is_split_at_double_colons_outside_quotes_only(text: str, lines: list[str]) -> None:
    assert command_lines(text) == lines


@given(st.lists(st.lists(st.text(min_size=1).filter(str.strip), min_size=1, max_size=3), min_size=1, max_size=4))
def test_whatever_is_quoted_as_a_shell_would_comes_back_word_for_word(commands: list[list[str]]) -> None:
    import shlex

    text = "::".join(map(shlex.join, commands))
    assert [shlex.split(line) for line in command_lines(text)] == commands


@pytest.mark.requirement("env.mcp-servers")
def test_each_line_is_a_server_with_a_number_of_its_own_and_no_variables() -> None:
    servers = servers_from_env(
        {"MCP_SERVERS": "python -m 'my server' :: node 'two words.js' --x=1", "SECRET": "canary"}
    )
    assert [server.name for server in servers] == ["mcp/server1", "mcp/server2"]
    assert [(server.command, server.args) for server in servers] == [
        ("python", ("-m", "my server")),
        ("node", ("two words.js", "--x=1")),
    ]
    assert all(not server.env and server.cwd is None for server in servers)


def test_a_url_is_a_server_too() -> None:
    assert server_of("http://127.0.0.1:8000/mcp", "a").url == "http://127.0.0.1:8000/mcp"
    with pytest.raises(ConfigurationError, match="no arguments"):
        server_of("http://127.0.0.1:8000/mcp --x", "a")


@pytest.mark.requirement("env.mcp-oracle")
@pytest.mark.parametrize("word", ["1", "true", "YES", " on "])
def test_the_shorthand_is_the_command_line_of_the_oracles_own_server(word: str) -> None:
    assert launches(MCP_ORACLE=word) == [ORACLE]


@pytest.mark.requirement("env.mcp-oracle")
def test_the_shorthand_is_ignored_where_servers_are_named() -> None:
    assert launches(MCP_ORACLE="1", MCP_SERVERS="node one.js") == [("node", ("one.js",))]
    assert launches(MCP_ORACLE="nonsense", MCP_SERVERS="node one.js") == [("node", ("one.js",))]


@pytest.mark.requirement("env.offline-default")
@pytest.mark.parametrize(
    "environ",
    [{}, {"MCP_ORACLE": ""}, {"MCP_ORACLE": "0"}, {"MCP_ORACLE": "no"}, {"MCP_SERVERS": ""}, {"MCP_SERVERS": "  "}],
)
def test_with_neither_variable_set_there_is_no_resolver(environ: dict[str, str]) -> None:
    assert mcp_resolver_from_env(environ) is None


@pytest.mark.requirement("env.mcp-servers")
@pytest.mark.parametrize(
    ("environ", "told"),
    [
        ({"MCP_SERVERS": "::"}, "holds no command line"),
        ({"MCP_SERVERS": "node a.js :: server --token 's3cret"}, "server2: its command line ends inside a quote"),
        ({"MCP_SERVERS": "server --token s3cret\\"}, "server1: its command line ends inside a quote or after"),
        ({"MCP_SERVERS": "'' s3cret"}, "server1: its command line is empty"),
        ({"MCP_SERVERS": "https://user:s3cret@example.com/mcp"}, "no user name or password"),
        ({"MCP_ORACLE": "s3cret"}, "MCP_ORACLE is 1 or 0"),
    ],
)
def test_what_cannot_be_read_is_told_without_repeating_it(environ: dict[str, str], told: str) -> None:
    with pytest.raises(ConfigurationError, match=told) as raised:
        mcp_resolver_from_env(environ)
    exc: Any = raised.value
    while exc is not None:
        assert "s3cret" not in str(exc)
        exc = exc.__cause__
