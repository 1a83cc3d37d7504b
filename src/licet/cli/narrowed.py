"""On a configured agent the options of the command line only narrow: whoever types them grants nothing."""

import argparse
import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from ..errors import ConfigurationError
from . import principal

if TYPE_CHECKING:
    from ..model.paths import PathPolicy, RunMode
    from ..model.principal import Principal
    from ..model.tool import ToolSpec


def narrowed(who: "Principal", arguments: argparse.Namespace, specs: "Sequence[ToolSpec]") -> "Principal":
    """The agent's principal within ``--grant``, ``--mode`` and ``--root``, where they were given.

    Raises:
        ConfigurationError: an option asks for more than the agent holds.
    """
    from ..model.principal import GrantSet, Principal

    grants: Iterable[str | GrantSet] = (*who.grants, *who.grant_sets)
    if arguments.grant:
        grants = _grants(who, arguments.grant, specs)
    mode = who.mode if arguments.mode is None else _mode(who, arguments.mode)
    paths = _paths(who, mode, arguments.root)
    return Principal(who.name, grants=grants, mode=mode, paths=paths)


def _grants(who: "Principal", words: Sequence[str], specs: "Sequence[ToolSpec]") -> frozenset[str]:
    from ..model.names import short
    from ..model.principal import Principal
    from ..policy.grants import expand

    held = expand(who, specs).grants
    asked = Principal(who.name, grants=[principal.grant_of(word) for word in words])
    wider = sorted(asked.grants - held)
    if wider:
        names = ", ".join(map(short, wider))
        raise ConfigurationError(f"the agent {who.name!r} holds no grant for {names}, and --grant only narrows")
    return expand(asked, specs).grants & held


def _mode(who: "Principal", word: str) -> "RunMode":
    from ..model.paths import RUN_MODES

    for mode in RUN_MODES[: RUN_MODES.index(who.mode) + 1]:
        if mode == word.replace("-", "_"):
            return mode
    raise ConfigurationError(f"the agent {who.name!r} is {who.mode}, and --mode {word} does not narrow that")


def _paths(who: "Principal", mode: "RunMode", roots: list[str]) -> "PathPolicy":
    everywhere = who.paths.access == principal.EVERYWHERE
    if not roots:
        from ..model.paths import PathPolicy

        return PathPolicy.none() if everywhere and mode != principal.EVERYWHERE else who.paths
    wanted = principal.paths_of(roots)
    if wanted.access == principal.EVERYWHERE and not everywhere:
        raise ConfigurationError(f"the agent {who.name!r} may not go everywhere, and --root only narrows")
    for root in wanted.roots:
        if not everywhere and not any(_is_within(root, held) for held in who.paths.roots):
            raise ConfigurationError(
                f"--root {root} lies in no root of the agent {who.name!r}, and --root only narrows"
            )
    return wanted


def _is_within(inner: str, outer: str) -> bool:
    inner, outer = os.path.realpath(inner), os.path.realpath(outer)
    return os.path.commonpath((inner, outer)) == outer


__all__ = ["narrowed"]
