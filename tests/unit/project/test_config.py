"""``licet.yaml`` as facts, and what is said of a file that is none."""

import os
from pathlib import Path
from typing import Any

import pytest
from written import WORKING, loaded, read, told, write

from licet.errors import ConfigurationError
from licet.policy.operator import Rule, Word
from licet.project.config import Grant, load


def test_a_working_file_says_what_it_says(tmp_path: Path) -> None:
    project = loaded(tmp_path, WORKING)
    assert project.path == tmp_path / "licet.yaml"
    assert project.folder == tmp_path
    assert [(server.name, server.line) for server in project.servers] == [("mcp/git", 3), ("mcp/web", 9)]
    coder, reader = project.agents.values()
    assert (coder.name, coder.mode, coder.roots, coder.max_calls, coder.line) == (
        "coder",
        "workspace_write",
        (".", "../shared"),
        200,
        20,
    )
    assert coder.tools == (
        Grant("mcp/git.git_status"),
        Grant("mcp/git.git_log", (Rule("/repo_path", equals="."), Rule("/max_count", least=1, most=50, optional=True))),
        Grant("local/read"),
    )
    assert coder.globs == ("mcp/git.git_*", "local/re*")
    assert coder.groups == ("read_only_builtins",)
    assert coder.names == {"mcp/git.git_status": "status"}
    assert (reader.mode, reader.roots, reader.max_calls) == ("read_only", (), None)
    assert project.word_for("mcp/git.git_reset") == Word(read_only=False, approval="ask")
    assert project.word_for("mcp/git.git_log") == Word(read_only="hinted")
    assert project.word_for("mcp/web.other") is None
    assert project.runtime_limits.output_bytes == 100_000
    assert project.mcp_limits.connect_s == 5


def test_a_file_may_hold_nothing_yet(tmp_path: Path) -> None:
    for text in ("mcpServers:\ntools:\nagents:\nlimits:\n", "{}", "agents: {a: , b: {tools: , roots: , names: }}"):
        project = loaded(tmp_path, text)
        assert project.servers == ()
        assert all(agent.tools == () and agent.roots == () for agent in project.agents.values())


def test_a_whole_number_with_a_point_is_a_whole_number(tmp_path: Path) -> None:
    text = "agents: {a: {max_calls: 5.0}}\nlimits: {attempts: 2.0, approval_s: 3, mcp: {tools: 7.0, connect_s: 1.5}}\n"
    project = loaded(tmp_path, text)
    numbers = (project.agents["a"].max_calls, project.runtime_limits.attempts, project.mcp_limits.tools)
    assert repr(numbers) == "(5, 2, 7)"
    assert project.mcp_limits.connect_s == 1.5


def test_argument_names_become_pointers_and_pointers_stay(tmp_path: Path) -> None:
    text = "agents: {a: {tools: [x: {a/b~c: {equals: null}, /list/*/path: {under: src}, q: {one_of: [1, b]}}]}}"
    (grant,) = loaded(tmp_path, text).agents["a"].tools
    assert grant.rules == (
        Rule("/a~1b~0c", equals=None),
        Rule("/list/*/path", under="src"),
        Rule("/q", one_of=[1, "b"]),
    )


@pytest.mark.parametrize(
    ("entry", "facts"),
    [
        ({"command": "x", "timeout": 60}, {"timeout_s": 60.0}),
        ({"command": "x", "timeout": 60000}, {"timeout_s": 60.0}),
        ({"command": "x", "tool_timeout_sec": 7}, {"timeout_s": 7.0}),
        ({"command": "x", "type": "local"}, {"command": "x"}),
        ({"serverUrl": "https://h/mcp"}, {"url": "https://h/mcp"}),
        ({"httpUrl": "https://h/mcp", "type": "streamableHttp"}, {"url": "https://h/mcp"}),
        ({"url": "https://h/mcp", "http_headers": {"A": "b"}}, {"headers": {"A": "b"}}),
        ({"command": "x", "envFile": ".env", "disabledTools": ["a"]}, {"ignored": ("envFile", "disabledTools")}),
        ({"command": "x", "autoApprove": ["a"], "alwaysAllow": [], "description": "d", "dev": {}}, {"ignored": ()}),
        ({"command": "x", "disabled": False, "enabled": True}, {"command": "x"}),
    ],
    ids=str,
)
def test_entries_of_known_clients_are_taken_as_they_are(tmp_path: Path, entry: dict[str, Any], facts: Any) -> None:
    import json

    (server,) = loaded(tmp_path, json.dumps({"mcpServers": {"one": entry}}, indent="\t")).servers
    assert {name: getattr(server, name) for name in facts} == facts


