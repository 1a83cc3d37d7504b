"""A scenario and its cast, from the files of a project and those that come with licet."""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from ...errors import ConfigurationError
from ...project import scenario
from ...project.manifest import FOLDER as AGENTS
from ...project.manifest import Manifest
from ...project.near import nearest
from ...project.place import quoted
from ...project.scenario import FOLDER as SCENARIOS
from ...project.scenario import Scenario
from ...project.shelf import ENDING, Shelf
from ...project.task_holder import refuse_idle
from ..cast.casting import manifests
from ..cast.handlers import HANDLERS
from ..cast.models import MODELS


class Gathered(NamedTuple):
    """What can be played; it unpacks into the first two arguments of ``play``."""

    scenario: Scenario
    cast: tuple[Manifest, ...]


def gather(
    name: str,
    shelf: Shelf,
    *,
    handlers: Iterable[str] = HANDLERS,
    models: Iterable[str] = MODELS,
    folder: Path | None = None,
) -> Gathered:
    """The scenario of this name and the manifests of its cast.

    ``handlers`` and ``models`` are the names that manifests may ask for. ``folder`` is what relative roots start from,
    if not the project's own folder.

    Raises:
        ConfigurationError: there is no such scenario, a file of the project is not trusted, a file says what it may
            not, or a worker of the cast would have no task; with file, line and key.
    """
    held = shelf.read(f"{SCENARIOS}/{name}{ENDING}")
    if held is None:
        known = shelf.names(SCENARIOS)
        near = nearest(name, known)
        instead = f"did you mean {near}?" if near else f"there are {', '.join(known)}"
        raise ConfigurationError(f"there is no scenario {quoted(name)}; {instead}")
    found = scenario.load(held.content, held.name, stem=name, agents=shelf.names(AGENTS))
    cast = tuple(manifests(found.cast, shelf, handlers=handlers, models=models, folder=folder))
    refuse_idle(cast)
    return Gathered(found, cast)


def place_of(path: str) -> tuple[Path, str]:
    """The project's folder and the scenario's name that the path of a file stands for.

    Raises:
        ConfigurationError: there is no such file, or it is where no scenario is read.
    """
    file = Path(os.path.abspath(path))
    if not os.path.lexists(file):
        raise ConfigurationError(f"{path}: there is no such file; licet run NAME takes the name of a scenario")
    folder = file.parent
    if file.suffix != ENDING or folder.parts[-2:] != tuple(SCENARIOS.split("/")):
        raise ConfigurationError(
            f"{path}: it is not trusted there: a scenario is read from {SCENARIOS}/NAME{ENDING} beside a licet.yaml; "
            "put it there, look at it, then run `licet trust`"
        )
    return folder.parents[1], file.stem


__all__ = ["Gathered", "gather", "place_of"]
