"""Where a principal may touch files, and how much a run may change."""

import os
from dataclasses import dataclass
from typing import Literal, get_args

from ..errors import ConfigurationError

RunMode = Literal["read_only", "workspace_write", "danger_full_access"]
"""How much a run may change. ``read_only`` is the default everywhere but at the seed's manifest door."""

PathAccess = Literal["none", "current_project", "allowed_roots", "danger_full_access"]
"""How far paths may reach: what a principal has, and the most that a tool may use."""

RUN_MODES: tuple[RunMode, ...] = get_args(RunMode)
PATH_ACCESS: tuple[PathAccess, ...] = get_args(PathAccess)


@dataclass(frozen=True, slots=True)
class PathPolicy:
    """Where a principal may touch files. Make one with a class method; the default is ``none``.

    ``roots`` are absolute; the first is the base of relative paths. ``danger_full_access`` has no roots and its base
    is the working directory.
    """

    access: PathAccess = "none"
    roots: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.access not in PATH_ACCESS:
            raise ConfigurationError(f"{self.access!r} is no path access; use one of {', '.join(PATH_ACCESS)}")
        wants = {"none": (0, 0), "current_project": (1, 1), "allowed_roots": (1, 64), "danger_full_access": (0, 0)}
        low, high = wants[self.access]
        if not low <= len(self.roots) <= high:
            raise ConfigurationError(f"{self.access} takes {low} to {high} roots, not {len(self.roots)}")
        for root in self.roots:
            if "\0" in root or not os.path.isabs(root):
                raise ConfigurationError(f"root {root!r} is not an absolute path")

    @classmethod
    def none(cls) -> "PathPolicy":
        """No path at all."""
        return cls()

    @classmethod
    def current_project(cls, root: "str | os.PathLike[str]") -> "PathPolicy":
        """Everything below one root, which may itself be a link."""
        return cls("current_project", (_absolute(root),))

    @classmethod
    def allowed_roots(cls, *roots: "str | os.PathLike[str]") -> "PathPolicy":
        """Everything below each root; relative paths start at the first."""
        return cls("allowed_roots", tuple(map(_absolute, roots)))

    @classmethod
    def danger_full_access(cls) -> "PathPolicy":
        """Everywhere. Legal only in the run mode of the same name."""
        return cls("danger_full_access")


def _absolute(root: "str | os.PathLike[str]") -> str:
    text = os.fspath(root)
    if not isinstance(text, str) or not text or "\0" in text:
        raise ConfigurationError(f"root {text!r} is not a path")
    return os.path.abspath(text)


def narrower(principal: PathPolicy, tool: PathAccess) -> PathPolicy:
    """What is left of a principal's policy for a tool that may use at most ``tool``."""
    if principal.access == "none" or tool == "none":
        return PathPolicy()
    if principal.access == "danger_full_access":
        # A tool that may use a project or roots finds none of them here: it gets nothing rather than everything.
        return principal if tool == "danger_full_access" else PathPolicy()
    if tool == "current_project":
        return PathPolicy("current_project", principal.roots[:1])
    return principal