@pytest.mark.parametrize("said", ["disabled: true", "enabled: false"])
def test_a_disabled_server_is_left_out_and_still_checked(tmp_path: Path, said: str) -> None:
    assert loaded(tmp_path, f"mcpServers: {{a: {{command: x, {said}}}}}").servers == ()
    assert told(tmp_path, f"mcpServers: {{a: {{comand: x, {said}}}}}")


ENGINE = "mcpServers:\n  algenta: {command: x}\nagents:\n"

WRONG = [
    ("mcpServers:\n  a: {command: x, url: http://h}\n", "2: mcpServers.a: it has a command and a url"),
    ("mcpServers:\n  a: {env: {}}\n", "2: mcpServers.a: it has neither a command nor a url"),
    ("mcpServers:\n  a: {command: x, type: http}\n", "2: mcpServers.a.type: http does not go with a command"),
    ("mcpServers:\n  a: {url: http://h, type: stdio}\n", "2: mcpServers.a.type: stdio does not go with a url"),
    ("mcpServers:\n  a: {url: http://h, type: sse}\n", "2: mcpServers.a.type: sse is not spoken here"),
    ("mcpServers:\n  a:\n    url: http://h\n    serverUrl: http://h\n", "4: mcpServers.a.serverUrl: url says the same"),
    ("mcpServers:\n  a: {url: http://h, env: {A: b}}\n", "2: mcpServers.a: args, env and cwd go with a command"),
    ("mcpServers:\n  a: {command: x, headers: {A: b}}\n", "2: mcpServers.a: headers go with a url"),
    ("mcpServers:\n  a: {url: ftp://h}\n", "2: mcpServers.a: the url is http:// or https://"),
    ("mcpServers:\n  a: {url: 'http://u:p@h'}\n", "2: mcpServers.a: a url holds no user name"),
    ("mcpServers:\n  a:\n    command: ${X}\n", "3: mcpServers.a.command: variables never expand in a command"),
    (
        "mcpServers:\n  a:\n    command: x\n    cwd: ${HOME}\n",
        "4: mcpServers.a.cwd: environment variables do not expand",
    ),
    (
        "mcpServers:\n  a:\n    command: x\n    args:\n    - a\n    - ${input:k}\n",
        "6: mcpServers.a.args[1]: no client asks",
    ),
    ("mcpServers:\n  a:\n    command: x\n    env:\n      A: ${B\n", "5: mcpServers.a.env.A: ${ without its }"),
    ("mcpServers:\n  a: {command: x, env: {LD_PRELOAD: y}}\n", "2: mcpServers.a: LD_PRELOAD makes a program load"),
    ("mcpServers:\n  a: {command: x, env: {NODE_OPTIONS: y}}\n", "2: mcpServers.a: NODE_OPTIONS makes a program"),
    ("mcpServers:\n  a: {command: x, oauth: {}}\n", "2: mcpServers.a.oauth: this is not taken over; write headers"),
    ("mcpServers:\n  a: {command: x, sandbox: {}}\n", "2: mcpServers.a.sandbox: this is not taken over"),
    ("mcpServers:\n  a: {comand: x}\n", "2: mcpServers.a.comand: there is no such key; did you mean command?"),
    ('mcpServers:\n  "a.b": {command: x}\n', '2: mcpServers["a.b"]: "a.b" is no name here'),
    ("servers: {}\n", "1: servers: this is not taken over; write mcpServers"),
    ("mcp_servers: {}\n", "1: mcp_servers: this is not taken over; write mcpServers"),
    ("plugin: local\n", "1: plugin: local is reserved"),
    ("plugin: a.b\n", "1: plugin: it does not fit; use 1 to 64 of A-Z"),
    ("tools:\n  a b: {read_only: true}\n", "2: tools"),
    ("tools:\n  x: {read_only: yes}\n", '2: tools.x.read_only: "yes" is none of its words; use true, false or hinted'),
    ("tools:\n  x: {approval: true}\n", "2: tools.x.approval: true is none of its words; use ask, client or false"),
    ("tools:\n  x: {}\n", "2: tools.x: it is empty"),
    ("tools:\n  x: {readonly: true}\n", "2: tools.x.readonly: there is no such key; did you mean read_only?"),
    ("agents:\n  a: {mode: rw}\n", '2: agents.a.mode: "rw" is none of its words; use read_only, workspace_write or'),
    ("agents:\n  a: {profile: observe}\n", '2: agents.a.profile: there is no server "mcp/algenta" under mcpServers'),
    ("agents:\n  a: {profile: observ}\n", '2: agents.a.profile: "observ" is none of its words; use observe, govern'),
    ("agents:\n  a: {profile: {name: ful}}\n", '2: agents.a.profile.name: "ful" is none of its words'),
    ("agents:\n  a: {profile: {server: algenta}}\n", '2: agents.a.profile.server: "algenta" is no server\'s name'),
    ("agents:\n  a: {profile: {nam: observe}}\n", "2: agents.a.profile.nam: there is no such key; did you mean name?"),
    ("agents:\n  a: {profile: {never_fields: allow}}\n", '2: agents.a.profile.never_fields: "allow" is none of its'),
    (ENGINE + "  a: {profile: observe, mode: workspace_write}\n", "4: agents.a.mode: the profile observe runs in"),
    (ENGINE + "  a: {profile: full, mode: danger_full_access}\n", "4: agents.a.mode: the profile full runs in"),
    (
        ENGINE + "  a:\n    profile:\n    names: {mcp/algenta.simulate: sim}\n",
        '5: agents.a.profile: "mcp/algenta.simulate',
    ),
    (
        ENGINE + "  a: {profile: execute}\ntools:\n  mcp/algenta.*: {approval: ask}\n",
        "4: agents.a.profile: execute_decision answers at once",
    ),
    ("default_profile: full\n", "1: default_profile: there is no such key"),
    ("agents:\n  a: {tools: [mcp/git.*]}\n", '2: agents.a.tools[0]: "mcp/git.*" is a pattern'),
    ("agents:\n  a: {tools: [a b]}\n", "2: agents.a.tools[0]: 'a b' is not a tool's name"),
    ("agents:\n  a:\n    tools:\n    - x\n    - local/x\n", '5: agents.a.tools[1]: "x" is granted by item 0 already'),
    ("agents:\n  a: {tools: [{x: {p: {}}}]}\n", "2: agents.a.tools[0].x.p: it is empty"),
    ("agents:\n  a: {tools: [{x: {p: {optional: true}}}]}\n", "2: agents.a.tools[0].x.p: the rule for /p asks nothing"),
    ("agents:\n  a: {tools: [{x: {p: {equal: 1}}}]}\n", "2: agents.a.tools[0].x.p.equal: there is no such key; did"),
    ("agents:\n  a: {tools: [{x: {p: {pattern: (}}}]}\n", '2: agents.a.tools[0].x.p: "(" is no pattern'),
    ("agents:\n  a: {tools: [{x: {p: {pattern: '(?=a)b'}}}]}\n", "2: agents.a.tools[0].x.p: "),
    ("agents:\n  a: {tools: [{x: {p: {least: 2, most: 1}}}]}\n", "2: agents.a.tools[0].x.p: no number is at least"),
    ("agents:\n  a: {tools: [{x: {p: {under: ../y}}}]}\n", "2: agents.a.tools[0].x.p: under is a folder without"),
    ("agents:\n  a: {tools: [{x: {/p~2: {least: 2}}}]}\n", '2: agents.a.tools[0].x["/p~2"]: '),
    ("agents:\n  a: {tools: [{x: {p: {least: 2}}, y: {p: {least: 2}}}]}\n", "2: agents.a.tools[0]: one item is one"),
    ("agents:\n  a: {tools: [x: ]}\n", "2: agents.a.tools[0].x: it is empty; write a mapping"),
    ("agents:\n  a: {tools: read}\n", "2: agents.a.tools: it is text; write a list"),
    ("agents:\n  a: {globs: [a b]}\n", "2: agents.a.globs[0]: 'a b' is not a pattern"),
    ("agents:\n  a: {groups: ['*']}\n", '2: agents.a.groups[0]: "*" is no group'),
    ("agents:\n  a: {roots: [., danger-full-access]}\n", "2: agents.a.roots: danger_full_access means everywhere"),
    ("agents:\n  a: {roots: [danger_full_access]}\n", "2: agents.a.roots: danger_full_access is legal only in"),
    ("agents:\n  a: {roots: [~/x]}\n", '2: agents.a.roots[0]: "~/x" is no folder'),
    ("agents:\n  a: {roots: ['']}\n", '2: agents.a.roots[0]: "" is no folder'),
    ("agents:\n  a: {names: {x: a, y: a}}\n", '2: agents.a.names.y: "a" is the name of "x" already'),
    ("agents:\n  a: {names: {x: a b}}\n", "2: agents.a.names.x: it does not fit; use 1 to 64"),
    ("agents:\n  a: {max_calls: 0}\n", "2: agents.a.max_calls: it is too small; use 1 or more"),
    ("agents:\n  a b: {}\n", '2: agents["a b"]: "a b" is no name here'),
    ("limits: {outputbytes: 1}\n", "1: limits.outputbytes: there is no such key; did you mean output_bytes?"),
    ("limits:\n  mcp: {connect_s: 0}\n", "2: limits.mcp.connect_s: it is too small; use more than 0"),
    ("limits: {attempts: 1.5}\n", "1: limits.attempts: it is a number; write a whole number"),
    ("[]\n", "1: it is a list; write a mapping"),
    ("just text\n", "1: it is text; write a mapping"),
]


