"""Every public entry of an agent is walked: no handler of a tool is reached but through dispatch, under its grants."""

import asyncio
import inspect
from collections.abc import Callable
from typing import Any

import pytest
from test_every_door_is_the_corridor import ASKS, NAMES, PLAIN, Reached, assert_through_dispatch, public

from doubles import Says, Script
from licet import CapabilityViolation, ToolRegistry
from licet.agents import Event, ManifestAgent, Scene
from licet.errors import ApprovalDeniedError
from licet.model.call import Request
from licet.ports import Message
from licet.project.agent import Agent, Grant
from licet.project.manifest import Manifest
from licet.testing import RecordingLedger


def manifest(*grants: str) -> Manifest:
    agent = Agent(name="walker", mode="workspace_write", tools=tuple(Grant(f"local/{name}") for name in grants))
    return Manifest(agent=agent, may_emit=("a.b",))


def asking(name: str) -> Script:
    return Script(Message("assistant", calls=(Request(name),)), Message("assistant", "done"))


async def handler(agent: ManifestAgent, scene: Scene, /) -> list[Event]:
    return [Event("a.b", await agent.call_tool_async(scene.goal))]


Walk = Callable[[ManifestAgent, str], Any]

WALKS: dict[str, Walk] = {
    "call_tool": lambda agent, name: agent.call_tool(name),
    "call_tool_async": lambda agent, name: agent.call_tool_async(name),
    "result_of": lambda agent, name: agent.result_of(name, {}),
    "act": lambda agent, name: agent.act(Scene(name)),
    "say": lambda agent, name: agent.say("go"),
    "run": lambda agent, name: agent.run.call(name),
}
HARMLESS = {
    "manifest",
    "registry",
    "handler",
    "model",
    "drive",
    "scope",
    "handlers",
    "name",
    "check",
    "prompt",
    "close",
}


def walked(walk: Walk, agent: ManifestAgent, name: str) -> Any:
    made = walk(agent, name)
    return asyncio.run(made) if inspect.iscoroutine(made) else made


def test_every_public_name_of_an_agent_is_walked_or_known_to_be_harmless() -> None:
    with ToolRegistry() as registry, ManifestAgent(manifest(), registry) as agent:
        assert public(ManifestAgent, agent) == {*WALKS} | HARMLESS


@pytest.mark.requirement("capability.enforced")
@pytest.mark.parametrize("entry", sorted(WALKS))
@pytest.mark.parametrize("granted", [True, False])
def test_an_entry_reaches_handlers_only_through_dispatch_and_only_what_was_granted(entry: str, granted: bool) -> None:
    for name in NAMES:
        reached, ledger = Reached(), RecordingLedger()
        registry = ToolRegistry(ledger=ledger)
        for one in reached.tools(PLAIN):
            registry.register(one)
        resolver = reached.resolver()
        registry.set_resolver(resolver)
        held = manifest(*NAMES) if granted else manifest(*(other for other in NAMES if other != name))
        agent = ManifestAgent(held, registry, model=asking(name), handler=handler)
        if granted or entry in ("result_of", "say", "run"):
            walked(WALKS[entry], agent, name)
        else:
            with pytest.raises(CapabilityViolation):
                walked(WALKS[entry], agent, name)
        if granted:
            assert_through_dispatch(reached)
        else:
            assert reached.by == []
            assert {seen[0] for seen in resolver.seen} <= {"has"}, "other grants are looked for, to offer them"
            assert name not in [seen[1] for seen in resolver.seen]
        assert ledger.kinds == (["tool.requested", "tool.completed"] if granted else ["tool.refused"])
        registry.close()


@pytest.mark.requirement("capability.enforced")
@pytest.mark.parametrize("entry", sorted(WALKS))
@pytest.mark.parametrize("word", [None, False, True])
def test_an_entry_enforces_the_flags_with_and_without_an_approver(entry: str, word: bool | None) -> None:
    for name in NAMES[:-1]:
        reached = Reached()
        registry = ToolRegistry(approver=None if word is None else Says(word))
        for one in reached.tools(ASKS):
            registry.register(one)
        agent = ManifestAgent(manifest(name), registry, model=asking(name), handler=handler)
        if word or entry in ("result_of", "say", "run"):
            walked(WALKS[entry], agent, name)
        else:
            with pytest.raises(ApprovalDeniedError):
                walked(WALKS[entry], agent, name)
        assert bool(reached.by) is (word is True), name
        registry.close()


def test_what_is_harmless_reaches_no_handler() -> None:
    reached = Reached()
    with ToolRegistry(approver=Says(True)) as registry:
        for one in reached.tools(PLAIN):
            registry.register(one)
        resolver = reached.resolver()
        registry.set_resolver(resolver)
        agent = ManifestAgent(manifest(*NAMES), registry)
        agent.check()
        asyncio.run(agent.prompt(Scene()))
        agent.close()
    assert reached.by == []
    assert not [seen for seen in resolver.seen if seen[0] == "call"]
