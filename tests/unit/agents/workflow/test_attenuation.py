"""A sub-agent gets what it asks for within what its parent holds; more is refused, and the dimension named."""

from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from licet import GrantSet, PathPolicy, Principal
from licet.agents.workflow import AttenuationError, Scope, attenuate
from licet.approvals.rule import RuleApprover
from licet.errors import ConfigurationError
from licet.intrinsics import intrinsics
from licet.model.paths import RUN_MODES
from licet.policy.rules import ask_before, forbid
from licet.testing import fake_tool

TOOLS = ("read", "write", "mail", "post")
SPECS = (*(fake_tool(name, group="g")[0].spec for name in TOOLS), *intrinsics())
NAMES = [spec.name for spec in SPECS]
PLAIN = [f"local/{name}" for name in TOOLS]
ANNA, BERT = RuleApprover(), RuleApprover()
NO_MAIL, ASKS = forbid("mail", reason="no mail"), ask_before("write", reason="it writes")


def scope(*grants: Any, mode: Any = "workspace_write", paths: Any = None, name: str = "child", **rest: Any) -> Scope:
    return Scope(principal=Principal(name, grants=grants, mode=mode, paths=paths or PathPolicy.none()), **rest)


def parent(root: str = "/srv/project", **more: Any) -> Scope:
    held = {
        "checks": (NO_MAIL, ASKS),
        "approver": ANNA,
        "may_emit": frozenset({"a.b", "a.c"}),
        "skills": frozenset({"notes", "style"}),
        "waiting": frozenset({"local/post"}),
        "calls": 10,
        "tokens": 1000,
        **more,
    }
    return scope("read", "write", "create_plan", paths=PathPolicy.current_project(root), name="parent", **held)


WIDER: list[tuple[str, Callable[[], Scope]]] = [
    ("grants", lambda: scope("mail")),
    ("grants", lambda: scope("read", "mcp/git.log")),
    ("grants", lambda: scope(GrantSet.group("g"))),
    ("grants", lambda: scope(GrantSet.glob("m*"))),
    ("intrinsics", lambda: scope(GrantSet.full())),
    ("intrinsics", lambda: scope("spawn_subtask")),
    ("intrinsics", lambda: scope(GrantSet.group("intrinsics"))),
    ("mode", lambda: scope(mode="danger_full_access")),
    ("roots", lambda: scope(paths=PathPolicy.current_project("/srv"))),
    ("roots", lambda: scope(paths=PathPolicy.current_project("/srv/project2"))),
    ("roots", lambda: scope(paths=PathPolicy.current_project("/srv/project/../other"))),
    ("roots", lambda: scope(paths=PathPolicy.allowed_roots("/srv/project"))),
    ("roots", lambda: scope(paths=PathPolicy("current_project", ("/srv/project/../other",)))),
    ("may_emit", lambda: scope(may_emit=frozenset({"a.b", "a.d"}))),
    ("skills", lambda: scope(skills=frozenset({"more"}))),
    ("skills", lambda: scope("read", "post")),
    ("profile", lambda: scope(GrantSet.profile("execute", ["read", "mail"]))),
    ("profile", lambda: scope(GrantSet.profile("full", None))),
    ("approvals", lambda: scope(approver=BERT)),
    ("calls", lambda: scope(calls=11)),
    ("tokens", lambda: scope(tokens=1001)),
]


@pytest.mark.requirement("own.attenuation")
@pytest.mark.parametrize(("dimension", "asked"), WIDER)
def test_more_than_the_parent_holds_is_refused(dimension: str, asked: Callable[[], Scope]) -> None:
    with pytest.raises(AttenuationError) as caught:
        attenuate(parent(), asked(), SPECS)
    assert caught.value.dimension == dimension
    assert str(caught.value).startswith(f"{dimension}: ")


@pytest.mark.requirement("own.attenuation")
def test_full_access_of_a_parent_bounds_its_child_by_what_it_was_granted() -> None:
    everywhere = scope(
        "read", mode="danger_full_access", paths=PathPolicy.danger_full_access(), name="parent", may_emit=frozenset()
    )
    same = attenuate(everywhere, scope("read", paths=PathPolicy.current_project("/srv")), SPECS)
    assert same.principal.paths.roots == ("/srv",)
    with pytest.raises(AttenuationError, match="roots"):
        attenuate(parent(), scope(mode="workspace_write", paths=PathPolicy.allowed_roots("/", "/srv")), SPECS)


