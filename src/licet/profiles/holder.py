"""A profile as a grant, and as a principal."""

from collections.abc import Iterable

from ..errors import ConfigurationError
from ..model.names import LOCAL
from ..model.paths import RUN_MODES, PathPolicy, RunMode
from ..model.principal import GrantSet, Principal
from .terms import Profile, profile, shipped


def grant(name: str | None = None, *, server: str = LOCAL) -> GrantSet:
    """Every tool of a profile, on one engine: ``mcp/algenta``, or ``local`` for tools of this process.

    It expands once, at the start of a run, and the expansion is on the ledger. Without a name the profile is observe.

    Raises:
        ConfigurationError: there is no such profile, or the server's name is none.
    """
    held = profile(name)
    return GrantSet.profile(held.name, named(held), server=server)


def named(held: Profile) -> tuple[str, ...] | None:
    """Every name under which an engine may advertise a tool of the profile; None is everything."""
    if held.tools is None:
        return None
    tools = shipped().tools
    return tuple(name for tool in held.tools for name in (tool, *tools[tool].aliases))


def principal(
    who: str,
    name: str | None = None,
    *,
    server: str = LOCAL,
    grants: Iterable[str | GrantSet] = (),
    mode: RunMode | None = None,
    paths: PathPolicy = PathPolicy(),  # noqa: B008 - frozen
) -> Principal:
    """Who holds a profile: its tools, and the run mode that lists all of them. ``mode`` only narrows that.

    Raises:
        ConfigurationError: there is no such profile, or the mode is wider than the profile's or none.
    """
    held = profile(name)
    return Principal(who, grants=[grant(held.name, server=server), *grants], mode=narrowed(held, mode), paths=paths)


def narrowed(held: Profile, mode: RunMode | None) -> RunMode:
    """The profile's run mode, or a narrower one that was asked for.

    Raises:
        ConfigurationError: the mode is wider, or none.
    """
    if mode is None:
        return held.mode
    if mode not in RUN_MODES:
        raise ConfigurationError(f"{mode!r} is no run mode; use one of {', '.join(RUN_MODES)}")
    if RUN_MODES.index(mode) > RUN_MODES.index(held.mode):
        raise ConfigurationError(
            f"the profile {held.name} runs in {held.mode}, and {mode} is wider; drop the mode, or take another profile"
        )
    return mode


__all__ = ["grant", "named", "narrowed", "principal"]
