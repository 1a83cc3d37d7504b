"""The lock that a command is about: beside a trusted configuration, read once, and written only if nobody else did."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import ConfigurationError
from ..project.lock import MOST_BYTES, Lock, beside, text
from ..project.lock_reader import parse
from ..project.whole_file import contents, replace

if TYPE_CHECKING:
    from ..project.config import Declared, Project


class LockFile:
    """``lock`` is what it holds, or nothing where it does not exist yet. ``servers`` are those of the configuration."""

    def __init__(self, project: "Project") -> None:
        """Raises ConfigurationError: the file is no lock."""
        self.project = project
        self.path = beside(project.path)
        self._before = contents(self.path, MOST_BYTES)
        self.lock = Lock() if self._before is None else parse(self._before, str(self.path))
        self.servers: Mapping[str, Declared] = {f"{project.plugin}/{one.id}": one for one in project.servers}

    @classmethod
    def of(cls, named: str | None) -> "LockFile":
        """The lock of the configuration that was named, or of the one that holds here.

        Raises:
            ConfigurationError: there is none, it is not trusted, or it is wrong; or so is its lock.
        """
        from ..project.config import load
        from ..project.trust import require_trusted
        from .state import folder

        path = _configuration(named)
        require_trusted(path, folder())
        return cls(load(path))

    @property
    def exists(self) -> bool:
        return self._before is not None

    def write(self, lock: Lock) -> None:
        """Raises ConfigurationError: somebody else changed the file since it was read; it is as they left it."""
        if contents(self.path, MOST_BYTES) != self._before:
            raise ConfigurationError(
                f"{self.path} was changed by somebody else meanwhile; nothing was written, ask again"
            )
        replace(self.path, text(lock))

    def named(self, target: str) -> tuple[str, str]:
        """``plugin/server`` and the tool's own name or nothing, of ``SERVER[.TOOL]``.

        Raises:
            ConfigurationError: it is no such name, or neither the configuration nor the lock has this server.
        """
        from ..model.names import parse as parsed

        name = parsed(target if "/" in target else f"{self.project.plugin}/{target}")
        server, tool = (name.server, name.tool) if name.server else (name.tool, "")
        whole = f"{name.plugin}/{server}"
        if whole not in self.servers and whole not in self.lock.servers:
            known = ", ".join(dict.fromkeys([*self.servers, *self.lock.servers])) or "none"
            raise ConfigurationError(
                f"{target!r} is no server of {self.project.path}, and none is locked; there is {known}"
            )
        return whole, tool


def _configuration(named: str | None) -> Path:
    import os

    from ..project.config import find

    if named is not None:
        if not named or "\0" in named:
            raise ConfigurationError(f"--config {named!r} names no file")
        return Path(os.path.abspath(named))
    found = find(Path.cwd())
    if found is None:
        raise ConfigurationError(
            "there is no licet.yaml here or above; `licet init` writes one, --config FILE names one"
        )
    return found


__all__ = ["LockFile"]
