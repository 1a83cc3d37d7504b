"""The seed's registry: register, grant by manifest, call and get a dict, or an exception that says what happened."""

import asyncio
import functools
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from doubles import Spy
from licet import PathPolicy, Tool, ToolCapability, ToolRegistry, ToolSpec, tool
from licet.doors.registry import principal_of
from licet.errors import (
    CapabilityViolation,
    ConfigurationError,
    InvalidArgumentsError,
    InvalidResultError,
    ModeViolation,
    RegistrationError,
    ToolError,
    ToolFailedError,
    UnknownToolError,
)
from licet.model.tool import Execution
from licet.testing import FakeTransport, RecordingLedger

REMOTE = {"type": "object", "properties": {"x": {"$ref": "https://example.com/s.json"}}}


def granting(*tools: str, **more: Any) -> Any:
    return SimpleNamespace(tools=list(tools), **more)


def oracle(**params: Any) -> dict[str, Any]:
    return {"omen": f"a {params.get('seed', 'grey')} bird"}


@pytest.fixture
def registry(ledger: RecordingLedger) -> Any:
    with ToolRegistry(ledger=ledger) as made:
        yield made


@pytest.mark.requirement("registry.register-triple", "call.returns-dict")
def test_a_triple_is_a_tool_that_its_manifest_may_call(registry: ToolRegistry, ledger: RecordingLedger) -> None:
    spec = registry.register("oracle", "Draw a cryptic omen. Params: {seed: str}.", oracle)
    assert (spec.name, spec.description) == ("local/oracle", "Draw a cryptic omen. Params: {seed: str}.")
    assert spec.schema_inferred
    assert spec.capabilities == ToolCapability(), "no flags"
    assert registry.call("fortune-teller", granting("oracle"), "oracle", {"seed": "red"}) == {"omen": "a red bird"}
    assert registry.call("fortune-teller", granting("local/oracle"), "oracle") == {"omen": "a grey bird"}
    assert ledger.kinds == ["tool.requested", "tool.completed"] * 2
    assert {entry.actor for entry in ledger.entries()} == {"fortune-teller"}


@pytest.mark.requirement("call.grant-before-transport")
@pytest.mark.parametrize("exists", [True, False])
def test_a_call_without_a_grant_raises_before_anything_is_looked_up(
    registry: ToolRegistry, ledger: RecordingLedger, exists: bool
) -> None:
    ran: list[Any] = []
    if exists:
        registry.register("oracle", "", lambda **params: ran.append(params) or {})
    spy = Spy(oracle=oracle)
    registry.set_resolver(spy)
    for tools in ([], ["oracle2"], ["oracl"], ["Oracle"], ["mcp/oracle"]):
        with pytest.raises(CapabilityViolation) as raised:
            registry.call("scene-whisperer", granting(*tools), "oracle", {})
        assert isinstance(raised.value, PermissionError)
        assert raised.value.tool_name == "local/oracle"
        assert raised.value.error_type == "CapabilityViolation"
        assert "oracle" in raised.value.details
    assert (ran, spy.seen) == ([], [])
    assert ledger.kinds == ["tool.refused"] * 5


@pytest.mark.requirement("call.granted-but-unregistered")
def test_a_granted_tool_that_is_registered_nowhere_is_a_key_error_with_its_name(registry: ToolRegistry) -> None:
    with pytest.raises(KeyError, match="oracle") as raised:
        registry.call("a", granting("oracle"), "oracle", {})
    assert isinstance(raised.value, UnknownToolError)
    assert raised.value.tool_name == "local/oracle"
    with pytest.raises(CapabilityViolation):
        registry.call("a", granting(), "oracle", {})


@pytest.mark.parametrize("name", [None, 7, b"oracle", "", "a b", "x" * 400, "\ud800", ["oracle"]])
def test_what_is_no_name_is_a_violation_like_any_name_that_was_not_granted(registry: ToolRegistry, name: Any) -> None:
    registry.register("oracle", "", oracle)
    with pytest.raises(CapabilityViolation):
        registry.call("a", granting("oracle"), name, {})


