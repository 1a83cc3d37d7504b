"""What runs was listed, and what is not listed reaches no handler: over random registries, principals and checks."""

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from doubles import Says
from licet import Ask, Deny, GrantSet, PathPolicy, Permit, Principal, Runtime, Tool, ToolCapability, ToolSpec
from licet.model.paths import RUN_MODES
from licet.model.result import ToolResult
from licet.model.tool import Execution
from licet.schema.derive import Derived
from licet.sources.function import InProcess
from licet.testing import FakeTransport, RecordingLedger

NAMES = ["a", "b", "ab", "team/a", "team/x.a", "mcp/git.status", "mcp/git.log", "mcp/github.status"]
GROUPS = [None, "read_only_builtins", "editing_builtins", "mine"]
SCHEMAS: list[tuple[dict[str, Any], dict[str, Any], tuple[str, ...]]] = [
    ({"type": "object"}, {}, ()),
    ({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}, {"n": 1}, ()),
    ({"type": "object", "properties": {"path": {"type": "string"}}, "additionalProperties": False}, {}, ("/path",)),
    (
        {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
        {"path": "inside.txt"},
        ("/path",),
    ),
]
"""A schema, arguments that suit it, and where they hold paths."""


def says_no(*_: Any) -> Any:
    return Deny("rule_forbids", "no")


def only_a(principal: Principal, spec: ToolSpec, arguments: Mapping[str, Any] | None) -> Any:
    return Permit() if spec.name.endswith("a") else Deny("rule_forbids", "only a")


def asks(*_: Any) -> Any:
    return Ask("really?")


def raises(*_: Any) -> Any:
    raise RuntimeError("a bug")


def garbage(*_: Any) -> Any:
    return "permit"


def hides(principal: Principal, spec: ToolSpec, arguments: Any) -> Any:
    return Deny("rule_forbids", "hidden") if arguments is None else Permit()


def shows(principal: Principal, spec: ToolSpec, arguments: Any) -> Any:
    return Permit() if arguments is None else Deny("rule_forbids", "not in the end")


def asks_only_while_listing(principal: Principal, spec: ToolSpec, arguments: Any) -> Any:
    return Ask("while listing") if arguments is None else Permit()


def permits(*_: Any) -> Any:
    return Permit()


CHECKS = [permits, permits, says_no, only_a, asks, raises, garbage, hides, shows, asks_only_while_listing]

capabilities = st.sampled_from(
    [
        ToolCapability(),
        ToolCapability(read_only=True, idempotent=True),
        ToolCapability(writes=True),
        ToolCapability(unsafe=True),
        ToolCapability(human_approval_required=True, read_only=True),
        ToolCapability(writes=True, idempotent=True),
    ]
)


@st.composite
def declared(draw: st.DrawFn, name: str) -> dict[str, Any]:
    schema, suitable, paths = draw(st.sampled_from(SCHEMAS))
    hosted = draw(st.integers(0, 9)) == 0
    kind = "hosted" if hosted else draw(st.sampled_from(["dynamic", "builtin"]))
    intrinsic = kind == "builtin" and draw(st.booleans())
    return {
        "suitable": suitable,
        "spec": ToolSpec(
            name=name,
            source=kind,  # type: ignore[arg-type]
            tool_type="intrinsic" if intrinsic else "tool",
            group=draw(st.sampled_from(GROUPS)),
            capabilities=draw(capabilities),
            input_schema=schema,
            path_access=draw(st.sampled_from(["current_project", "allowed_roots", "danger_full_access"]))
            if paths
            else "none",
            path_arguments=paths,
            execution=Execution(inline=draw(st.booleans()) and not hosted),
        ),
    }


grants = st.one_of(
    st.sampled_from(NAMES),
    st.sampled_from(["nowhere", "mcp/git.nothing"]),
    st.sampled_from(["*", "a*", "team/*", "mcp/git.*", "mcp/git*.status", "*/x.a", "m?p/*"]).map(GrantSet.glob),
    st.sampled_from(["read_only_builtins", "mine"]).map(GrantSet.group),
    st.just(GrantSet.full()),
)


@st.composite
def principals(draw: st.DrawFn) -> Principal:
    mode = draw(st.sampled_from(RUN_MODES))
    policies = [PathPolicy.none(), PathPolicy.current_project("/project"), PathPolicy.allowed_roots("/a", "/b")]
    if mode == "danger_full_access":
        policies.append(PathPolicy.danger_full_access())
    return Principal(
        "alice", grants=draw(st.lists(grants, max_size=4)), mode=mode, paths=draw(st.sampled_from(policies))
    )


worlds = st.lists(st.sampled_from(NAMES), unique=True, max_size=5).flatmap(
    lambda names: st.tuples(*(declared(name) for name in names))
)


def instrumented(spec: ToolSpec, ran: list[str]) -> Tool:
    if spec.source == "hosted":
        return Tool(spec)
    if spec.execution.inline:
        return Tool(spec, InProcess(lambda **_: ran.append(spec.name), Derived({}, None, None)))  # type: ignore[arg-type]
    return Tool(spec, FakeTransport(lambda arguments: ran.append(spec.name)))


@pytest.mark.requirement("own.listed-iff-callable", "mode.hidden-call-refused")
@settings(max_examples=250, deadline=None)
@given(
    worlds,
    principals(),
    st.lists(st.sampled_from(CHECKS), max_size=2),
    st.sampled_from([None, Says(True), Says(False)]),
    st.booleans(),
)
def test_what_is_listed_can_be_called_and_what_is_not_reaches_no_handler(
    world: tuple[dict[str, Any], ...],
    who: Principal,
    checks: list[Any],
    approver: Says | None,
    blocking: bool,
) -> None:
    ran: list[str] = []
    ledger = RecordingLedger()
    tools = [instrumented(one["spec"], ran) for one in world]
    suitable = {one["spec"].name: one["suitable"] for one in world}
    runtime = Runtime(tools, ledger=ledger, approver=approver, checks=checks)

    def call(name: str, arguments: Any) -> ToolResult:
        if blocking:
            return runtime.call_blocking(runtime.begin(who), name, arguments)
        return asyncio.run(runtime.call(who, name, arguments))

    listed = {spec.name for spec in runtime.tools_for(who)}
    flips = shows in checks or (approver is not None and approver.word is False)
    for name in [*suitable, "local/nowhere", "mcp/git.nothing"]:
        for arguments in (suitable.get(name, {}), {"n": "x", "path": 7}, {"path": "../out"}, "no json"):
            before = len(ran)
            result = call(name, arguments)
            if len(ran) > before:
                assert ran[before:] == [name], "one handler, its own, once"
                assert name in listed, "what runs was listed"
                assert result.success
            elif not result.success:
                assert result.effect == "none"
            if name not in listed:
                assert len(ran) == before, "what is not listed reaches no handler"
                assert not result.success
        why = runtime.why(who, name, suitable.get(name))
        if name in listed and not flips:
            assert call(name, suitable[name]).success, "what is listed can be called with suitable arguments"
            assert why.allowed
        if name not in listed:
            assert not why.allowed
    kinds = ledger.kinds
    assert kinds.count("tool.requested") == kinds.count("tool.completed") == len(ran)
    runtime.close()


def test_the_control_a_filter_that_only_hides_is_found() -> None:
    """The property is able to fail: a runtime that lists by one rule and calls by another breaks it."""
    ran: list[str] = []
    spec = ToolSpec(name="a", capabilities=ToolCapability(writes=True))
    runtime = Runtime([instrumented(spec, ran)])
    runtime.tools_for = lambda principal: []  # type: ignore[method-assign]
    who = Principal("alice", grants=["a"], mode="workspace_write")
    asyncio.run(runtime.call(who, "a"))
    assert set(ran) - {spec.name for spec in runtime.tools_for(who)} == {"local/a"}
    runtime.close()


@pytest.mark.requirement("own.listed-iff-callable")
@settings(max_examples=150, deadline=None)
@given(worlds, principals(), st.lists(st.sampled_from(CHECKS), max_size=1))
def test_functions_are_handed_out_for_exactly_what_is_listed(
    world: tuple[dict[str, Any], ...], who: Principal, checks: list[Any]
) -> None:
    ran: list[str] = []
    runtime = Runtime([instrumented(one["spec"], ran) for one in world], checks=checks)
    listed = runtime.tools_for(who)
    functions = runtime.functions_for(who, rendered=False)
    assert len(functions) == len(listed)
    suitable = {one["spec"].name: one["suitable"] for one in world}
    for spec, function in zip(listed, functions, strict=True):
        before = len(ran)
        asyncio.run(function(**suitable[spec.name]))
        if shows not in checks:
            assert ran[before:] == [spec.name]
    runtime.close()
