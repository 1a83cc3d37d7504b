"""Which tools a grant or a word can be about: those of licet itself, and those that the lock pins."""

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from ...model.names import LOCAL, parse
from ...policy.grants import matches

if TYPE_CHECKING:
    from ..config import Project
    from ..locked import Lock


class Known:
    """Names are canonical. Without a lock nobody knows what a server offers, and everything may be there."""

    is_closed = True
    """Whether there are no servers but the declared ones."""

    def __init__(self, project: "Project", lock: "Lock | None") -> None:
        self.lock = lock
        self.declared = {server.name for server in project.servers}
        written = {} if project.source is None else project.source.value.get("mcpServers") or {}
        self.disabled = {f"{project.plugin}/{id}" for id in written} - self.declared

    def may_be_elsewhere(self, server: str) -> bool:
        """Whether a server that is not declared may be there all the same."""
        return False

    @cached_property
    def local(self) -> Mapping[str, str]:
        """licet's own file tools, each with its group."""
        from ...bundles.files import tools

        return {spec.name: spec.group or "" for spec in tools()}

    @cached_property
    def pinned(self) -> frozenset[str]:
        """Tools of declared servers that the lock pins."""
        return frozenset(self._pinned())

    def _pinned(self) -> Iterator[str]:
        for server, held in (self.lock.servers if self.lock is not None else {}).items():
            if server in self.declared:
                yield from (f"{server}.{own}" for own in held.tools)

    def server_of(self, tool: str) -> str:
        """``plugin/server``, or ``local``."""
        plugin, server, own = parse(tool)
        return LOCAL if plugin == LOCAL else f"{plugin}/{server or own}"

    def covered(self, pattern: str) -> list[str]:
        """Tools that a pattern covers, as far as they are known."""
        names = [*self.pinned, *(self.local if pattern.startswith((LOCAL, "*", "?")) else ())]
        return sorted(name for name in names if matches(pattern, name))

    def unlisted(self, pattern: str) -> list[str]:
        """Declared servers about which a pattern is and of which nobody knows what they offer."""
        without = [name for name in self.declared if self.lock is None or name not in self.lock.servers]
        return sorted(name for name in without if is_about(pattern, name))


def is_about(pattern: str, server: str) -> bool:
    """Whether a pattern of tools may cover one of this server."""
    plugin, _, rest = pattern.partition("/")
    wanted, dot, _ = rest.partition(".")
    return matches(f"{plugin}/{wanted}.*" if dot else f"{plugin}/*", f"{server}.x")


__all__ = ["Known", "is_about"]
