"""The lock that a command is about: beside a trusted configuration, read once, and written only if nobody else did."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import ConfigurationError
from . import state

if TYPE_CHECKING:
    from ..project.config import Declared, Project
    from ..project.locked import Lock
    from ..project.snapshot import Snapshot


class LockFile:
    """``lock`` is what it holds, or nothing where it does not exist yet. ``servers`` are those of the configuration."""

    def __init__(self, held: "Snapshot") -> None:
        """Raises ConfigurationError: the configuration is wrong, or the file is no lock."""
        from ..project.config import load
        from ..project.lock import Lock, beside
        from ..project.lock_reader import parse

        self._held = held
        self.project: Project = load(held.path, held.content)
        self.path: Path = beside(held.path)
        self.lock: Lock = Lock() if held.lock is None else parse(held.lock, str(self.path))
        self.servers: Mapping[str, Declared] = {one.name: one for one in self.project.servers}

    @classmethod
    def of(cls, named: str | None) -> "LockFile":
        """The lock of the configuration that was named, or of the one that holds here.

        Raises:
            ConfigurationError: there is none, it is not trusted, or it is wrong; or so is its lock.
        """
        from ..project.trust import require_trusted
        from .configured import configuration

        return cls(require_trusted(configuration(named), state.folder()))

    @property
    def exists(self) -> bool:
        return self._held.lock is not None

    def write(self, lock: "Lock") -> None:
        """Put another lock in its place; what is trusted stays trusted with it.

        Raises:
            ConfigurationError: somebody else changed the file since it was read; it is as they left it.
            OSError: it could not be written, and is as it was.
        """
        from ..project.lock import FILE, MOST_BYTES, text
        from ..project.trust import rewritten
        from ..project.whole_file import contents, replace

        if contents(self.path, MOST_BYTES) != self._held.lock:
            problem = f"{self.path} was changed by somebody else meanwhile"
            raise ConfigurationError(f"{problem}; nothing was written, ask again")
        written = text(lock)
        replace(self.path, written)
        self._held = rewritten(self._held, FILE, written.encode(), state.folder())
        self.lock = lock

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


__all__ = ["LockFile"]
