"""An agent of a manifest calls through the registry under its own grants, and emits what its manifest lists."""

import gc
from collections.abc import Iterable
from typing import Any

import orjson
import pytest
from manifests import TELLER, WHISPERER, manifest

from licet import CapabilityViolation, GrantSet, Principal, ToolRegistry, ToolSpec, default_tool_registry, tool
from licet.agents import Event, GrantRules, ManifestAgent, Scene
from licet.agents.cast.handlers import HANDLERS, register_handler
from licet.errors import (
    ConfigurationError,
    EmissionViolation,
    InvalidArgumentsError,
    LimitExceededError,
    RuleViolation,
    UnknownToolError,
)
from licet.testing import FakeTransport, RecordingLedger, fake_tool


def spied(name: str = "oracle", answer: Any = None, **spec: Any) -> tuple[ToolRegistry, FakeTransport]:
    """A registry with one tool, whose transport remembers what it saw."""
    made, transport = fake_tool(name, answer or {"omen": "rain"}, **spec)
    registry = ToolRegistry(ledger=RecordingLedger())
    registry.register(made)
    return registry, transport


def entries(registry: ToolRegistry) -> list[tuple[str, str, Any]]:
    return [(entry.kind, entry.actor, orjson.loads(entry.body)) for entry in registry.runtime.ledger.entries()]


# --- calls ---


@pytest.mark.requirement("agent.call-tool")
def test_an_agent_calls_through_the_registry_under_its_own_manifest() -> None:
    registry, transport = spied()
    with registry, ManifestAgent(manifest(TELLER), registry) as agent:
        assert agent.call_tool("oracle", seed="red") == {"omen": "rain"}
        assert transport.calls == [{"seed": "red"}]
        requested, completed = entries(registry)
    assert (requested[0], completed[0]) == ("tool.requested", "tool.completed")
    assert (requested[1], requested[2]["tool"]) == ("fortune-teller", "local/oracle")


@pytest.mark.requirement("agent.call-tool")
async def test_the_first_parameter_is_positional_so_that_a_tool_may_have_one_called_name() -> None:
    registry, transport = spied("greet", {"said": "hello"})
    with registry, ManifestAgent(manifest("tools: [greet]"), registry) as agent:
        agent.call_tool("greet", name="Ada", self="x")
        await agent.call_tool_async("greet", name="Bo", self="y")
        with pytest.raises(TypeError):
            agent.call_tool(name="greet")  # type: ignore[call-arg]
    assert transport.calls == [{"name": "Ada", "self": "x"}, {"name": "Bo", "self": "y"}]


@pytest.mark.requirement("agent.call-tool")
def test_an_agent_holds_no_tool() -> None:
    def oracle(seed: str) -> dict[str, str]:
        return {"omen": seed}

    with default_tool_registry({}) as registry, ManifestAgent(manifest("tools: [mine]"), registry) as agent:
        registry.register("mine", "Mine.", oracle)
        agent.call_tool("mine", seed="x")
        held = [value for value in vars(agent).values() if value is not registry]
        assert oracle not in [*held, *(part for one in held for part in gc.get_referents(one))]
        assert not any(isinstance(one, ToolSpec) for one in held)


@pytest.mark.requirement("grove.whisperer-has-no-grant")
async def test_a_call_without_a_grant_is_a_violation_on_the_ledger_and_touches_no_transport() -> None:
    registry, transport = spied()
    with registry, ManifestAgent(manifest(WHISPERER), registry) as agent:
        with pytest.raises(CapabilityViolation):
            agent.call_tool("oracle", seed="red")
        with pytest.raises(CapabilityViolation):
            await agent.call_tool_async("oracle", seed="red")
        with pytest.raises(CapabilityViolation):
            agent.call_tool("no-such-tool")
        refused = entries(registry)
    assert transport.calls == []
    assert [(kind, actor, body["code"]) for kind, actor, body in refused] == [
        ("tool.refused", "scene-whisperer", "not_granted")
    ] * 3


def test_errors_of_a_call_are_those_of_the_registry() -> None:
    with default_tool_registry({}) as registry:
        with ManifestAgent(manifest(TELLER), registry) as agent, pytest.raises(InvalidArgumentsError):
            agent.call_tool("oracle", seed=7)
        with ManifestAgent(manifest("tools: [gone]"), registry) as agent, pytest.raises(UnknownToolError):
            agent.call_tool("gone")
        with pytest.raises(KeyError):
            ManifestAgent(manifest("tools: [gone]"), registry).call_tool("gone")


