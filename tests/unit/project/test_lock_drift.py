"""What changed is named: the part, the place and the text, with what it means for a caller."""

import copy
from collections.abc import Callable
from typing import Any

import pytest
from lock_samples import LAUNCH, SCHEMA, definition, server

from licet.dialects.mcp import Definition
from licet.model.tool import Annotations
from licet.project.drift import Drift, server_digest, server_drift, tool_drift
from licet.project.lock import locked
from licet.project.schema_drift import Kind


def schema(edit: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
    changed = copy.deepcopy(SCHEMA)
    edit(changed)
    return changed


def put(holder: dict[str, Any], key: str, value: Any) -> None:
    holder[key] = value


def hints(**claims: bool | None) -> Annotations:
    return Annotations(**{"read_only": True, "destructive": False, **claims})


def drift(now: Definition, then: Definition | None = None) -> Drift:
    found = tool_drift("mcp/git", "git_log", locked("mcp/git", then or definition()), locked("mcp/git", now))
    assert found is not None
    return found


MATRIX: list[tuple[str, dict[str, Any], str]] = [
    ("title", {"title": "Logs"}, "title: Log -> Logs"),
    ("description", {"description": "Shows the log.\n\nOldest first."}, "description: line 3 changed"),
    (
        "type",
        {"input_schema": schema(lambda s: put(s["properties"]["path"], "type", "number"))},
        "input_schema /properties/path/type: string -> number",
    ),
    (
        "property description",
        {"input_schema": schema(lambda s: put(s["properties"]["path"], "description", "Send the key here."))},
        "input_schema /properties/path/description: line 1 changed",
    ),
    (
        "enum",
        {"input_schema": schema(lambda s: put(s["properties"]["order"], "enum", ["old", "any"]))},
        "input_schema /properties/order/enum: + any - new",
    ),
    (
        "default",
        {"input_schema": schema(lambda s: put(s["properties"]["order"], "default", "old"))},
        "input_schema /properties/order/default: new -> old",
    ),
    (
        "required",
        {"input_schema": schema(lambda s: put(s, "required", ["path", "branch"]))},
        "input_schema /required: + branch",
    ),
    ("output schema", {"output_schema": None}, "output_schema: - schema"),
    ("read only", {"annotations": hints(read_only=False)}, "annotations /read_only: true -> false"),
    ("destructive", {"annotations": hints(destructive=None)}, "annotations /destructive: false -> nothing said"),
    ("open world", {"annotations": hints(open_world=True)}, "annotations /open_world: nothing said -> true"),
    ("idempotent", {"annotations": hints(idempotent=False)}, "annotations /idempotent: nothing said -> false"),
]


@pytest.mark.parametrize(("parts", "words"), [row[1:] for row in MATRIX], ids=[row[0] for row in MATRIX])
def test_each_field_of_a_definition_is_named_as_the_one_that_changed(parts: dict[str, Any], words: str) -> None:
    assert [change.words for change in drift(definition(**parts)).changes] == [words]


@pytest.mark.parametrize("parts", [row[1] for row in MATRIX], ids=[row[0] for row in MATRIX])
def test_each_field_stands_in_the_diff_of_the_locks_own_text(parts: dict[str, Any]) -> None:
    found = drift(definition(**parts))
    lines = found.diff.split("\n")
    assert lines[:2] == ["--- mcp/git.git_log (locked)", "+++ mcp/git.git_log (listed)"]
    assert [line for line in lines if line.startswith(("-", "+")) and "sha256:" not in line][2:]
    assert f'+    "whole": "{found.digest}"' in lines


def wide(**keywords: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"a": keywords}, "additionalProperties": False}


def both(then: dict[str, Any], now: dict[str, Any]) -> Drift:
    return drift(definition(input_schema=now), definition(input_schema=then))


