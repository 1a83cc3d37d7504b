"""Rules of a grant: what the arguments of a call may be. They only tighten, and hold whatever shape a value has."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from doubles import Says, holder
from licet import Runtime
from licet.errors import ConfigurationError, RuleViolation
from licet.model.tool import ToolSpec
from licet.model.verdict import PERMIT, Deny
from licet.policy.operator import Rule, argument_rules
from licet.testing import RecordingLedger, fake_tool


def permits(rule: Rule, value: Any, *, key: str = "x") -> bool:
    verdict = argument_rules({"t": [rule]})(holder("t"), ToolSpec(name="t"), {key: value})
    if verdict is PERMIT:
        return True
    assert isinstance(verdict, Deny)
    assert (verdict.code, verdict.reason) == ("rule_forbids", "argument_rule")
    assert rule.pointer in verdict.message
    return False


# --- values ---

KINDS: list[Any] = [None, True, False, 0, 1, -1, 1.5, "", "1", "true", [], [1], {}, {"a": 1}, {"a": [1, {"b": None}]}]


@pytest.mark.parametrize("wanted", KINDS, ids=repr)
def test_equals_is_equality_of_json_values(wanted: Any) -> None:
    rule = Rule("/x", equals=wanted)
    assert [value for value in KINDS if permits(rule, value)] == [wanted]
    assert [type(value) for value in KINDS if permits(rule, value)] == [type(wanted)], "true is not 1"


def test_numbers_are_equal_by_value() -> None:
    assert permits(Rule("/x", equals=2), 2.0)
    assert permits(Rule("/x", one_of=[2.0, "b"]), 2)


def test_one_of_is_any_of_these_and_nothing_like_them() -> None:
    rule = Rule("/x", one_of=("status", "log", None))
    assert all(permits(rule, value) for value in ("status", "log", None))
    assert not any(
        permits(rule, value) for value in ("Status", "status ", "", "statuslog", ["status"], {"status": 1}, 0)
    )


def test_a_number_is_between_its_bounds_and_is_a_number() -> None:
    rule = Rule("/x", least=1, most=10)
    assert [value for value in (0, 1, 1.5, 10, 10.5, -5) if permits(rule, value)] == [1, 1.5, 10]
    assert not any(permits(rule, value) for value in (True, "5", None, [5], {"n": 5}))
    assert permits(Rule("/x", least=0), 10**18)
    assert permits(Rule("/x", most=0), -(10**18))


@pytest.mark.parametrize(
    ("pattern", "fits", "not_these"),
    [
        ("[a-z]+", ["abc"], ["", "abc1", "1abc", "abc\n", "ABC", "abc\nx"]),
        ("a|b", ["a", "b"], ["ab", "ax", "xb"]),
        ("feature/.*", ["feature/", "feature/x"], ["x/feature/", "feature/x\ny"]),
        ("(?i)main", ["main", "MAIN"], ["mainx"]),
        ("(?m)^a$", ["a"], ["a\nb", "b\na"]),
        ("ä+", ["ää"], ["a", "ä\u0308"]),
        ("", [""], ["a", "\n"]),
    ],
)
def test_a_pattern_is_about_the_whole_text(pattern: str, fits: list[str], not_these: list[str]) -> None:
    rule = Rule("/x", pattern=pattern)
    assert all(permits(rule, text) for text in fits)
    assert not any(permits(rule, text) for text in not_these)
    assert not any(permits(rule, value) for value in (None, 1, True, ["abc"], {"abc": 1}))


def test_a_pattern_takes_linear_time() -> None:
    rule = Rule("/x", pattern="(a+)+")
    assert permits(rule, "a" * 100_000)
    assert not permits(rule, "a" * 100_000 + "!")


# --- paths ---


@pytest.mark.parametrize(
    ("folder", "inside", "outside"),
    [
        (
            "src",
            ["src", "src/", "src/a", "./src/a", "src//a", "src/./a", "src/a b/ä", ".//src/a"],
            [
                "",
                ".",
                "srcs/a",
                "SRC/a",
                "a/src",
                "/src/a",
                "src/..",
                "src/../etc",
                "src/a/../b",
                "../src/a",
                "./../src/a",
            ],
        ),
        ("./src/", ["src/a", "./src"], ["a", "src2"]),
        (".", ["a", "a/b", ".", ""], ["/a", "..", "../a", "a/../b", "~/x", "~", "file:///etc/passwd", "C:\\x", "c:/x"]),
        (
            "/srv/data",
            ["/srv/data", "/srv/data/a", "//srv/data/a", "/srv/./data/a"],
            ["srv/data/a", "/srv/database", "/srv"],
        ),
        ("/srv/data", [], ["/srv/data/../x", "/srv/other/../data/a", "/", "~/srv/data", "\\srv\\data"]),
        ("/", ["/", "/etc"], ["etc", "", "/a/../b"]),
        ("a b", ["a b/c"], ["a", "a  b/c"]),
    ],
)
def test_a_path_is_in_the_folder_by_its_spelling_alone(folder: str, inside: list[str], outside: list[str]) -> None:
    rule = Rule("/x", under=folder)
    assert [path for path in inside if not permits(rule, path)] == []
    assert [path for path in outside if permits(rule, path)] == []
    assert not any(
        permits(rule, value) for value in (None, 1, ["src/a"], {}, "src/a\0", "/srv/data/\0", "src\\a", "src/\ud800")
    )


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(["src", "a", "..", ".", "", "~", "SRC", "src:"]), max_size=6).map("/".join))
def test_no_path_that_a_rule_lets_through_leaves_its_folder(path: str) -> None:
    import posixpath

    if permits(Rule("/x", under="src"), path):
        for here in ("/home", "/"):
            whole = posixpath.normpath(posixpath.join(here, path))
            assert whole == posixpath.join(here, "src") or whole.startswith(posixpath.join(here, "src") + "/")


def test_a_refusal_names_no_folder_of_the_host() -> None:
    verdict = argument_rules({"t": [Rule("/x", under="/home/somebody/data")]})(
        holder("t"), ToolSpec(name="t"), {"x": "/"}
    )
    assert isinstance(verdict, Deny)
    assert "somebody" not in verdict.message


# --- pointers ---


def test_a_pointer_leads_to_any_depth_and_names_with_signs() -> None:
    for pointer, arguments in (
        ("/a/b", {"a": {"b": 1}}),
        ("/a~1b/c~0d", {"a/b": {"c~d": 1}}),
        ("/list/1", {"list": [0, 1, 2]}),
        ("/list/*/n", {"list": [{"n": 1}, {"n": 1}]}),
        ("/map/*", {"map": {"p": 1, "q": 1}}),
        ("/0", {"0": 1}),
        ("/", {"": 1}),
    ):
        check = argument_rules({"t": [Rule(pointer, equals=1)]})
        assert check(holder("t"), ToolSpec(name="t"), arguments) is PERMIT


@pytest.mark.parametrize(
    ("pointer", "arguments"),
    [
        ("/x", {}),
        ("/x/y", {"x": 1}),
        ("/x/y", {"x": {}}),
        ("/x/y", {"x": ["y"]}),
        ("/x/5", {"x": [1]}),
        ("/x/-1", {"x": [1]}),
        ("/x/\u0661", {"x": [0, 1]}),
        ("/x/*", {"x": []}),
        ("/x/*", {"x": {}}),
        ("/x/*", {"x": "text"}),
        ("/x/*/n", {"x": [{"n": 1}, {}]}),
        ("/X", {"x": 1}),
        ("/x~0", {"x": 1}),
    ],
)
def test_a_missing_argument_breaks_a_rule_unless_it_is_optional(pointer: str, arguments: dict[str, Any]) -> None:
    spec = ToolSpec(name="t")
    needed = argument_rules({"t": [Rule(pointer, equals=1)]})(holder("t"), spec, arguments)
    assert isinstance(needed, Deny)
    assert f"{pointer} is missing" in needed.message
    assert argument_rules({"t": [Rule(pointer, equals=1, optional=True)]})(holder("t"), spec, arguments) is PERMIT


def test_an_optional_argument_that_is_there_fits_and_null_is_there() -> None:
    rule = Rule("/x", one_of=["a"], optional=True)
    assert permits(rule, "a")
    assert not permits(rule, "b")
    assert not permits(rule, None)


def test_every_element_has_to_fit() -> None:
    rule = Rule("/x/*/path", under="src")
    assert permits(rule, [{"path": "src/a"}, {"path": "src/b"}])
    assert not permits(rule, [{"path": "src/a"}, {"path": "etc"}])
    assert not permits(rule, [{"path": "src/a"}, {"PATH": "src/b"}])


def test_an_element_that_is_missing_excuses_no_other() -> None:
    rule = Rule("/x/*/n", equals=1, optional=True)
    assert permits(rule, [{}, {"n": 1}, {}])
    assert not permits(rule, [{}, {"n": 2}])


def test_all_rules_of_a_tool_and_all_that_a_rule_says_hold() -> None:
    check = argument_rules({"t": [Rule("/a", equals=1)], "local/t": [Rule("/b", least=0, most=9, one_of=[1, 20])]})
    spec = ToolSpec(name="t")
    assert check(holder("t"), spec, {"a": 1, "b": 1}) is PERMIT
    for arguments in ({"a": 2, "b": 1}, {"a": 1, "b": 20}, {"a": 1, "b": 2}, {"a": 1}, {"b": 1}):
        assert isinstance(check(holder("t"), spec, arguments), Deny)


def test_a_rule_is_about_its_own_tool_and_listing_is_about_no_arguments() -> None:
    check = argument_rules({"mcp/git.git_log": [Rule("/n", most=10)]})
    for name in ("mcp/git.git_logs", "mcp/git2.git_log", "git_log", "mcp2/git.git_log"):
        assert check(holder(name), ToolSpec(name=name), {"n": 99}) is PERMIT
    assert check(holder(), ToolSpec(name="mcp/git.git_log"), None) is PERMIT
    assert isinstance(check(holder(), ToolSpec(name="mcp/git.git_log"), {"n": 99}), Deny)


# --- mistakes ---


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ({}, "asks nothing; use equals, one_of, pattern, least, most or under"),
        ({"optional": True}, "asks nothing"),
        ({"one_of": []}, "one_of is a list of one value or more"),
        ({"one_of": "abc"}, "one_of is a list"),
        ({"equals": {1, 2}}, "not a JSON object"),
        ({"equals": float("nan")}, "not a JSON object"),
        ({"one_of": [float("inf")]}, "not a JSON object"),
        ({"pattern": "(?<=a)b"}, "is no pattern in RE2's syntax; use one without look-around"),
        ({"pattern": "("}, "is no pattern"),
        ({"pattern": "a\ud800"}, "is no pattern"),
        ({"pattern": "a" * 1001}, "text of at most 1000 characters"),
        ({"pattern": 7}, "a pattern is text"),
        ({"pattern": "(((a{0,30}){0,30}){0,30})"}, "pattern"),
        ({"least": True}, "least and most are numbers"),
        ({"most": "9"}, "least and most are numbers"),
        ({"least": float("nan")}, "least and most are numbers"),
        ({"least": 2, "most": 1}, "no number is at least 2 and at most 1; swap the two"),
        ({"under": ""}, "under is a folder without '..', such as 'src'"),
        ({"under": "../x"}, "under is a folder without '..'"),
        ({"under": "a\0"}, "under is a folder"),
        ({"under": 7}, "under is a folder"),
    ],
)
def test_a_rule_that_cannot_be_held_is_its_authors_mistake(said: dict[str, Any], told: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        Rule("/x", **said)
    assert told in str(caught.value)
    assert "rule for /x" in str(caught.value)


@pytest.mark.parametrize("pointer", ["", "x", "x/y", "/a~2", "/~", 7, None])
def test_a_pointer_that_is_none_is_its_authors_mistake(pointer: Any) -> None:
    with pytest.raises(ConfigurationError, match="is no pointer to an argument; use one such as '/path'"):
        Rule(pointer, equals=1)


def test_a_name_that_is_no_tools_name_is_the_authors_mistake() -> None:
    with pytest.raises(ConfigurationError, match="not a tool's name"):
        argument_rules({"no name": [Rule("/x", equals=1)]})


def test_rules_that_say_the_same_are_equal() -> None:
    assert Rule("/x", one_of=("a", "b")) == Rule("/x", one_of=("a", "b"))
    assert Rule("/x", equals=None) != Rule("/x", pattern="")
    assert Rule("/x", pattern="a+") == Rule("/x", pattern="a+")
    shown = repr(Rule("/x", under="src"))
    assert "ABSENT" in shown
    assert "under='src'" in shown
    assert "demands" not in shown
    assert "steps" not in shown


def test_a_refusal_shows_what_would_fit() -> None:
    for rule, told in (
        (Rule("/x", equals="é"), '/x has to be "é"'),
        (Rule("/x", one_of=["a", True]), '/x has to be one of "a", true'),
        (Rule("/x", pattern="[a-z]+"), '/x has to be text that matches "[a-z]+" as a whole'),
        (Rule("/x", least=1), "/x has to be a number, at least 1"),
        (Rule("/x", most=1.5), "/x has to be a number, at most 1.5"),
        (Rule("/x", under="src"), "/x has to be a path in the folder of the rule, without '..'"),
    ):
        assert rule.broken_by({"x": [None]}) == told


# --- through the corridor ---


async def test_a_call_that_breaks_a_rule_never_touches_the_transport(ledger: RecordingLedger) -> None:
    tool, transport = fake_tool("write")
    check = argument_rules({"write": [Rule("/path", under="src"), Rule("/mode", one_of=["w"], optional=True)]})
    async with Runtime([tool], checks=[check], approver=Says(True), ledger=ledger) as runtime:
        who = holder("write")
        assert [spec.name for spec in runtime.tools_for(who)] == ["local/write"]
        for arguments in ({"path": "etc/passwd"}, {"path": "src/../x"}, {}, {"path": "src/a", "mode": "x"}):
            result = await runtime.call(who, "write", arguments)
            assert (result.code, result.reason, result.effect) == ("rule_forbids", "argument_rule", "none")
            with pytest.raises(RuleViolation, match="operator's rule for 'write'"):
                result.unwrap()
        assert transport.calls == []
        assert ledger.kinds == ["tool.refused"] * 4
        assert (await runtime.call(who, "write", {"path": "src/a"})).success
    assert len(transport.calls) == 1