@pytest.mark.requirement("own.attenuation")
def test_a_child_brings_its_parents_checks_and_takes_from_its_budget() -> None:
    own = forbid("read", reason="not now")
    child = attenuate(parent(), scope("read", checks=(own, ASKS), calls=3), SPECS)
    assert child.checks == (NO_MAIL, ASKS, own)
    assert (child.calls, child.tokens, child.depth) == (3, 1000, 1)
    assert child.approver is None, "nobody is less than somebody"
    assert child.principal.name == "child"


@pytest.mark.requirement("own.attenuation")
def test_a_root_that_is_a_link_out_of_the_parents_is_wider(tmp_path: Path) -> None:
    project = tmp_path / "project"
    (project / "inner").mkdir(parents=True)
    (project / "out").symlink_to(tmp_path)
    (project / "in").symlink_to("inner")
    held = parent(str(project))
    with pytest.raises(AttenuationError, match="roots"):
        attenuate(held, scope(paths=PathPolicy.current_project(project / "out")), SPECS)
    child = attenuate(held, scope(paths=PathPolicy.current_project(project / "in")), SPECS)
    assert child.principal.paths.roots == (str(project / "inner"),), "resolved, so that the link may change"


@pytest.mark.requirement("own.attenuation")
def test_sub_agents_nest_four_deep() -> None:
    held = parent()
    for depth in range(1, 5):
        held = attenuate(held, scope("read"), SPECS)
        assert held.depth == depth
    with pytest.raises(AttenuationError, match=r"^depth: "):
        attenuate(held, scope("read"), SPECS)


def test_a_parent_that_has_not_begun_has_nothing_to_give() -> None:
    with pytest.raises(ConfigurationError, match="exact"):
        attenuate(scope(GrantSet.full()), scope("read"), SPECS)


ROOTS = ["/srv", "/srv/a", "/srv/a/b", "/srv/ab", "/opt"]
modes = st.sampled_from(RUN_MODES)
names = st.frozensets(st.sampled_from(NAMES), max_size=6)
budgets = st.none() | st.integers(0, 20)
words = st.frozensets(st.sampled_from(["a.a", "a.b", "a.c"]))
paths = st.one_of(
    st.just(PathPolicy.none()),
    st.sampled_from(ROOTS).map(PathPolicy.current_project),
    st.lists(st.sampled_from(ROOTS), min_size=1, max_size=2).map(lambda roots: PathPolicy.allowed_roots(*roots)),
    st.just(PathPolicy.danger_full_access()),
)
checks = st.lists(st.sampled_from([NO_MAIL, ASKS]), unique=True).map(tuple)


@st.composite
def scopes(draw: st.DrawFn, exact: bool) -> Scope:
    mode, policy = draw(modes), draw(paths)
    if policy.access == "danger_full_access":
        mode = "danger_full_access"
    grants: list[Any] = sorted(draw(names))
    if not exact and draw(st.booleans()):
        grants.append(draw(st.sampled_from([GrantSet.full(), GrantSet.group("g"), GrantSet.group("intrinsics")])))
    return Scope(
        principal=Principal("p", grants=grants, mode=mode, paths=policy),
        checks=draw(checks),
        approver=draw(st.sampled_from([None, ANNA, BERT])),
        may_emit=draw(words),
        skills=draw(words),
        waiting=draw(names),
        calls=draw(budgets),
        tokens=draw(budgets),
        depth=draw(st.integers(0, 4)),
    )


def below(root: str, held: tuple[str, ...]) -> bool:
    return any(root == above or root.startswith(above.rstrip("/") + "/") for above in held)


def within(child: Scope, held: Scope) -> dict[str, bool]:
    """Every dimension, told by itself: whether the child's is within its parent's."""
    mine, theirs = child.principal, held.principal
    everywhere = theirs.paths.access == "danger_full_access"
    return {
        "principal": mine.grants <= theirs.grants
        and not mine.grant_sets
        and RUN_MODES.index(mine.mode) <= RUN_MODES.index(theirs.mode)
        and (everywhere or mine.paths.access != "danger_full_access")
        and (everywhere or all(below(root, theirs.paths.roots) for root in mine.paths.roots)),
        "checks": set(held.checks) <= set(child.checks),
        "approver": child.approver is None or child.approver is held.approver,
        "may_emit": child.may_emit <= held.may_emit,
        "skills": child.skills <= held.skills,
        "waiting": child.waiting >= held.waiting,
        "calls": held.calls is None or (child.calls is not None and child.calls <= held.calls),
        "tokens": held.tokens is None or (child.tokens is not None and child.tokens <= held.tokens),
        "depth": held.depth < child.depth <= 4,
    }