async def test_calls_of_one_agent_are_one_run_and_its_budget_is_the_manifests() -> None:
    registry, transport = spied()
    held = manifest("tools: [oracle]\nmax_calls: 2")
    with registry, ManifestAgent(held, registry, run_id="night") as agent:
        agent.call_tool("oracle")
        async with agent.run.turn():
            await agent.call_tool_async("oracle")
            with pytest.raises(LimitExceededError):
                await agent.call_tool_async("oracle")
        assert {entry.run_id for entry in registry.runtime.ledger.entries()} == {"night"}
    assert len(transport.calls) == 2


def test_a_call_without_an_open_turn_is_a_turn_of_its_own_and_call_ids_are_those_that_were_injected() -> None:
    registry, _ = spied()
    with registry, ManifestAgent(manifest(TELLER), registry, run_id="night", prefix="call") as agent:
        agent.call_tool("oracle")
        agent.call_tool("oracle")
        assert agent.run.turn_now is None
        assert [body["call"] for kind, _, body in entries(registry) if kind == "tool.requested"] == ["call.1", "call.2"]


def test_a_run_of_somebody_else_is_refused() -> None:
    registry, _ = spied()
    with registry:
        run = registry.begin(Principal("alice", grants=["oracle"], mode="workspace_write"))
        with pytest.raises(ConfigurationError, match="the run is 'alice''s"):
            ManifestAgent(manifest(TELLER), registry, run=run)


# --- grants ---


def test_rules_of_a_grant_hold_for_its_own_agent_and_are_never_lost() -> None:
    bound = manifest("name: bound\ntools: [{oracle: {seed: {one_of: [red]}}}]")
    free = manifest("name: free\ntools: [oracle]")
    plain, transport = spied()
    with (
        plain,
        pytest.raises(ConfigurationError, match=r"bound.yaml:2: tools: its grants have rules"),
    ):
        ManifestAgent(bound, plain)
    with default_tool_registry({}, checks=[GrantRules(bound, free)]) as registry:
        assert ManifestAgent(bound, registry).call_tool("oracle", seed="red")
        with pytest.raises(RuleViolation, match="has to be one of"):
            ManifestAgent(bound, registry).call_tool("oracle", seed="blue")
        assert ManifestAgent(free, registry).call_tool("oracle", seed="blue")
    other = manifest("name: bound\ntools: [{oracle: {seed: {one_of: [blue]}}}]")
    with default_tool_registry({}, checks=[GrantRules(other)]) as registry, pytest.raises(ConfigurationError):
        ManifestAgent(bound, registry)
    assert transport.calls == []


def test_groups_expand_when_the_run_begins() -> None:
    registry, _ = spied(group="sight")
    with registry, ManifestAgent(manifest("groups: [sight]"), registry) as agent:
        late, transport = fake_tool("late", group="sight")
        registry.register(late)
        agent.call_tool("oracle")
        with pytest.raises(CapabilityViolation):
            agent.call_tool("late")
        kinds = [kind for kind, _, _ in entries(registry)]
    assert (kinds[0], transport.calls) == ("grant.expanded", [])
    assert agent.manifest.tools == (GrantSet.group("sight"),)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("tools: [oracle, orcale]", 'someone.yaml:2: tools[1]: there is no tool "orcale"; did you mean oracle?'),
        ("tools: [mcp/x.y]", 'someone.yaml:2: tools[0]: there is no tool "mcp/x.y"; register it first'),
        ("groups: [sight, intrinsics]", 'someone.yaml:2: groups[1]: no registered tool is in "intrinsics"'),
        ("roots: [tests, no/where]", 'someone.yaml:2: roots[1]: "no/where" is no folder here'),
        ("globs: [mcp/git.*]", 'someone.yaml:2: globs[0]: no registered tool is in "mcp/git.*"'),
    ],
)
async def test_a_grant_of_what_there_is_not_is_refused_where_the_registry_is_known(text: str, problem: str) -> None:
    registry, transport = spied(group="sight")
    with registry, ManifestAgent(manifest(text), registry) as agent:
        with pytest.raises(ConfigurationError) as refused:
            agent.check()
        assert problem in str(refused.value)
        if text.startswith("tools"):
            with pytest.raises(ConfigurationError, match="there is no tool"):
                await agent.prompt(Scene())
    assert transport.calls == []


