"""The only place with the order of the checks. Listing, calling and explaining all come here."""

from collections.abc import Callable
from typing import Any, NamedTuple, assert_never

import orjson

from ..model.names import short
from ..model.paths import narrower
from ..model.principal import Principal
from ..model.tool import ToolSpec
from ..model.verdict import PERMIT, Ask, Deny, Permit, Verdict
from .arguments import Fit, arguments_fit
from .modes import mode_allows
from .paths import paths_fit
from .rules import Check


class Case(NamedTuple):
    """What is judged. ``payload`` is None while listing; ``problem`` is what room 1 found wrong with the arguments."""

    principal: Principal
    spec: ToolSpec
    fit: Fit
    payload: bytes | None
    problem: Deny | None
    approvable: bool


class Finding(NamedTuple):
    """One check's word, in the order of the corridor."""

    check: str
    verdict: Verdict


def judge(case: Case, checks: tuple[Check, ...]) -> Verdict:
    """Deny beats Ask beats Permit, whatever the order. A check that raises denies."""
    reasons: list[str] = []
    arguments = _thawed(case)
    for _, built_in in _ORDER:
        verdict = built_in(case, arguments)
        if verdict is PERMIT:
            continue
        if isinstance(verdict, Deny):
            return verdict
        if isinstance(verdict, Ask):
            reasons.append(verdict.reason)
    for check in checks:
        match asked(check, case):
            case Permit():
                continue
            case Ask(reason):
                reasons.append(reason)
            case Deny() as deny:
                return deny
            case never:
                assert_never(never)
    if not reasons:
        return PERMIT
    return Ask("; ".join(reasons)) if case.approvable else _nobody(case.spec, reasons)


def explain(case: Case, checks: tuple[Check, ...]) -> list[Finding]:
    """Every check's word, also those after a no."""
    arguments = _thawed(case)
    findings = [Finding(name, built_in(case, arguments)) for name, built_in in _ORDER]
    findings += [Finding(_name(check), asked(check, case)) for check in checks]
    reasons = [f.verdict.reason for f in findings if isinstance(f.verdict, Ask)]
    if reasons and not case.approvable:
        findings.append(Finding("approver", _nobody(case.spec, reasons)))
    return findings


def asked(check: Check, case: Case) -> Verdict:
    """A check of yours, shown its own copy of the arguments. What it denies while listing it denies always."""
    try:
        verdict = check(case.principal, case.spec, None)
        if case.payload is not None and not isinstance(verdict, Deny):
            called = check(case.principal, case.spec, orjson.loads(case.payload))
            verdict = called if isinstance(verdict, Permit) or not isinstance(called, Permit) else verdict
    except Exception as exc:
        return Deny("check_failed", f"the check {_name(check)!r} raised {type(exc).__name__}", remedy="mend the check")
    if isinstance(verdict, Permit | Ask | Deny):
        return verdict
    problem = f"the check {_name(check)!r} gave {type(verdict).__name__}, not a verdict"
    return Deny("check_failed", problem, remedy="return PERMIT, Ask(...) or Deny(...)")


def _thawed(case: Case) -> dict[str, Any] | None:
    return None if case.payload is None or case.problem is not None else orjson.loads(case.payload)


def _name(check: Check) -> str:
    return str(getattr(check, "__name__", type(check).__name__))


def _nobody(spec: ToolSpec, reasons: list[str]) -> Deny:
    return Deny(
        "approval_denied",
        f"{short(spec.name)!r} needs an approval ({'; '.join(reasons)}) and nobody can give it",
        reason="no_approver",
        remedy="give the Runtime an approver",
    )


def _callable_here(case: Case, arguments: dict[str, Any] | None) -> Verdict:
    if case.spec.source != "hosted":
        return PERMIT
    problem = f"{short(case.spec.name)!r} is run by the model's provider, not here"
    return Deny("hosted_tool", problem, remedy="offer it through a provider's dialect")


def _mode(case: Case, arguments: dict[str, Any] | None) -> Verdict:
    return mode_allows(case.principal, case.spec)


def _arguments(case: Case, arguments: dict[str, Any] | None) -> Verdict:
    return case.problem or arguments_fit(case.spec, case.fit, arguments)


def _paths(case: Case, arguments: dict[str, Any] | None) -> Verdict:
    spec = case.spec
    if spec.path_access == "none":
        return PERMIT
    return paths_fit(spec, narrower(case.principal.paths, spec.path_access), arguments)


def _approval(case: Case, arguments: dict[str, Any] | None) -> Verdict:
    capabilities = case.spec.capabilities
    if capabilities.unsafe:
        return Ask("it is declared unsafe")
    return Ask("it is declared to need a person's approval") if capabilities.human_approval_required else PERMIT


_ORDER: tuple[tuple[str, Callable[[Case, dict[str, Any] | None], Verdict]], ...] = (
    ("source", _callable_here),
    ("mode", _mode),
    ("arguments", _arguments),
    ("paths", _paths),
    ("approval", _approval),
)
