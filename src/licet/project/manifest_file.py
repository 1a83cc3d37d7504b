"""Reads a manifest, as strictly as ``licet.yaml`` and in the same words."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import ConfigurationError
from ..model.event import problem_of_kind
from ..providers.named import is_provided, told
from .agent import Agent, agent, whole
from .manifest import GENERIC, OFFLINE, Manifest, Memory, Schedule
from .near import nearest
from .place import Place, quoted
from .shape import SCHEMA, Problem, problems
from .yaml_file import Document, read

DEFINITION = f"{SCHEMA}#manifest"
"""The definition in the published schema."""

MODE = "workspace_write"
"""Of a manifest that says none: its grants alone decide, and without roots it reaches no path."""

_OF_AN_ENTRY = ("globs", "groups", "max_calls", "mode", "names", "profile", "roots", "tools")


class ManifestReading(NamedTuple):
    """What a file says and all that is wrong with it, by line. ``manifest`` is None where something is."""

    manifest: Manifest | None
    source: Document
    problems: tuple[Problem, ...]


def load(
    content: bytes,
    name: str,
    *,
    stem: str,
    handlers: Iterable[str],
    models: Iterable[str] = (OFFLINE,),
    elsewhere: Mapping[str, Agent] | None = None,
    folder: Path = Path(),
) -> Manifest:
    """The manifest of a file, which messages call ``name``.

    ``stem`` is what the file is called without its ending, ``handlers`` and ``models`` are the names that there are
    beside those of providers, ``elsewhere`` the agents of ``licet.yaml``, ``folder`` what relative roots start from.

    Raises:
        ConfigurationError: it says what it may not; with file, line and key.
    """
    found = reading(content, name, stem=stem, handlers=handlers, models=models, elsewhere=elsewhere, folder=folder)
    if found.manifest is None:
        place, text = found.problems[0]
        more = f" (and {len(found.problems) - 1} more: licet check lists them)" if len(found.problems) > 1 else ""
        raise ConfigurationError(found.source.told(place, text) + more)
    return found.manifest


def reading(
    content: bytes,
    name: str,
    *,
    stem: str,
    handlers: Iterable[str],
    models: Iterable[str] = (OFFLINE,),
    elsewhere: Mapping[str, Agent] | None = None,
    folder: Path = Path(),
) -> ManifestReading:
    """The same with every problem.

    Raises:
        ConfigurationError: it is no strict YAML (``NotRead``, with its line).
    """
    source = read(content, name)
    wrong = problems(source.value, DEFINITION)
    manifest: Manifest | None = None
    if not wrong:
        manifest = _manifest(source, folder, wrong)
        wrong += _name(manifest, stem, elsewhere or {})
        wrong += _reach(manifest)
        wrong += _kinds("subscribes_to", manifest.subscribes_to)
        wrong += _kinds("may_emit", manifest.may_emit)
        wrong += _among("handler", manifest.handler, handlers)
        wrong += () if is_provided(manifest.model) else _among("model", manifest.model, (*models, *told()))
    wrong.sort(key=lambda problem: source.line(problem.place))
    return ManifestReading(None if wrong else manifest, source, tuple(wrong))


def _manifest(source: Document, folder: Path, wrong: list[Problem]) -> Manifest:
    value: Mapping[str, Any] = source.value
    entry = {key: value[key] for key in _OF_AN_ENTRY if key in value}
    entry.setdefault("mode", MODE)

    def tell(place: Place, text: str) -> None:
        wrong.append(Problem(place, text))

    held = agent(value["name"], entry, line=source.line(("name",)), tell=tell, place=())
    schedule = {key: whole(said) for key, said in (value.get("schedule") or {}).items()}
    memory = {key: whole(said) for key, said in (value.get("memory") or {}).items()}
    return Manifest(
        agent=held,
        role=value.get("role", "worker"),
        persona=(value.get("persona") or "").strip(),
        handler=value.get("handler", GENERIC),
        subscribes_to=tuple(value.get("subscribes_to") or ()),
        may_emit=tuple(value.get("may_emit") or ()),
        schedule=Schedule(**schedule),
        memory=Memory(**memory),
        model=value.get("model", OFFLINE),
        folder=folder,
        source=source,
    )


def _name(manifest: Manifest, stem: str, elsewhere: Mapping[str, Agent]) -> Iterator[Problem]:
    if manifest.name != stem:
        text = f"the agent is called {quoted(manifest.name)} and its file {quoted(stem)}; give both one name"
        yield Problem(("name",), text)
    other = elsewhere.get(manifest.name)
    if other is not None:
        text = f"licet.yaml has an agent {quoted(manifest.name)} on line {other.line} already; keep one of the two"
        yield Problem(("name",), text)


def _reach(manifest: Manifest) -> Iterator[Problem]:
    for at, pattern in enumerate(manifest.agent.globs):
        plugin, _, rest = pattern.partition("/")
        if not plugin.strip("*?") or not rest.strip("*?."):
            text = f"{quoted(pattern)} grants whatever there is; name a server, such as mcp/git.*, or the tools"
            yield Problem(("globs", at), text)


def _kinds(key: str, kinds: Iterable[str]) -> Iterator[Problem]:
    seen: set[str] = set()
    for at, kind in enumerate(kinds):
        problem = problem_of_kind(kind)
        if problem:
            yield Problem((key, at), f"{quoted(kind)} {problem}")
        elif kind in seen:
            yield Problem((key, at), f"{quoted(kind)} stands there twice; drop one")
        seen.add(kind)


def _among(key: str, name: str, known: Iterable[str]) -> Iterator[Problem]:
    names = sorted(known)
    if name in names:
        return
    near = nearest(name, names)
    instead = f"did you mean {near}?" if near else f"use one of {', '.join(names)}"
    yield Problem((key,), f"there is no {key} {quoted(name)}; {instead}")


__all__ = ["DEFINITION", "MODE", "ManifestReading", "load", "reading"]