def test_every_way_of_failing_raises_its_own_class(registry: ToolRegistry) -> None:
    @tool(read_only=True)
    def reads(n: int) -> Any:
        match n:
            case 1:
                raise ValueError("the handler's own words")
            case 2:
                return [1]
            case 3:
                return object()
            case 4:
                raise SystemExit(3)
        return {"n": n}

    registry.register(reads)
    registry.register("writes", "", oracle)
    manifest = granting("reads", "writes", mode="read_only")
    assert registry.call("a", manifest, "reads", {"n": 9}) == {"n": 9}
    with pytest.raises(ModeViolation):
        registry.call("a", manifest, "writes")
    with pytest.raises(InvalidArgumentsError) as invalid:
        registry.call("a", manifest, "reads", {"n": "x"})
    assert isinstance(invalid.value, ValueError)
    assert "/n" in str(invalid.value)
    with pytest.raises(ToolFailedError) as failed:
        registry.call("a", manifest, "reads", {"n": 1})
    assert isinstance(failed.value.__cause__, ValueError), "the cause is kept"
    assert "own words" not in str(failed.value)
    with pytest.raises(InvalidResultError, match="dict"):
        registry.call("a", manifest, "reads", {"n": 2})
    with pytest.raises(InvalidResultError):
        registry.call("a", manifest, "reads", {"n": 3})
    with pytest.raises(ToolFailedError) as exited:
        registry.call("a", manifest, "reads", {"n": 4})
    assert isinstance(exited.value.__cause__, SystemExit)


def test_a_manifests_mode_and_roots_count_where_it_has_them(tmp_path: Path) -> None:
    bare = principal_of("a", granting("t"))
    assert (bare.mode, bare.paths, bare.name) == ("workspace_write", PathPolicy.none(), "a")
    one = principal_of("a", granting("t", mode="read_only", roots=[str(tmp_path)]))
    assert (one.mode, one.paths) == ("read_only", PathPolicy.current_project(tmp_path))
    two = principal_of("a", granting("t", roots=["/a", "/b"]))
    assert two.paths == PathPolicy.allowed_roots("/a", "/b")
    full = principal_of("a", granting("t", mode="danger_full_access", roots=["danger_full_access"]))
    assert full.paths == PathPolicy.danger_full_access()
    assert principal_of("a", granting("t", mode=None, roots=None)) == bare
    for wrong in (granting("no name"), granting("t", mode="all"), SimpleNamespace(tools="oracle")):
        with pytest.raises(ConfigurationError):
            principal_of("a", wrong)


# --- registering ---


@pytest.mark.requirement("registry.operations")
def test_a_collision_is_a_registration_error_and_changes_nothing(registry: ToolRegistry) -> None:
    registry.register("oracle", "first", oracle)
    for again in (
        lambda: registry.register("oracle", "second", oracle),
        lambda: registry.register("local/oracle", "second", oracle),
        lambda: registry.register(ToolSpec(name="oracle", description="second", handler=oracle)),
        lambda: registry.register("orac1e", "looks the same", oracle),
        lambda: registry.register("Oracle", "second", oracle),
    ):
        with pytest.raises(RegistrationError) as raised:
            again()
        assert isinstance(raised.value, ToolError)
        assert raised.value.error_type == "RegistrationError"
        assert raised.value.tool_name.startswith("local/")
    assert [spec.description for spec in registry.list_tools()] == ["first"]
    replaced = registry.register("oracle", "second", lambda **_: {"omen": "new"}, replace=True)
    assert registry.get("oracle") is replaced
    assert registry.call("a", granting("oracle"), "oracle") == {"omen": "new"}


