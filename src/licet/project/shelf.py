"""Files of a project's ``config`` folder, and those that come with licet where the project has none of that name."""

import os
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from pkgutil import get_data
from typing import TYPE_CHECKING, NamedTuple

from ..errors import ConfigurationError
from .config import shown_path
from .find import FILE, find
from .snapshot import Snapshot
from .trust import require_trusted

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

ENDING = ".yaml"

_PACKAGE = "licet"


class Held(NamedTuple):
    """A file as it was trusted, or as it came. ``name`` is how messages name it."""

    name: str
    content: bytes


class Shelf:
    """Reads by relative names, ``config/agents/fortune-teller.yaml``.

    The project's folder is that of the nearest ``licet.yaml``, else the folder ``start`` itself; without ``start``
    there is no project. Of its files none is read that ``licet trust`` has not seen; ``state`` is where the records of
    that are.
    """

    def __init__(self, start: Path | None, state: Path = Path()) -> None:
        """Raises ConfigurationError: the nearest ``licet.yaml`` belongs to another user."""
        self._configuration = None if start is None else find(start)
        self._state = state
        self.folder = Path(os.path.abspath(start or ".")) if self._configuration is None else self._configuration.parent
        self._is_alone = start is None

    def read(self, relative: str) -> Held | None:
        """The file; None: neither the project nor licet has one of that name.

        Raises:
            ConfigurationError: the project has one, and it is not trusted; the message names ``licet trust``.
        """
        own = self.folder / relative
        if self.has_own(relative):
            return Held(shown_path(own), self._trusted(own).read(relative))
        try:
            content = get_data(_PACKAGE, relative)
        except OSError:
            return None
        return None if content is None else Held(f"{_PACKAGE}/{relative}", content)

    def has_own(self, relative: str) -> bool:
        """Whether the project has such a file, trusted or not."""
        return not self._is_alone and os.path.lexists(self.folder / relative)

    def names(self, folder: str) -> list[str]:
        """What can be read in a folder, without endings, whether or not it is trusted."""
        found = {entry.name for entry in _shipped(folder)}
        own = self.folder / folder
        if not self._is_alone and own.is_dir():
            found.update(os.listdir(own))
        return sorted(name.removesuffix(ENDING) for name in found if name.endswith(ENDING))

    def _trusted(self, own: Path) -> Snapshot:
        if self._configuration is None:
            shown = shown_path(own)
            raise ConfigurationError(
                f"{shown} is not trusted, and there is no {FILE} to trust it with: write one in {self.folder} "
                "(agents: {} is enough), look at both, then run `licet trust`"
            )
        return self._snapshot

    @cached_property
    def _snapshot(self) -> Snapshot:
        assert self._configuration is not None
        return require_trusted(self._configuration, self._state)


def _shipped(folder: str) -> "list[Traversable]":
    try:
        return list(files(_PACKAGE).joinpath(folder).iterdir())
    except OSError:
        return []


__all__ = ["ENDING", "Held", "Shelf"]
