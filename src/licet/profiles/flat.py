"""Flat names: one name without a namespace, the same in every framework, never hashed."""

from collections.abc import Iterable

from ..errors import ConfigurationError
from ..model.names import short
from .guard import own_name
from .terms import Contract, shipped


def flat_name(tool: str, contract: Contract | None = None) -> str:
    """The flat name of an engine's tool: the contract's prefix and the name that it has over MCP.

    Raises:
        ConfigurationError: the flat name does not match the contract's pattern.
    """
    import re2  # here, because few processes need it

    held = contract or shipped()
    known = {alias: name for name, told in held.tools.items() for alias in told.aliases}
    flat = held.prefix + known.get(tool, tool)
    if re2.search(held.pattern, flat) is None or len(flat) > 64:
        raise ConfigurationError(
            f"{short(tool)!r} has no flat name: {flat[:80]!r} does not match {held.pattern}; rename it on its server"
        )
    return flat


def flat_names(tools: Iterable[str], contract: Contract | None = None) -> dict[str, str]:
    """Canonical names of one engine's tools -> their flat names: what a dialect takes as chosen names.

    Raises:
        ConfigurationError: one of them does not match the contract's pattern, or two would be called the same.
    """
    names: dict[str, str] = {}
    holders: dict[str, str] = {}
    for tool in tools:
        flat = flat_name(own_name(tool), contract)
        other = holders.setdefault(flat, tool)
        if other != tool:
            raise ConfigurationError(
                f"{short(tool)!r} and {short(other)!r} would both be called {flat!r}; grant one of them"
            )
        names[tool] = flat
    return names


__all__ = ["flat_name", "flat_names"]