@pytest.mark.requirement("registry.operations")
def test_get_list_and_remove(registry: ToolRegistry) -> None:
    registry.register(ToolSpec(name="a", handler=oracle, tool_type="validation"))
    registry.register(ToolSpec(name="team/b", handler=oracle))
    registry.register(ToolSpec(name="team/c", handler=oracle, tool_type="validation"))

    def listed(*arguments: Any, **named: Any) -> list[str]:
        return [spec.name for spec in registry.list_tools(*arguments, **named)]

    assert listed() == ["local/a", "team/b", "team/c"]
    assert listed("team") == listed(namespace="team") == ["team/b", "team/c"]
    assert listed(tool_type="validation") == ["local/a", "team/c"]
    assert listed("team", "validation") == ["team/c"]
    assert listed("nobody") == listed(tool_type="intrinsic") == []
    assert registry.get("local/a") is registry.get("a") is not None
    for absent in ("b", "team/a", "no name", "", None, 7):
        assert registry.get(absent) is None  # type: ignore[arg-type]
        assert registry.remove(absent) is False  # type: ignore[arg-type]
    assert registry.remove("team/b") is True
    assert registry.remove("team/b") is False
    assert listed() == ["local/a", "team/c"]
    registry.register("team/b", "again", oracle)
    assert listed()[-1] == "team/b"


@pytest.mark.requirement("registry.empty-by-default")
def test_a_new_registry_lists_nothing(registry: ToolRegistry) -> None:
    assert registry.list_tools() == []
    assert registry.describe(["ls", "read", "bash", "oracle"]) == {}
    with pytest.raises(UnknownToolError):
        registry.call("a", granting("read"), "read", {"path": "x"})


async def slow(**_: Any) -> dict[str, Any]:
    await asyncio.sleep(0)
    return {}


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("oracle",), "all three"),
        (("oracle", "text"), "all three"),
        (("oracle", "text", None), "all three"),
        (("oracle", "text", 7), "function"),
        ((oracle,), "no tool"),
        ((7,), "no tool"),
        ((ToolSpec(name="t", handler=oracle), "text"), "no tool"),
        ((ToolSpec(name="t", handler=oracle), "text", oracle), "no tool"),
        (("no name", "text", oracle), "tool's name"),
        ((ToolSpec(name="t"),), "no handler"),
        ((Tool(ToolSpec(name="t")),), "no handler"),
        ((ToolSpec(name="t", handler=oracle, source="hosted"),), "without a handler"),
        ((ToolSpec(name="t", handler=oracle, source="mcp"),), "reserved"),
        ((ToolSpec(name="t", handler=slow, execution=Execution(inline=True)),), "inline"),
        ((Tool(ToolSpec(name="t", execution=Execution(inline=True)), FakeTransport()),), "inline"),
        ((ToolSpec(name="t", handler=oracle, checkpoint=oracle),), "come together"),
        ((ToolSpec(name="t", handler=oracle, capabilities=ToolCapability(checkpointable=True)),), "checkpointable"),
        ((ToolSpec(name="t", handler=oracle, tool_type="intrinsic"),), "intrinsic"),
        ((ToolSpec(name="t", handler=oracle, input_schema={"type": "nonsense"}),), "input_schema"),
        ((ToolSpec(name="t", handler=oracle, output_schema={"type": 7}),), "output_schema"),
        ((ToolSpec(name="t", handler=oracle, input_schema=REMOTE),), "/properties/x"),
        (
            (
                ToolSpec(
                    name="t",
                    handler=oracle,
                    input_schema={"type": "object", "properties": {"path": {"type": "string"}}},
                    path_access="current_project",
                    path_arguments=("/pahts",),
                ),
            ),
            "/pahts",
        ),
    ],
)
def test_what_does_not_hold_is_refused_and_nothing_is_registered(
    registry: ToolRegistry, arguments: Any, told: str
) -> None:
    with pytest.raises(RegistrationError, match=told) as raised:
        registry.register(*arguments)
    first = arguments[0]
    named = {"oracle": "local/oracle", "no name": "no name"}.get(first, "") if isinstance(first, str) else "local/t"
    assert raised.value.tool_name in (named, "")
    assert raised.value.tool_name or told in ("no tool",)
    assert registry.list_tools() == []


