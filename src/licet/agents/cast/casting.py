"""Manifests by their names, from the shelf: the project's own where it has one, else those that come with licet."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from ...errors import ConfigurationError
from ...project.config import load as load_project
from ...project.find import FILE
from ...project.manifest import FOLDER, Manifest
from ...project.manifest_file import load
from ...project.near import nearest
from ...project.place import quoted
from ...project.shelf import ENDING, Shelf
from .handlers import HANDLERS
from .models import MODELS

if TYPE_CHECKING:
    from ...project.agent import Agent


def manifests(
    names: Iterable[str],
    shelf: Shelf,
    *,
    handlers: Iterable[str] = HANDLERS,
    models: Iterable[str] = MODELS,
    folder: Path | None = None,
) -> list[Manifest]:
    """The manifests of these agents, in this order.

    ``handlers`` and ``models`` are the names that they may ask for. ``folder`` is what relative roots start from, if
    not the project's own folder.

    Raises:
        ConfigurationError: there is none of a name, it is not trusted, or it says what it may not, such as a name that
            ``licet.yaml`` has too.
    """
    elsewhere, known = _agents(shelf), shelf.names(FOLDER)
    handlers, models = tuple(handlers), tuple(models)
    found: list[Manifest] = []
    for name in names:
        held = shelf.read(f"{FOLDER}/{name}{ENDING}") if name in known else None
        if held is None:
            near = nearest(name, known)
            instead = f"did you mean {near}?" if near else f"there is {', '.join(known) or 'none'}"
            raise ConfigurationError(f"there is no agent {quoted(name)} in {FOLDER}; {instead}")
        found.append(
            load(
                held.content,
                held.name,
                stem=name,
                handlers=handlers,
                models=models,
                elsewhere=elsewhere,
                folder=folder or shelf.folder,
            )
        )
    return found


def _agents(shelf: Shelf) -> "Mapping[str, Agent]":
    """Those of ``licet.yaml``, whether or not it is trusted: their names are all that is looked at."""
    return load_project(shelf.folder / FILE).agents if shelf.has_own(FILE) else {}


__all__ = ["manifests"]
