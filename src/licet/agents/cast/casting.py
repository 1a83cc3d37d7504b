"""Manifests by their names, from the shelf: the project's own where it has one, else those that come with licet."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from ...errors import ConfigurationError
from ...project.config import load as load_project
from ...project.find import FILE
from ...project.manifest import FOLDER, Manifest
from ...project.manifest_file import load
from ...project.near import nearest
from ...project.place import quoted
from .handlers import HANDLERS
from .models import MODELS

if TYPE_CHECKING:
    from ...project.agent import Agent
    from ...project.shelf import Shelf


def manifests(
    names: Iterable[str], shelf: "Shelf", *, handlers: Iterable[str] = HANDLERS, models: Iterable[str] = MODELS
) -> list[Manifest]:
    """The manifests of these agents, in this order. ``handlers`` and ``models`` are the names that they may ask for.

    Raises:
        ConfigurationError: there is none of a name, it is not trusted, or it says what it may not.
    """
    elsewhere = _agents(shelf)
    return [_manifest(name, shelf, elsewhere, handlers, models) for name in names]


def _manifest(
    name: str, shelf: "Shelf", elsewhere: "Mapping[str, Agent]", handlers: Iterable[str], models: Iterable[str]
) -> Manifest:
    known = shelf.names(FOLDER)
    held = shelf.read(f"{FOLDER}/{name}.yaml") if name in known else None
    if held is None:
        near = nearest(name, known)
        instead = f"did you mean {near}?" if near else f"there is {', '.join(known) or 'none'}"
        raise ConfigurationError(f"there is no agent {quoted(name)} in {FOLDER}; {instead}")
    return load(
        held.content,
        held.name,
        stem=name,
        handlers=handlers,
        models=models,
        elsewhere=elsewhere,
        folder=shelf.folder,
    )


def _agents(shelf: "Shelf") -> "Mapping[str, Agent]":
    """Those of ``licet.yaml``, whether or not it is trusted: their names are all that is looked at."""
    path = shelf.folder / FILE
    return load_project(path).agents if path.exists() else {}


__all__ = ["manifests"]