def test_grants_of_what_there_is_pass() -> None:
    registry, _ = spied(group="sight")
    with registry, ManifestAgent(manifest("tools: [oracle]\ngroups: [sight]"), registry) as agent:
        agent.check()


# --- events ---


def emits(*events: Event) -> Any:
    async def handler(agent: ManifestAgent, scene: Scene, /) -> Iterable[Event]:
        return events

    return handler


async def test_events_leave_in_the_agents_own_name_with_payloads_that_nobody_else_holds() -> None:
    mine: dict[str, Any] = {"words": ["a"]}
    with ToolRegistry() as registry:
        held = manifest(WHISPERER)
        agent = ManifestAgent(held, registry, handler=emits(Event("world.observed", mine, actor="somebody-else")))
        [event] = await agent.act(Scene())
    mine["words"].append("b")
    assert event == Event("world.observed", {"words": ["a"]}, "scene-whisperer")


@pytest.mark.parametrize("kind", ["oracle.spoke", "world.observed.twice", "tool.completed", "", "world.*"])
async def test_an_event_that_the_manifest_does_not_list_is_refused_and_none_leaves(kind: str) -> None:
    with ToolRegistry(ledger=RecordingLedger()) as registry:
        handler = emits(Event("world.observed", {}), Event(kind, {}))
        with pytest.raises(EmissionViolation, match=r"may emit world.observed, and not"):
            await ManifestAgent(manifest(WHISPERER), registry, handler=handler).act(Scene())
        assert list(registry.runtime.ledger.entries()) == []


@pytest.mark.parametrize(
    "payload", [{"x": float("nan")}, {1: 2}, {"x": object()}, ["x"], "x", None, {"x": "\ud800"}, {"x": "y" * 70_000}]
)
async def test_a_payload_that_is_no_small_json_object_is_refused(payload: Any) -> None:
    with ToolRegistry() as registry:
        agent = ManifestAgent(manifest(WHISPERER), registry, handler=emits(Event("world.observed", payload)))
        with pytest.raises(EmissionViolation, match=r"the payload of world\.observed of 'scene-whisperer'"):
            await agent.act(Scene())


# --- handlers ---


async def test_a_handler_is_found_by_its_name_and_a_class_gives_each_agent_an_object_of_its_own() -> None:
    class Counts:
        def __init__(self) -> None:
            self.turns = 0

        async def __call__(self, agent: ManifestAgent, scene: Scene, /) -> Iterable[Event]:
            self.turns += 1
            return [Event("turn.counted", {"turns": self.turns})]

    register_handler("counts-for-this-test", Counts)
    with pytest.raises(ConfigurationError, match="there is a handler 'counts-for-this-test' already"):
        register_handler("counts-for-this-test", Counts)
    with pytest.raises(ConfigurationError, match="no handler"):
        register_handler("another", 7)  # type: ignore[arg-type]
    assert "another" not in HANDLERS
    held = manifest("handler: counts-for-this-test\nmay_emit: [turn.counted]")
    with ToolRegistry() as registry:
        one, other = ManifestAgent(held, registry), ManifestAgent(held, registry)
        for agent, turns in ((one, 1), (one, 2), (other, 1)):
            assert [event.payload for event in await agent.act(Scene())] == [{"turns": turns}]
        with pytest.raises(ConfigurationError, match=r"someone.yaml:2: handler: there is no handler"):
            ManifestAgent(held, registry, handlers={})


async def test_who_may_emit_nothing_is_silent_and_asks_no_model() -> None:
    class Never:
        name = "never"

        async def respond(self, conversation: Any, tools: Any, /) -> Any:
            raise AssertionError("nobody asked for words")

    with ToolRegistry() as registry:
        assert await ManifestAgent(manifest("role: observer"), registry, model=Never()).act(Scene()) == []


async def test_a_tool_that_only_reads_is_called_on_an_inline_path_too() -> None:
    @tool(read_only=True, inline=True)
    def look() -> dict[str, str]:
        """Look."""
        return {"seen": "moss"}

    with ToolRegistry() as registry, ManifestAgent(manifest("tools: [look]"), registry) as agent:
        registry.register(look)
        assert agent.call_tool("look") == await agent.call_tool_async("look") == {"seen": "moss"}


def test_every_public_name_is_there() -> None:
    import licet.agents

    assert all(getattr(licet.agents, name) is not None for name in licet.agents.__all__)
    assert set(licet.agents.__all__) <= set(dir(licet.agents))
    with pytest.raises(AttributeError, match="no attribute 'Agency'"):
        licet.agents.Agency  # noqa: B018