@pytest.mark.requirement("own.attenuation")
@given(scopes(exact=True), scopes(exact=False))
def test_whatever_is_asked_for_no_dimension_is_wider(held: Scope, asked: Scope) -> None:
    try:
        child = attenuate(held, asked, SPECS)
    except AttenuationError:
        return
    told = within(child, held)
    assert set(told) == {field.name for field in fields(Scope)}, "every dimension is looked at"
    assert all(told.values()), told


def with_grant(held: Scope, *missing: str) -> Scope | None:
    """The same scope with the first of these names that it does not hold."""
    more = next((name for name in missing if name not in held.principal.grants), None)
    who = held.principal
    return more and replace(held, principal=Principal("p", grants=[*who.grants, more], mode=who.mode, paths=who.paths))


def in_the_next_mode(held: Scope) -> Scope | None:
    at = RUN_MODES.index(held.principal.mode) + 1
    who = held.principal
    return (
        replace(held, principal=Principal("p", grants=who.grants, mode=RUN_MODES[at], paths=who.paths))
        if at < len(RUN_MODES)
        else None
    )


def with_a_root_elsewhere(held: Scope) -> Scope | None:
    who = held.principal
    if who.paths.access == "danger_full_access":
        return None
    roots = PathPolicy.allowed_roots(*who.paths.roots, "/elsewhere")
    return replace(held, principal=Principal("p", grants=who.grants, mode=who.mode, paths=roots))


def with_a_profile(held: Scope) -> Scope | None:
    """One that has a tool more than it holds."""
    more = next((name for name in TOOLS if f"local/{name}" not in held.principal.grants), None)
    who = held.principal
    grants = [*who.grants, GrantSet.profile("execute", [more or "read"])]
    return more and replace(held, principal=Principal("p", grants=grants, mode=who.mode, paths=who.paths))


def with_what_waits(held: Scope) -> Scope | None:
    """With one of the tools that wait for a skill."""
    return with_grant(held, *(name for name in PLAIN if name in held.waiting))


WIDEN: dict[str, Callable[[Scope], Scope | None]] = {
    "grants": lambda held: with_grant(held, *(name for name in PLAIN if name not in held.waiting)),
    "intrinsics": lambda held: with_grant(held, *(spec.name for spec in intrinsics())),
    "mode": in_the_next_mode,
    "roots": with_a_root_elsewhere,
    "may_emit": lambda held: replace(held, may_emit=held.may_emit | {"z.z"}),
    "skills": lambda held: replace(held, skills=held.skills | {"z"}),
    "skills, by what waits": with_what_waits,
    "profile": with_a_profile,
    "approvals": lambda held: replace(held, approver=RuleApprover()),
    "calls": lambda held: None if held.calls is None else replace(held, calls=held.calls + 1),
    "tokens": lambda held: None if held.tokens is None else replace(held, tokens=held.tokens + 1),
}


@pytest.mark.requirement("own.attenuation")
@pytest.mark.parametrize("dimension", WIDEN)
@given(scopes(exact=True))
def test_one_step_more_in_any_dimension_is_refused_by_its_name(dimension: str, held: Scope) -> None:
    held = replace(held, depth=0)
    asked = WIDEN[dimension](held)
    assume(asked is not None)
    with pytest.raises(AttenuationError, check=lambda error: error.dimension == dimension.partition(",")[0]):
        attenuate(held, asked, SPECS)  # type: ignore[arg-type]


@pytest.mark.requirement("own.attenuation")
@given(scopes(exact=True))
def test_the_same_again_is_not_wider(held: Scope) -> None:
    held = replace(held, depth=0)
    child = attenuate(held, held, SPECS)
    assert replace(child, depth=0, checks=held.checks) == replace(held, principal=child.principal)
    assert child.principal.grants == held.principal.grants
