"""Checks of the operator and of yours. A rule can only tighten: nothing here permits what another check denied."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

from ..model.names import canonical, short
from ..model.principal import Principal
from ..model.tool import ToolSpec
from ..model.verdict import PERMIT, Ask, Deny, Verdict

Check: TypeAlias = Callable[[Principal, ToolSpec, Mapping[str, Any] | None], Verdict]
"""Yours: pure, and arguments are None while listing. One that raises, or gives no verdict, denies."""


def forbid(*names: str, reason: str) -> Check:
    """Deny these tools, whatever else permits them."""
    held = frozenset(map(canonical, names))

    def forbidden(principal: Principal, spec: ToolSpec, arguments: Mapping[str, Any] | None) -> Verdict:
        if spec.name not in held:
            return PERMIT
        return Deny("rule_forbids", f"{short(spec.name)!r} is forbidden: {reason}", remedy="ask the operator")

    return forbidden


def ask_before(*names: str, reason: str) -> Check:
    """Let a person approve each call of these tools."""
    held = frozenset(map(canonical, names))

    def asked(principal: Principal, spec: ToolSpec, arguments: Mapping[str, Any] | None) -> Verdict:
        return Ask(reason) if spec.name in held else PERMIT

    asked.asks_before = held  # type: ignore[attr-defined]
    return asked


def asks_before(checks: Iterable[Check]) -> frozenset[str]:
    """The tools that a rule of ``ask_before`` is about: one that answers at once is then refused at registration."""
    return frozenset[str]().union(*(getattr(check, "asks_before", ()) for check in checks))