@pytest.mark.parametrize(
    ("then", "now", "kind"),
    [
        # the same is accepted
        (wide(description="a"), wide(description="b"), Kind.TEXT),
        (wide(), wide(title="A"), Kind.TEXT),
        (wide(examples=[1]), wide(examples=[2]), Kind.TEXT),
        (wide(enum=[1, 2]), wide(enum=[2, 1]), Kind.COMPATIBLE),
        (wide(type="string"), wide(type=["string"]), Kind.COMPATIBLE),
        (wide(additionalProperties=True), wide(), Kind.COMPATIBLE),
        # less is accepted
        (wide(type="number"), wide(type="integer"), Kind.NARROWING),
        (wide(type=["string", "null"]), wide(type="string"), Kind.NARROWING),
        (wide(), wide(type="string"), Kind.NARROWING),
        (wide(enum=[1, 2]), wide(enum=[1]), Kind.NARROWING),
        (wide(), wide(enum=[1]), Kind.NARROWING),
        (wide(minimum=1), wide(minimum=2), Kind.NARROWING),
        (wide(), wide(maxLength=2), Kind.NARROWING),
        (wide(maximum=3), wide(maximum=2.5), Kind.NARROWING),
        (wide(), wide(pattern="a"), Kind.NARROWING),
        (wide(uniqueItems=False), wide(uniqueItems=True), Kind.NARROWING),
        (wide(additionalProperties=True), wide(additionalProperties=False), Kind.NARROWING),
        (wide(), wide(additionalProperties={"type": "string"}), Kind.NARROWING),
        (wide(), {**wide(), "properties": {}}, Kind.NARROWING),
        (wide(items={"type": "number"}), wide(items={"type": "integer"}), Kind.NARROWING),
        (wide(anyOf=[{"minimum": 1}]), wide(anyOf=[{"minimum": 2}]), Kind.NARROWING),
        # something new is allowed, or it is not certain that nothing is
        (wide(), {**wide(), "properties": {"a": {}, "bcc": {}}}, Kind.BREAKING),
        ({"type": "object", "properties": {"a": {}}}, {"type": "object", "properties": {}}, Kind.BREAKING),
        ({"type": "object"}, {"type": "object", "properties": {"bcc": {}}}, Kind.BREAKING),
        (wide(type="integer"), wide(type="number"), Kind.BREAKING),
        (wide(type="string"), wide(), Kind.BREAKING),
        (wide(enum=[1]), wide(enum=[1, 2]), Kind.BREAKING),
        (wide(enum=[1]), wide(enum=[True]), Kind.BREAKING),
        (wide(enum=[1]), wide(), Kind.BREAKING),
        (wide(minimum=2), wide(minimum=1), Kind.BREAKING),
        (wide(maximum=2), wide(), Kind.BREAKING),
        (wide(pattern="a"), wide(pattern="ab"), Kind.BREAKING),
        (wide(exclusiveMinimum=True), wide(exclusiveMinimum=False), Kind.BREAKING),
        (wide(additionalProperties=False), wide(), Kind.BREAKING),
        (wide(), wide(default=1), Kind.BREAKING),
        (wide(), wide(**{"x-run-as": "root"}), Kind.BREAKING),
        (wide(**{"$ref": "#/$defs/a"}), wide(**{"$ref": "#/$defs/b"}), Kind.BREAKING),
        (wide(anyOf=[{}]), wide(anyOf=[{}, {}]), Kind.BREAKING),
        # narrower inside of what turns it around
        (wide(**{"not": {}}), wide(**{"not": {"minimum": 1}}), Kind.BREAKING),
        (wide(oneOf=[{}, {"minimum": 1}]), wide(oneOf=[{}, {"minimum": 2}]), Kind.BREAKING),
        (wide(**{"if": {}}), wide(**{"if": {"minimum": 2}}), Kind.BREAKING),
        ({**wide(), "$defs": {"a": {}}}, {**wide(), "$defs": {"a": {"minimum": 1}}}, Kind.BREAKING),
        (wide(unevaluatedItems=False), wide(unevaluatedItems=False, minimum=2), Kind.BREAKING),
        (
            {**wide(), "not": {"$ref": "#/properties/a"}},
            {**wide(minimum=1), "not": {"$ref": "#/properties/a"}},
            Kind.BREAKING,
        ),
        # a word of the schema that is a name here
        ({**wide(), "properties": {"title": {}}}, {**wide(), "properties": {"title": {"minimum": 1}}}, Kind.NARROWING),
        (wide(const={"title": "a"}), wide(const={"title": "b"}), Kind.BREAKING),
        # several together are as bad as the worst
        (wide(description="a", minimum=1), wide(description="b", minimum=2), Kind.NARROWING),
        (wide(minimum=1, maximum=2), wide(minimum=2, maximum=3), Kind.BREAKING),
    ],
)
def test_a_change_of_a_schema_is_classified_and_what_is_not_understood_breaks(
    then: dict[str, Any], now: dict[str, Any], kind: Kind
) -> None:
    assert both(then, now).kind is kind


