"""Who calls, and what there is to call: the options that tools, call and why share."""

import argparse
import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ..errors import ConfigurationError

if TYPE_CHECKING:
    from ..catalog import Tool
    from ..model.paths import PathPolicy
    from ..model.principal import GrantSet, Principal
    from ..model.tool import ToolSpec
    from ..ports import Approver, Ledger
    from ..runtime.runtime import Runtime

NAME = "cli"
"""The principal of the command line, as the ledger names it."""

EVERYWHERE = "danger_full_access"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options; nothing is granted by default."""
    parser.add_argument(
        "--grant",
        metavar="NAME",
        action="append",
        default=[],
        help="a tool that may be called, by its exact name; also group:NAME, glob:PATTERN or full; may be repeated",
    )
    parser.add_argument(
        "--mode",
        help="how much may change: read-only (default), workspace-write or danger-full-access",
    )
    parser.add_argument(
        "--root",
        metavar="DIR",
        action="append",
        default=[],
        help="a folder whose files may be touched, the first is the base of relative paths; without one, no files; "
        "danger-full-access means everywhere, in the mode of that name; may be repeated",
    )
    parser.add_argument(
        "--from",
        dest="source",
        metavar="MODULE:ATTR",
        help="your own tools in place of licet's file tools; the working directory is searched first",
    )


def principal_from(arguments: argparse.Namespace, specs: "Iterable[ToolSpec]") -> "Principal":
    """The principal that the options describe.

    Raises:
        ConfigurationError: a grant is no tool name or covers nothing, the mode is unknown, or a root is no folder.
    """
    from ..model.principal import GrantSet, Principal
    from ..policy.grants import covers

    registered = list(specs)
    grants = [grant_of(word) for word in arguments.grant]
    for grant in grants:
        if isinstance(grant, GrantSet) and not any(covers(grant, spec) for spec in registered):
            raise ConfigurationError(f"--grant {grant} covers no tool here{_groups(registered)}")
    mode: Any = (arguments.mode or "read-only").replace("-", "_")
    paths = paths_of(arguments.root)
    if paths.access == EVERYWHERE and mode != EVERYWHERE:
        raise ConfigurationError("--root danger-full-access goes with --mode danger-full-access; name a folder instead")
    return Principal(NAME, grants=grants, mode=mode, paths=paths)


def registered_from(arguments: argparse.Namespace) -> "Runtime | list[Tool]":
    """A Runtime of yours as it is, else the tools of ``--from``, or licet's own for files.

    Raises:
        ConfigurationError: ``--from`` names nothing that holds tools.
    """
    from ..errors import RegistrationError
    from ..runtime.runtime import Runtime
    from ..sources.combine import combine
    from .load import load

    if arguments.source is None:
        from ..bundles.files import tools

        return combine(tools())
    loaded = load(arguments.source)
    if isinstance(loaded, Runtime):
        return loaded
    try:
        return combine(loaded)
    except (ConfigurationError, RegistrationError) as exc:
        raise ConfigurationError(f"--from {arguments.source}: {exc}") from exc


def runtime_over(
    registered: "Runtime | list[Tool]", *, ledger: "Ledger | None" = None, approver: "Approver | None" = None
) -> "Runtime":
    """A runtime of these tools; one of yours keeps its own ledger and approver.

    Raises:
        ConfigurationError: a tool does not register.
    """
    from ..errors import RegistrationError
    from ..runtime.runtime import Runtime

    if isinstance(registered, Runtime):
        return registered
    try:
        return Runtime(registered, ledger=ledger, approver=approver)
    except RegistrationError as exc:
        raise ConfigurationError(str(exc)) from exc


def specs_of(registered: "Runtime | list[Tool]") -> "list[ToolSpec]":
    """Their contracts."""
    return [tool.spec for tool in registered] if isinstance(registered, list) else registered.specs()


def terminal_approver() -> "Approver | None":
    """Whoever sits at the controlling terminal; None where there is no terminal."""
    try:
        os.close(os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY))
    except OSError:
        return None
    from ..approvals.terminal import TerminalApprover

    return TerminalApprover()


def grant_of(word: str) -> "str | GrantSet":
    """What one ``--grant`` asks for. Raises ConfigurationError: it is no name, and no set that is asked for by name."""
    from ..model.principal import GrantSet

    kind, colon, value = word.partition(":")
    if word == "full":
        return GrantSet.full()
    if colon and kind == "group":
        return GrantSet.group(value)
    if colon and kind == "glob":
        return GrantSet.glob(value)
    if colon:
        raise ConfigurationError(f"--grant {word!r}: use a tool's exact name, group:NAME, glob:PATTERN or full")
    if "*" in word or "?" in word:
        raise ConfigurationError(f"--grant {word!r} is no exact name; a pattern is asked for as --grant 'glob:{word}'")
    return word


def _groups(specs: "list[ToolSpec]") -> str:
    groups = sorted({spec.group for spec in specs if spec.group})
    return f"; its groups are {', '.join(groups)}" if groups else "; licet tools lists what there is"


def paths_of(roots: list[str]) -> "PathPolicy":
    """The path policy that roots describe. Raises ConfigurationError: one is no folder."""
    from ..model.paths import PathPolicy

    if not roots:
        return PathPolicy.none()
    if EVERYWHERE in (root.replace("-", "_") for root in roots):
        if len(roots) > 1:
            raise ConfigurationError("--root danger-full-access means everywhere; drop the other roots")
        return PathPolicy.danger_full_access()
    for root in roots:
        if "\0" in root or not os.path.isdir(root):
            problem = "is not a directory" if os.path.lexists(root) else "does not exist"
            raise ConfigurationError(f"--root {root}: {problem}; name a folder")
    return PathPolicy.current_project(roots[0]) if len(roots) == 1 else PathPolicy.allowed_roots(*roots)


__all__ = [
    "EVERYWHERE",
    "NAME",
    "configure",
    "grant_of",
    "paths_of",
    "principal_from",
    "registered_from",
    "runtime_over",
    "specs_of",
    "terminal_approver",
]
