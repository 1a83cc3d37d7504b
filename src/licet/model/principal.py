"""Who calls, what it was granted, how much its run may change and where."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from ..errors import ConfigurationError
from .names import LOCAL, canonical, parse
from .paths import RUN_MODES, PathPolicy, RunMode


@dataclass(frozen=True, slots=True)
class GrantSet:
    """Grants that are not exact names. A set expands once, at the start of a run, against the registered tools.

    A tool that appears later is not in it; the expansion stands on the ledger.
    """

    kind: Literal["glob", "group", "profile", "full"]
    value: str = ""
    tools: tuple[str, ...] | None = None
    """Of a profile: the canonical names that it stands for; None is everything that its engine has."""

    @classmethod
    def glob(cls, pattern: str) -> "GrantSet":
        """Every tool whose name matches part by part: ``mcp/git.*`` is one server's tools.

        A pattern that names no server is about all that follows the namespace: ``mcp/*`` is every server's tools.
        """
        whole = pattern if "/" in pattern else f"local/{pattern}"
        try:
            canonical(whole.replace("*", "x").replace("?", "x"))
        except ConfigurationError:
            raise ConfigurationError(
                f"{pattern!r} is not a pattern of tool names; use namespace/name with * and ?"
            ) from None
        return cls("glob", whole)

    @classmethod
    def group(cls, name: str) -> "GrantSet":
        """Every tool of one group, ``read_only_builtins`` for instance."""
        if not name:
            raise ConfigurationError("a group has a name")
        return cls("group", name)

    @classmethod
    def profile(cls, name: str, tools: Iterable[str] | None, *, server: str = LOCAL) -> "GrantSet":
        """These tools of one engine, by the names that they have there: ``licet.profiles.grant(name)`` knows which.

        ``server`` is the engine, ``mcp/algenta`` for instance, or ``local`` for tools of this process. Without tools it
        is everything that the engine has.

        Raises:
            ConfigurationError: the server is none, or a tool's name is none.
        """
        where = f"{LOCAL}/" if server == LOCAL else f"{server}."
        if isinstance(tools, str) or canonical(f"{where}x") != f"{where}x" or parse(f"{where}x").tool != "x":
            raise ConfigurationError(
                f"{server!r} is no server of tools; use plugin/server, such as mcp/algenta, or local"
            )
        held = None if tools is None else tuple(canonical(where + tool) for tool in tools)
        return cls("profile", f"{name}@{server}", held)

    @classmethod
    def full(cls) -> "GrantSet":
        """Everything registered. Asked for by name, never a default."""
        return cls("full")

    def __str__(self) -> str:
        return f"{self.kind}:{self.value}" if self.value else self.kind


@dataclass(frozen=True, slots=True, init=False)
class Principal:
    """Who calls. ``grants`` are exact canonical names; ``grant_sets`` are what was asked for by pattern.

    Raises:
        ConfigurationError: a grant is no tool name, the mode is unknown, or the path policy needs another mode.
    """

    name: str
    grants: frozenset[str]
    grant_sets: tuple[GrantSet, ...]
    mode: RunMode
    paths: PathPolicy

    def __init__(
        self,
        name: str,
        *,
        grants: Iterable[str | GrantSet] = (),
        mode: RunMode = "read_only",
        paths: PathPolicy = PathPolicy(),  # noqa: B008 - frozen
    ) -> None:
        if not isinstance(name, str) or not name or len(name) > 256 or not _is_utf8(name):
            raise ConfigurationError(f"a principal has a name of 1 to 256 characters in UTF-8, not {name!r}")
        if isinstance(grants, str):
            raise ConfigurationError(f"grants is a list of names; write grants=[{grants!r}]")
        if mode not in RUN_MODES:
            raise ConfigurationError(f"{mode!r} is no run mode; use one of {', '.join(RUN_MODES)}")
        if paths.access == "danger_full_access" and mode != "danger_full_access":
            raise ConfigurationError("paths=danger_full_access is legal only with mode='danger_full_access'")
        asked = tuple(grants)
        put = object.__setattr__
        put(self, "name", name)
        put(self, "grants", frozenset(canonical(g) for g in asked if not isinstance(g, GrantSet)))
        put(self, "grant_sets", tuple(dict.fromkeys(g for g in asked if isinstance(g, GrantSet))))
        put(self, "mode", mode)
        put(self, "paths", paths)

    def holding(self, grants: Iterable[str]) -> "Principal":
        """The same principal with its grant sets replaced by what they expanded to."""
        return Principal(self.name, grants=(*self.grants, *grants), mode=self.mode, paths=self.paths)


def _is_utf8(text: str) -> bool:
    """Whether a text holds no half of a surrogate pair: a ledger could not hash it."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
