"""A sub-agent holds at most what its parent holds, in every dimension."""

import os
from collections.abc import Iterable
from dataclasses import dataclass, replace

from ...errors import ConfigurationError, LicetError
from ...intrinsics import GROUP
from ...intrinsics.bounds import MOST_DEPTH
from ...model.names import short
from ...model.paths import PATH_ACCESS, RUN_MODES, PathPolicy
from ...model.principal import Principal
from ...model.tool import ToolSpec
from ...policy.grants import covers, expand
from ...policy.rules import Check
from ...ports import Approver


class AttenuationError(LicetError):
    """A sub-agent asks for more than its parent holds. ``dimension`` is a stable word for what it is more of."""

    code = "wider_than_parent"

    def __init__(self, dimension: str, message: str) -> None:
        super().__init__(f"{dimension}: {message}")
        self.dimension = dimension


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """All that bounds an agent. A budget of None is no bound of its own; an ``approver`` of None is nobody.

    ``checks`` hold the rules of its grants too. ``skills`` are those that are loaded, and ``waiting`` the tools that
    wait for others. ``calls`` and ``tokens`` are what is left. ``depth`` is 0 for an agent that nobody's agent started.
    A profile is among the grants of a principal, and what it names among the grants of one that has begun.
    """

    principal: Principal
    checks: tuple[Check, ...] = ()
    approver: Approver | None = None
    may_emit: frozenset[str] = frozenset()
    skills: frozenset[str] = frozenset()
    waiting: frozenset[str] = frozenset()
    calls: int | None = None
    tokens: int | None = None
    depth: int = 0


def attenuate(parent: Scope, asked: Scope, specs: Iterable[ToolSpec]) -> Scope:
    """What a sub-agent gets: what it asks for, its budgets out of the parent's, its parent's checks before its own.

    ``asked`` without a budget gets the parent's. Its grants are exact from here on, its roots resolved.

    Raises:
        AttenuationError: it asks for more, in the dimension that the error names.
        ConfigurationError: the parent's own grants are not exact: it has not begun its run.
    """
    if parent.principal.grant_sets:
        raise ConfigurationError("the parent's grants are those of its run, which are exact")
    if parent.depth >= MOST_DEPTH:
        raise AttenuationError("depth", f"sub-agents nest at most {MOST_DEPTH} deep")
    principal = _principal(parent, asked.principal, tuple(specs))
    _subset("may_emit", asked.may_emit, parent.may_emit)
    _subset("skills", asked.skills, parent.skills)
    if asked.approver is not None and asked.approver is not parent.approver:
        raise AttenuationError("approvals", "somebody else would say yes to its calls than to its parent's")
    return replace(
        asked,
        principal=principal,
        checks=tuple(dict.fromkeys((*parent.checks, *asked.checks))),
        waiting=parent.waiting | asked.waiting,
        calls=_within("calls", asked.calls, parent.calls),
        tokens=_within("tokens", asked.tokens, parent.tokens),
        depth=parent.depth + 1,
    )


def _principal(held: Scope, asked: Principal, specs: tuple[ToolSpec, ...]) -> Principal:
    parent, holder = held.principal, expand(asked, specs)
    for grant in asked.grant_sets:
        if grant.kind == "profile":
            _subset("profile", frozenset(spec.name for spec in specs if covers(grant, spec)), parent.grants)
    intrinsic = {spec.name for spec in specs if spec.group == GROUP}
    _subset("intrinsics", holder.grants & intrinsic, parent.grants)
    _subset("grants", holder.grants - held.waiting, parent.grants)
    if waiting := sorted(map(short, holder.grants - parent.grants)):
        raise AttenuationError("skills", f"{waiting[0]!r} waits for a skill that its parent has not loaded")
    if RUN_MODES.index(asked.mode) > RUN_MODES.index(parent.mode):
        raise AttenuationError("mode", f"it would run in {asked.mode}, and its parent in {parent.mode}")
    paths = _paths(parent.paths, asked.paths)
    return Principal(asked.name, grants=holder.grants, mode=asked.mode, paths=paths)


def _paths(parent: PathPolicy, asked: PathPolicy) -> PathPolicy:
    """Roots lie in a root of the parent's, with every link resolved: a root itself may be a link out of it."""
    if parent.access == "danger_full_access" or asked.access == "none":
        return asked
    if PATH_ACCESS.index(asked.access) > PATH_ACCESS.index(parent.access):
        raise AttenuationError("roots", f"its paths are {asked.access}, and its parent's {parent.access}")
    held = [os.path.realpath(root) for root in parent.roots]
    roots = tuple(os.path.realpath(root) for root in asked.roots)
    for written, root in zip(asked.roots, roots, strict=True):
        if not any(os.path.commonpath((root, above)) == above for above in held):
            raise AttenuationError("roots", f"{written} lies in no root of its parent")
    return PathPolicy(asked.access, roots)


def _subset(dimension: str, asked: frozenset[str], held: frozenset[str]) -> None:
    if wider := sorted(map(short, asked - held)):
        more = f" and {len(wider) - 1} more" if len(wider) > 1 else ""
        raise AttenuationError(dimension, f"{wider[0]!r}{more}, which its parent does not hold")


def _within(dimension: str, asked: int | None, left: int | None) -> int | None:
    if left is None or asked is None:
        return left if asked is None else asked
    if asked > left:
        raise AttenuationError(dimension, f"it asks for {asked}, and its parent has {left} left")
    return asked
