"""A scenario as facts: who plays, from which beginning, and how much of everything at most."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ..errors import ConfigurationError
from .agent import whole
from .near import nearest
from .place import quoted
from .shape import Problem, problems
from .yaml_file import Document, read

SCHEMA = "scenario.schema.json"
FOLDER = "config/scenarios"
AGENTS = "config/agents"


@dataclass(frozen=True, slots=True, kw_only=True)
class Governor:
    """What a run uses at most: turns of all agents, calls of tools in one turn and in all, tokens in all."""

    max_turns: int
    max_calls_per_turn: int
    max_total_calls: int
    max_total_tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """``cast`` are names of manifests, in the order of their turns."""

    name: str
    title: str
    goal: str
    default_seed: str
    example_seeds: tuple[str, ...]
    cast: tuple[str, ...]
    genesis_text: str
    governor: Governor
    source: Document = field(repr=False, compare=False)


class ScenarioReading(NamedTuple):
    """What a file says, and all that is wrong with it: what is there by line, then what is missing.

    ``scenario`` is None where something is wrong.
    """

    scenario: Scenario | None
    source: Document
    problems: tuple[Problem, ...]


def load(content: bytes, name: str, *, stem: str, agents: Iterable[str]) -> Scenario:
    """The scenario of a file, which messages call ``name``.

    Raises:
        ConfigurationError: it says what it may not, or its cast names nobody of ``agents``; with file, line and key.
    """
    found = reading(content, name, stem=stem, agents=agents)
    if found.scenario is None:
        place, text = found.problems[0]
        more = f" (and {len(found.problems) - 1} more: licet check lists them)" if len(found.problems) > 1 else ""
        raise ConfigurationError(found.source.told(place, text) + more)
    return found.scenario


def reading(content: bytes, name: str, *, stem: str, agents: Iterable[str]) -> ScenarioReading:
    """The same with every problem. ``stem`` is what the file is called without its ending.

    Raises:
        ConfigurationError: it is no strict YAML (``NotRead``, with its line).
    """
    source = read(content, name)
    wrong = problems(source.value, SCHEMA) or list(_contradictions(source.value, stem, list(agents)))
    wrong.sort(key=lambda problem: (problem.is_absence, source.line(problem.place)))
    return ScenarioReading(None if wrong else _scenario(source), source, tuple(wrong))


def _contradictions(value: Mapping[str, Any], stem: str, agents: list[str]) -> Iterable[Problem]:
    if value["name"] != stem:
        text = f"the scenario is called {quoted(value['name'])} and its file {quoted(stem)}; give both one name"
        yield Problem(("name",), text)
    for at, member in enumerate(value["cast"]):
        if member not in agents:
            near = nearest(member, agents)
            instead = f"did you mean {near}?" if near else f"write {AGENTS}/{member}.yaml, or drop it"
            yield Problem(("cast", at), f"there is no agent {quoted(member)}; {instead}")


def _scenario(source: Document) -> Scenario:
    value = source.value
    return Scenario(
        name=value["name"],
        title=value.get("title") or value["name"],
        goal=value["goal"],
        default_seed=value["default_seed"],
        example_seeds=tuple(value.get("example_seeds") or ()),
        cast=tuple(value["cast"]),
        genesis_text=value["genesis_text"],
        governor=Governor(**{name: whole(limit) for name, limit in value["governor"].items()}),
        source=source,
    )


__all__ = ["AGENTS", "FOLDER", "SCHEMA", "Governor", "Scenario", "ScenarioReading", "load", "reading"]