@pytest.mark.parametrize(("text", "beginning"), WRONG, ids=[beginning for _, beginning in WRONG])
def test_what_is_wrong_is_told_with_line_key_and_what_instead(tmp_path: Path, text: str, beginning: str) -> None:
    (problem,) = told(tmp_path, text)
    assert problem.startswith(beginning)
    with pytest.raises(ConfigurationError) as caught:
        load(tmp_path / "licet.yaml")
    assert problem in str(caught.value)


def test_all_problems_are_found_at_once_and_the_first_line_comes_first(tmp_path: Path) -> None:
    text = "agents:\n  a: {mode: rw}\ntools: {x: {}}\nmcpServers:\n  b: {comand: x}\n  c: {args: x}\n"
    assert [problem.partition(":")[0] for problem in told(tmp_path, text)] == ["2", "3", "5", "6"]
    with pytest.raises(ConfigurationError, match=r"licet.yaml:2: agents.a.mode: .* \(and 3 more: licet check lists"):
        load(tmp_path / "licet.yaml")


def test_no_message_repeats_a_value_that_may_be_a_secret(tmp_path: Path) -> None:
    text = (
        "mcpServers:\n"
        "  a: {command: x, args: canary, env: {A: [canary]}, url: [canary], headers: {B: {c: canary}}}\n"
        "  b: {url: 'http://u:canary@h'}\n"
        "  c: {command: x, env: {'A=B': canary}}\n"
        "  d: {url: 'http://h', headers: {A: \"canary\\n\"}}\n"
    )
    found = read(tmp_path, text)
    assert found.problems
    assert "canary" not in repr(found)
    assert not [problem for problem in found.problems if "canary" in problem.text]


