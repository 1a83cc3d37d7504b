"""A manifest is one ``agents:`` entry and what only a manifest has, read as strictly as ``licet.yaml``."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from manifests import TELLER, manifest

from licet.errors import ConfigurationError
from licet.model.principal import GrantSet
from licet.policy.operator import Rule
from licet.project.agent import Agent
from licet.project.manifest_file import DEFINITION, load, reading
from licet.project.shape import schema

EVERYTHING = """
name: someone
role: judge
persona: |
  You weigh words.
handler: generic
tools: [oracle, {mcp/git.git_log: {max_count: {most: 50}}}]
globs: [mcp/docs.*]
groups: [intrinsics]
roots: [., /tmp]
names: {mcp/git.git_log: log}
max_calls: 9
mode: read-only
subscribes_to: [oracle.spoke]
may_emit: [verdict.given, verdict.withheld]
schedule: {tick_every: 3, max_consecutive: 1}
memory: {window: 4.0, salience: 0.5}
model: offline
"""


def test_every_key_of_a_manifest_becomes_a_fact(tmp_path: Path) -> None:
    held = manifest(EVERYTHING, folder=tmp_path)
    assert (held.name, held.role, held.persona, held.handler) == ("someone", "judge", "You weigh words.", "generic")
    assert held.tools == ("oracle", "mcp/git.git_log", GrantSet.glob("mcp/docs.*"), GrantSet.group("intrinsics"))
    assert held.rules == {"mcp/git.git_log": (Rule("/max_count", most=50),)}
    assert held.roots == (str(tmp_path), "/tmp")
    assert (held.mode, held.agent.max_calls, held.agent.names) == ("read_only", 9, {"mcp/git.git_log": "log"})
    assert (held.subscribes_to, held.may_emit) == (("oracle.spoke",), ("verdict.given", "verdict.withheld"))
    assert (tuple(held.schedule), tuple(held.memory), held.model) == ((3, 1), (4, 0.5), "offline")


def test_a_manifest_that_says_a_name_only_may_nothing_and_waits_for_nobody() -> None:
    held = manifest("name: someone")
    assert (held.tools, held.roots, held.may_emit, held.subscribes_to, held.persona) == ((), (), (), (), "")
    assert (held.role, held.handler, held.model) == ("worker", "generic", "offline")
    assert (tuple(held.schedule), tuple(held.memory)) == ((1, None), (8, 0.0))


def test_without_a_mode_a_manifest_may_write_and_reaches_no_path() -> None:
    from licet.doors.registry import principal_of

    held = manifest(TELLER)
    who = principal_of(held.name, held)
    assert (who.mode, who.paths.access, sorted(who.grants)) == ("workspace_write", "none", ["local/oracle"])


@pytest.mark.requirement("grove.from-files")
@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ("tols: [oracle]", 2, "tols: there is no such key; did you mean tools?"),
        ("may-emit: [a.b]", 2, "may-emit: there is no such key; did you mean may_emit?"),
        ("schedule: {every: 2}", 2, "schedule.every: there is no such key; did you mean tick_every?"),
        ("memory:\n  window: 3\n  weight: 1", 4, "memory.weight: there is no such key; use one of window, salience"),
        ("mcpServers: {}", 2, "mcpServers: there is no such key; use one of"),
        ("role: boss", 2, 'role: "boss" is none of its words; use worker, judge, observer or reflector'),
        ("handler: fortune-telle", 2, 'handler: there is no handler "fortune-telle"; did you mean fortune-teller?'),
        ("model: gpt-9", 2, 'model: there is no model "gpt-9"; use one of anthropic:NAME, bedrock'),
        ("tools: oracle", 2, "tools: it is text; write a list, each item after a dash or in [ ]"),
        ("tools: ['*']", 2, 'tools[0]: "*" is a pattern, and a grant is an exact name; patterns stand under globs'),
        ("tools:\n- oracle\n- mcp/git.*", 4, 'tools[1]: "mcp/git.*" is a pattern, and a grant is an exact name;'),
        ("tools: [a b]", 2, "tools[0]: 'a b' is not a tool's name; use namespace/name"),
        ("tools: [oracle, local/oracle]", 2, 'tools[1]: "oracle" is granted by item 0 already'),
        ("globs: ['*']", 2, 'globs[0]: "local/*" grants whatever there is; name a server'),
        ("globs: ['*/*']", 2, 'globs[0]: "*/*" grants whatever there is; name a server'),
        ("globs: ['?*/git.log']", 2, 'globs[0]: "?*/git.log" grants whatever there is; name a server'),
        ("globs: [mcp/git.*, 'mcp/*.*']", 2, 'globs[1]: "mcp/*.*" grants whatever there is; name a server'),
        ("groups: ['*']", 2, 'groups[0]: "*" is no group\'s name'),
        ("profile: full", 2, "profile: a profile is for an agent of licet.yaml"),
        ("may_emit: [spoke]", 2, 'may_emit[0]: "spoke" is no kind of event; write one such as world.observed'),
        ("may_emit: [tool.completed]", 2, 'may_emit[0]: "tool.completed" is a word of licet\'s own records'),
        ("may_emit: [a.b, c.d, a.b]", 2, 'may_emit[2]: "a.b" stands there twice; drop one'),
        ("subscribes_to: ['*']", 2, 'subscribes_to[0]: "*" is no kind of event'),
        ("schedule: {tick_every: 0}", 2, "schedule.tick_every: it is too small; use 1 or more"),
        ("memory: {window: -1}", 2, "memory.window: it is too small; use 0 or more"),
        ("memory: {salience: 2}", 2, "memory.salience: it is too large; use at most 1"),
        ("mode: danger", 2, 'mode: "danger" is none of its words'),
        ("roots: [danger_full_access]", 2, "roots: danger_full_access is legal only in the mode of that name"),
        ("persona: [you]", 2, "persona: it is a list; write text"),
        ("persona: a\npersona: b", 3, 'the key "persona" stands on line 2 already; drop one'),
        ("persona: &a x\nmodel: *a", 2, "anchors"),
    ],
)
def test_what_a_manifest_may_not_say_is_refused_with_file_line_and_key(text: str, line: int, problem: str) -> None:
    with pytest.raises(ConfigurationError, match=re.escape(f"config/agents/someone.yaml:{line}: ")) as refused:
        manifest(text)
    assert problem.lower() in str(refused.value).lower()


@pytest.mark.requirement("grove.from-files")
def test_a_manifest_without_a_name_or_with_another_than_its_files_is_refused() -> None:
    with pytest.raises(ConfigurationError, match=r'x.yaml:1: the key "name" is missing; write it'):
        load(b"tools: [oracle]", "x.yaml", stem="x", handlers=["generic"])
    with pytest.raises(ConfigurationError, match=r'x.yaml:1: name: the agent is called "x" and its file "y"'):
        manifest("name: x", stem="y")
    with pytest.raises(ConfigurationError, match=r"-x.yaml:1: name: it does not fit; use 1 to 64 of A-Z"):
        manifest("name: -x")


def test_a_name_that_licet_yaml_has_too_is_refused() -> None:
    held = Agent(name="someone", line=7)
    with pytest.raises(ConfigurationError, match=r'licet.yaml has an agent "someone" on line 7 already; keep one'):
        manifest("name: someone", elsewhere={"someone": held})
    assert manifest("name: someone", elsewhere={"other": replace(held, name="other")}).name == "someone"


def test_a_billion_laughs_are_refused_at_the_first() -> None:
    bomb = "a: &a [x,x,x]\nb: &b [*a,*a,*a]\nc: [*b,*b,*b]\n"
    with pytest.raises(ConfigurationError, match=r"someone.yaml:2: "):
        manifest(bomb)
    with pytest.raises(ConfigurationError, match=r"the file has .* bytes; use at most"):
        manifest("persona: " + "x" * 200_000)
    with pytest.raises(ConfigurationError, match="inside one another"):
        manifest("persona: " + "[" * 1_000)


def test_all_problems_of_a_file_are_told_by_line() -> None:
    text = b"name: x\nmodel: gpt\nhandler: none\ntools: ['*']\nmay_emit: [no]\n"
    found = reading(text, "x.yaml", stem="x", handlers=["generic"])
    assert found.manifest is None
    assert [found.source.line(place) for place, _ in found.problems] == [2, 3, 4, 5]


def test_an_entry_of_licet_yaml_and_a_manifest_have_the_same_keys_for_grants() -> None:
    known = schema()["$defs"]
    ours = known["manifest"]["properties"]
    assert {key: ours[key]["$ref"] for key in known["agent"]["properties"]} == {
        key: f"#/$defs/agent/properties/{key}" for key in known["agent"]["properties"]
    }
    assert set(ours) - set(known["agent"]["properties"]) == {
        "$schema", "name", "role", "persona", "handler", "subscribes_to", "may_emit", "schedule", "memory", "model",
    }  # fmt: skip
    assert DEFINITION == "licet.schema.json#manifest"