def test_an_inline_tool_that_is_checkpointed_is_refused(registry: ToolRegistry) -> None:
    """Nothing takes a checkpoint on the inline way, so the promise to undo would be broken."""
    spec = ToolSpec(
        name="t",
        handler=oracle,
        checkpoint=lambda arguments, context: {},
        restore=lambda token, context: None,
        capabilities=ToolCapability(checkpointable=True),
        execution=Execution(inline=True),
    )
    with pytest.raises(RegistrationError, match="checkpointable"):
        registry.register(spec)


@pytest.mark.requirement("contract.hosted-source")
def test_a_hosted_tool_registers_without_a_handler_is_listed_in_no_run_and_refused(registry: ToolRegistry) -> None:
    from licet.errors import HostedToolError

    spec = registry.register(ToolSpec(name="search", source="hosted", capabilities=ToolCapability(read_only=True)))
    assert registry.get("search") is spec
    for mode in ("read_only", "workspace_write", "danger_full_access"):
        who = principal_of("a", granting("search", mode=mode))
        assert registry.runtime.tools_for(who) == []
        with pytest.raises(HostedToolError):
            registry.call("a", granting("search", mode=mode), "search", {})


def test_the_style_is_chosen_by_the_call(registry: ToolRegistry) -> None:
    @tool(read_only=True, name="by_decorator")
    def decorated(n: int) -> dict[str, int]:
        """Give n back."""
        return {"n": n}

    specs = [
        registry.register("by_triple", "A triple.", oracle),
        registry.register(ToolSpec(name="by_spec", handler=oracle, description="A spec.")),
        registry.register(Tool(ToolSpec(name="by_tool", description="A tool."), FakeTransport({"ok": 1}))),
        registry.register(decorated),
    ]
    assert [spec.description for spec in specs] == ["A triple.", "A spec.", "A tool.", "Give n back."]
    for spec in registry.list_tools():
        assert spec.handler is spec.checkpoint is spec.restore is None, "nothing handed out holds code"
    assert registry.call("a", granting("by_decorator"), "by_decorator", {"n": 3}) == {"n": 3}
    assert registry.call("a", granting("by_tool"), "by_tool") == {"ok": 1}


def test_functions_of_every_shape_are_called_as_what_they_are(registry: ToolRegistry) -> None:
    class Callable_:  # noqa: N801
        def __call__(self, **_: Any) -> dict[str, str]:
            return {"is": "object"}

    class AsyncCallable:
        async def __call__(self, **_: Any) -> dict[str, str]:
            await asyncio.sleep(0)
            return {"is": "async object"}

    async def coroutine(**_: Any) -> dict[str, str]:
        await asyncio.sleep(0)
        return {"is": "coroutine"}

    @functools.wraps(coroutine)
    def runs_it_itself(**params: Any) -> dict[str, str]:
        return asyncio.run(coroutine(**params))

    @functools.wraps(coroutine)
    def hands_it_on(**params: Any) -> Any:
        return coroutine(**params)

    shapes: dict[str, tuple[Any, str]] = {
        "object": (Callable_(), "object"),
        "async_object": (AsyncCallable(), "async object"),
        "coroutine": (coroutine, "coroutine"),
        "partial": (functools.partial(coroutine, x=1), "coroutine"),
        "hands_it_on": (hands_it_on, "coroutine"),
        "runs_it_itself": (runs_it_itself, "coroutine"),
        "method": (Callable_().__call__, "object"),
    }
    for name, (function, answer) in shapes.items():
        registry.register(name, "", function)
        assert registry.call("a", granting(name), name) == {"is": answer}, name