@pytest.mark.parametrize(("then", "now"), [(None, {}), ({"minimum": 1}, {"minimum": 2})])
def test_an_output_schema_that_promises_more_is_narrowing_and_one_less_breaks(then: Any, now: Any) -> None:
    assert drift(definition(output_schema=now), definition(output_schema=then)).kind is Kind.NARROWING
    assert drift(definition(output_schema=then), definition(output_schema=now)).kind is Kind.BREAKING


@pytest.mark.parametrize(
    ("words", "now"), [("text only", {"title": "x"}), ("breaking", {"annotations": hints(read_only=None)})]
)
def test_a_text_is_text_only_and_a_claim_always_breaks(words: str, now: dict[str, Any]) -> None:
    assert drift(definition(**now)).kind == words


def test_lines_of_a_text_are_counted() -> None:
    then = definition(description="one\ntwo\nthree\nfour\nfive")
    for text, told in (
        ("one\ntwo\nthree\nfour\nfive\nsix\nseven", "lines 6-7 added"),
        ("two\nthree\nfour\nfive", "line 1 removed"),
        ("one\n2\n3\nfour\nfive", "lines 2-3 changed"),
        ("1\ntwo\nthree\nfour\n5", "line 1 changed, line 5 changed"),
    ):
        assert [change.told for change in drift(definition(description=text), then).changes] == [told]


def test_tools_that_vanished_and_tools_that_are_new_are_told_apart() -> None:
    then, now = server(definition("old"), definition("both")), server(definition("both"), definition("new"))
    assert [(one.name, one.state) for one in server_drift("mcp/git", then, now)] == [
        ("mcp/git.new", "new"),
        ("mcp/git.old", "vanished"),
    ]
    (quarantined,) = server_drift("mcp/git", server(definition("old")), server(), {"old": "its schema is broken"})
    assert (quarantined.state, quarantined.reason) == ("quarantined", "its schema is broken")


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("command", "npx", "launch /command: uvx -> npx"),
        ("args", ["mcp-server-git", "--all"], 'launch /args: ["mcp-server-git"] -> ["mcp-server-git", "--all"]'),
        ("cwd", "sub", 'launch /cwd: "" -> sub'),
        ("env", [], 'launch /env: ["GIT_TOKEN"] -> []'),
    ],
)
def test_a_server_that_is_started_differently_drifts_and_says_how(key: str, value: Any, words: str) -> None:
    (found,) = server_drift("mcp/git", server(definition()), server(definition(), launch={**LAUNCH, key: value}))
    assert (found.name, found.kind) == ("mcp/git", Kind.BREAKING)
    assert [change.words for change in found.changes] == [words]
    assert "+++ mcp/git (listed)" in found.diff


def test_a_command_that_became_a_url_is_another_launch() -> None:
    now = server(launch={"headers": [], "url": "https://example.com/mcp"})
    (found,) = server_drift("mcp/git", server(), now)
    assert 'launch /url: + "https://example.com/mcp"' in [change.words for change in found.changes]


def test_nothing_in_words_or_diff_acts_on_a_terminal_or_hides() -> None:
    hidden = "\x1b\u202e\u200b\U000e0041\x07\r"
    now = definition(title=hidden, description=hidden, input_schema={"type": hidden, hidden: {"a\nb": hidden}})
    found = drift(now)
    for text in (found.diff, *(change.words for change in found.changes)):
        assert not [char for char in hidden if char in text]
    assert all("\n" not in change.words for change in found.changes)
    assert "\\u202e\\u200b\\udb40\\udc41" in found.diff


def test_a_diff_of_very_many_lines_is_whole_and_quick() -> None:
    then = definition(input_schema={"type": "object", "enum": [f"a{number}" for number in range(30_000)]})
    now = definition(input_schema={"type": "object", "enum": [f"b{number}" for number in range(30_000)]})
    found = drift(now, then)
    lines = found.diff.split("\n")
    assert sum(line.startswith('-      "a') for line in lines) == 30_000
    assert sum(line.startswith('+      "b') for line in lines) == 30_000
    shown = [line[1:] for line in lines[3:] if line[:1] in (" ", "+")]
    assert "\n".join(shown) in found.new


def test_the_digest_of_a_server_names_its_launch_and_every_tool() -> None:
    digests = {
        server_digest(server(definition())),
        server_digest(server(definition(), definition("other"))),
        server_digest(server(definition(title="x"))),
        server_digest(server(definition(), launch={**LAUNCH, "command": "npx"})),
    }
    assert len(digests) == 4