def test_a_file_that_is_not_there_or_no_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="there is no such file"):
        load(tmp_path / "licet.yaml")
    (tmp_path / "licet.yaml").mkdir()
    with pytest.raises(ConfigurationError, match="no regular file"):
        load(tmp_path / "licet.yaml")
    (tmp_path / "licet.yaml").rmdir()
    os.mkfifo(tmp_path / "licet.yaml")
    with pytest.raises(ConfigurationError, match="no regular file"):
        load(tmp_path / "licet.yaml")


def test_the_bytes_that_are_given_are_read_and_the_file_is_not(tmp_path: Path) -> None:
    path = write(tmp_path, "plugin: other\n")
    assert load(path, b"plugin: given\n").plugin == "given"
    path.unlink()
    assert load(path, b"plugin: given\n").plugin == "given"


def test_a_file_below_the_working_directory_is_named_from_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, "[]")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigurationError, match=r"^licet.yaml:1: "):
        load(tmp_path / "licet.yaml")
    monkeypatch.chdir("/")
    with pytest.raises(ConfigurationError, match=r"licet.yaml:1: "):
        load(tmp_path / "licet.yaml")


def test_reading_looks_at_no_environment_variable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Watched(dict[str, str]):
        def __getitem__(self, key: str) -> str:
            raise AssertionError(key)

        get = __getitem__  # type: ignore[assignment]

    path = write(tmp_path, WORKING)
    load(path)  # what is imported may look
    monkeypatch.setattr(os, "environ", Watched())
    assert load(path).servers
