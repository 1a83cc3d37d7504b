"""Scenarios and manifests for tests: as files would say them, played in this process."""

from collections.abc import Callable, Mapping
from typing import Any

import orjson

from licet import ToolRegistry
from licet.agents.cast.agent import ManifestAgent
from licet.agents.cast.handlers import HANDLERS
from licet.agents.cast.rules import GrantRules
from licet.agents.cast.scene import Scene
from licet.agents.scenario.play import Outcome, play
from licet.model.event import Event
from licet.project import manifest_file, scenario
from licet.project.manifest import Manifest
from licet.project.scenario import Scenario
from licet.testing import RecordingLedger

GOVERNOR = {"max_turns": 4, "max_calls_per_turn": 4, "max_total_calls": 8, "max_total_tokens": 100_000}

Act = Callable[[ManifestAgent, Scene], Any]


def scenario_of(*cast: str, **governor: int) -> Scenario:
    text = orjson.dumps(
        {
            "name": "play",
            "goal": "A goal.",
            "default_seed": "seed",
            "cast": cast,
            "genesis_text": "It begins.",
            "governor": {**GOVERNOR, **governor},
        }
    )
    return scenario.load(text, "config/scenarios/play.yaml", stem="play", agents=cast)


def agent(name: str, **keys: Any) -> Manifest:
    """A manifest whose handler has its own name, if a test gives one."""
    text = orjson.dumps({"name": name, "handler": keys.pop("handler", name), **keys})
    handlers = [*HANDLERS, name]
    return manifest_file.load(text, f"config/agents/{name}.yaml", stem=name, handlers=handlers)


def says(kind: str, **payload: Any) -> Act:
    """A handler that emits one event."""

    async def handler(agent: ManifestAgent, scene: Scene, /) -> list[Event]:
        return [Event(kind, {"turn": scene.turn, **payload})]

    return handler


class Stage:
    """A registry on a recording ledger, and what came onto it."""

    def __init__(self, *cast: Manifest) -> None:
        self.cast = cast
        self.ledger = RecordingLedger()
        self.registry = ToolRegistry(ledger=self.ledger, checks=[GrantRules(*cast)])

    async def play(self, handlers: Mapping[str, Act], *, run_id: str = "play-1", **options: Any) -> Outcome:
        governor = {name: options.pop(name) for name in GOVERNOR if name in options}
        played = scenario_of(*(manifest.name for manifest in self.cast), **governor)
        return await play(played, self.cast, self.registry, run_id=run_id, handlers={**HANDLERS, **handlers}, **options)

    def told(self, *kinds: str) -> list[tuple[str, str, Any]]:
        """Kind, actor and body of each entry, or of those of some kinds."""
        entries = [(entry.kind, entry.actor, orjson.loads(entry.body)) for entry in self.ledger.entries()]
        return [entry for entry in entries if not kinds or entry[0] in kinds]

    def close(self) -> None:
        self.registry.close()
