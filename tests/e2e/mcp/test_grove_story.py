"""The scenario of the grove in this process, over standard input and output, and over HTTP: one story for one seed."""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import orjson
import pytest
from grove import oracle_over_http

from licet.agents.cast.models import model_named
from licet.agents.scenario.gather import Gathered, gather
from licet.agents.scenario.play import play
from licet.bundles.grove.oracle import oracle
from licet.doors.mcp import MCPResolver, MCPToolClient, default_tool_registry
from licet.doors.mcp.environment import oracle_server
from licet.doors.registry import ToolRegistry
from licet.ledger.memory import MemoryLedger
from licet.model.server import ServerSpec
from licet.model.tool import ModelTool
from licet.ports import Message, Model
from licet.project.manifest import Manifest
from licet.project.shelf import Shelf

SEEDS = [f"seed {number}" for number in range(97)] + ["", "🙂 \0 <<data", "x" * 999]
SECRET = b"sixteen bytes or more"
AT_ONCE = 25
PATIENCE_S = 120.0


class Listening:
    """A model that keeps what it was asked."""

    def __init__(self, model: Model, prompts: list[str]) -> None:
        self.name = model.name
        self._model = model
        self._prompts = prompts

    async def respond(self, conversation: Sequence[Message], tools: Sequence[ModelTool], /) -> Message:
        self._prompts += [message.text for message in conversation]
        self._prompts += [f"{tool.name} {tool.description} {dict(tool.input_schema)}" for tool in tools]
        return await self._model.respond(conversation, tools)


@pytest.fixture(scope="module")
def grove(tmp_path_factory: pytest.TempPathFactory) -> Gathered:
    empty = tmp_path_factory.mktemp("empty")
    return gather("oracle-grove", Shelf(empty, empty / "state"))


@contextmanager
def registry_over(transport: str) -> Iterator[ToolRegistry]:
    with default_tool_registry({}, ledger=MemoryLedger(1_000_000)) as here:
        if transport == "in process":
            yield here
            return
    with ToolRegistry(ledger=MemoryLedger(1_000_000)) as registry:
        if transport == "stdio":
            registry.set_resolver(MCPResolver([MCPToolClient(oracle_server())]), owned=True)
            yield registry
        else:
            with oracle_over_http() as url, MCPToolClient(ServerSpec(id="server1", url=url)) as client:
                registry.set_resolver(MCPResolver([client]))
                yield registry


async def story(grove: Gathered, registry: ToolRegistry, number: int, seed: str) -> Any:
    """Every prompt, and every entry of the run but for when and how it came about."""
    prompts: list[str] = []

    def model(manifest: Manifest) -> Model:
        return Listening(model_named(manifest), prompts)

    run_id = f"story-{number}"
    done = await play(*grove, registry, seed=seed, run_id=run_id, secret=SECRET, model=model)
    assert (done.stop, done.failed, done.events) == ("max_turns", (), 8)
    entries = registry.runtime.ledger.entries(run_id)
    return prompts, [(entry.kind, entry.actor, entry.body, entry.digest) for entry in entries]


def told(grove: Gathered, transport: str, seeds: Sequence[str] = SEEDS) -> tuple[list[Any], set[str]]:
    async def stories(registry: ToolRegistry) -> list[Any]:
        found: list[Any] = []
        async with asyncio.timeout(PATIENCE_S):
            for first in range(0, len(seeds), AT_ONCE):
                some = enumerate(seeds[first : first + AT_ONCE], first)
                found += await asyncio.gather(*(story(grove, registry, number, seed) for number, seed in some))
        return found

    with registry_over(transport) as registry:
        found = asyncio.run(stories(registry))
        ways = {orjson.loads(e.trace)["via"] for e in registry.runtime.ledger.entries() if e.kind == "tool.completed"}
        return found, ways


@pytest.fixture(scope="module")
def in_process(grove: Gathered) -> list[Any]:
    found, ways = told(grove, "in process")
    assert ways == {"in_process"}
    return found


@pytest.mark.requirement("grove.same-ledger-over-mcp")
@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_a_hundred_seeds_give_the_same_prompts_and_entries_over_every_transport(
    grove: Gathered, in_process: list[Any], transport: str
) -> None:
    assert len(set(SEEDS)) == 100
    there, ways = told(grove, transport)
    assert ways == {f"mcp_{transport}"}
    assert there == in_process


def test_another_seed_gives_other_prompts_and_other_events(grove: Gathered, in_process: list[Any]) -> None:
    events = [tuple(entry[3] for entry in entries if "." in entry[0]) for _, entries in in_process]
    assert len(set(events)) == 100
    assert len({tuple(prompts) for prompts, _ in in_process}) == 100
    (again,), _ = told(grove, "in process", ["another"])
    assert again[0] != in_process[0][0]
    assert [entry[3] for entry in again[1]] != [entry[3] for entry in in_process[0][1]]


def test_the_same_seed_gives_the_same_story_in_another_registry(grove: Gathered, in_process: list[Any]) -> None:
    assert told(grove, "in process")[0] == in_process


@pytest.mark.requirement("grove.omen-on-ledger", "grove.omen-in-prompt")
def test_the_omen_is_the_tools_in_the_prompt_and_on_the_event(in_process: list[Any]) -> None:
    for (prompts, entries), seed in zip(in_process, SEEDS, strict=True):
        spoken = [orjson.loads(body) for kind, actor, body, _ in entries if (kind, actor) == SPOKE]
        assert [event["omen"] for event in spoken] == [oracle(f"{seed} {turn}")["omen"] for turn in (1, 3, 5, 7)]
        kinds = [kind for kind, *_ in entries]
        assert kinds[1:5] == ["tool.requested", "tool.completed", "oracle.spoke", "world.observed"]
        tellers = [prompt for prompt in prompts if prompt.startswith("You are fortune-teller")]
        assert all(event["omen"] in prompt for event, prompt in zip(spoken, tellers, strict=True))


SPOKE = ("oracle.spoke", "fortune-teller")


def test_a_project_without_files_of_its_own_plays_what_comes_with_licet(grove: Gathered) -> None:
    assert [manifest.name for manifest in grove.cast] == ["fortune-teller", "scene-whisperer"]
    assert grove.scenario.source.name == "licet/config/scenarios/oracle-grove.yaml"
    assert Path(grove.cast[0].source.name).name == "fortune-teller.yaml"  # type: ignore[union-attr]
