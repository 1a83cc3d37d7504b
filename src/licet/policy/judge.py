"""The only place with the order of the checks. Listing, calling and explaining all come here."""

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol, TypeAlias, assert_never

import orjson

from ..model.names import short
from ..model.principal import Principal
from ..model.tool import ToolSpec
from ..model.verdict import PERMIT, Ask, Deny, Permit, Verdict
from .arguments import Fitted, arguments_fit
from .modes import is_intrinsic, mode_allows
from .paths import paths_fit
from .rules import Check

Arguments: TypeAlias = dict[str, Any] | None
BuiltIn: TypeAlias = "Callable[[Principal, Subject, Arguments], Verdict]"


class Subject(Fitted, Protocol):
    """A registered tool, as far as it is judged."""

    @property
    def checks(self) -> "tuple[BuiltIn, ...]":
        """The built-in checks that can say anything but Permit of this tool: ``relevant(spec)``."""
        ...

    @property
    def at_once(self) -> bool:
        """Whether no call of it may wait for a person: what would ask denies."""
        ...

    @property
    def known_as(self) -> tuple[ToolSpec, ...]:
        """Its contract under each name that it goes by here: its own, and that under which it was granted."""
        ...


class Judgement(NamedTuple):
    """What a runtime judges by: its own checks, and whether anybody can approve."""

    checks: tuple[Check, ...]
    approvable: bool


class Finding(NamedTuple):
    """One check's word, in the order of the corridor."""

    check: str
    verdict: Verdict


def judge(
    principal: Principal,
    tool: Subject,
    arguments: Arguments,
    payload: bytes | None,
    problem: Deny | None,
    by: Judgement,
) -> Verdict:
    """Deny beats Ask beats Permit, whatever the order. A check that raises denies.

    ``arguments`` and ``payload`` say the same, and are None while listing: the built-in checks read the one, each of
    yours gets its own copy of the other. ``problem`` is what room 1 found wrong with the arguments.
    """
    reasons: list[str] = []
    if problem is not None:
        return _before_arguments(principal, tool) or problem
    try:
        for built_in in tool.checks:
            verdict = built_in(principal, tool, arguments)
            if verdict is PERMIT:  # as most are, and found without a pattern
                continue
            match verdict:
                case Permit():
                    continue
                case Ask(reason):
                    reasons.append(reason)
                case Deny():
                    return verdict
                case never:
                    assert_never(never)
    except Exception as exc:
        return _failed("built-in", exc)
    for check in by.checks:
        match asked(check, principal, tool.known_as, payload):
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
    if tool.at_once:
        return _never_asks(tool.spec, reasons)
    return Ask("; ".join(reasons)) if by.approvable else _nobody(tool.spec, reasons)


def explain(
    principal: Principal,
    tool: Subject,
    arguments: Arguments,
    payload: bytes | None,
    problem: Deny | None,
    by: Judgement,
) -> list[Finding]:
    """Every check's word, also those after a no."""
    findings = [Finding(name, _said(built_in, principal, tool, arguments)) for name, built_in in _ORDER]
    if problem is not None:
        findings = [Finding(f.check, problem) if f.check == "arguments" else f for f in findings]
    else:
        findings += [Finding(_name(check), asked(check, principal, tool.known_as, payload)) for check in by.checks]
    reasons = [f.verdict.reason for f in findings if isinstance(f.verdict, Ask)]
    if reasons and tool.at_once:
        findings.append(Finding("approver", _never_asks(tool.spec, reasons)))
    elif reasons and not by.approvable:
        findings.append(Finding("approver", _nobody(tool.spec, reasons)))
    return findings


def relevant(spec: ToolSpec) -> "tuple[BuiltIn, ...]":
    """The built-in checks in order, without those that permit every call of this tool."""
    inert: dict[BuiltIn, bool] = {
        _callable_here: spec.source != "hosted",
        _mode: spec.capabilities.read_only or is_intrinsic(spec),
        _paths: spec.path_access == "none",
        _approval: not spec.capabilities.asks,
    }
    return tuple(check for _, check in _ORDER if not inert.get(check, False))


def asked(check: Check, principal: Principal, known_as: tuple[ToolSpec, ...], payload: bytes | None) -> Verdict:
    """A check of yours, shown its own copy of the arguments. What it denies while listing it denies always.

    A tool with two names is shown under both, and the stricter word holds.
    """
    strictest: Verdict = PERMIT
    for spec in known_as:
        word = _asked(check, principal, spec, payload)
        if isinstance(word, Deny):
            return word
        if isinstance(word, Ask):
            strictest = word
    return strictest


def _asked(check: Check, principal: Principal, spec: ToolSpec, payload: bytes | None) -> Verdict:
    listing = _word(check, principal, spec, None)
    if payload is None or isinstance(listing, Deny):
        return listing
    calling = _word(check, principal, spec, payload)
    return listing if isinstance(calling, Permit) else calling


def _word(check: Check, principal: Principal, spec: ToolSpec, payload: bytes | None) -> Verdict:
    try:
        verdict = check(principal, spec, None if payload is None else orjson.loads(payload))
    except (Exception, SystemExit) as exc:
        return _failed(_name(check), exc)
    if isinstance(verdict, Permit) or (isinstance(verdict, Ask | Deny) and _is_told_in_text(verdict)):
        return verdict
    problem = f"the check {_name(check)!r} gave {type(verdict).__name__}, not a verdict in plain text"
    return Deny("check_failed", problem, remedy="return PERMIT, Ask(...) or Deny(...)")


def _before_arguments(principal: Principal, tool: Subject) -> Deny | None:
    """What refuses a call whose arguments nobody could read, before it is about them."""
    for built_in in tool.checks:
        if built_in is arguments_fit:
            break
        verdict = _said(built_in, principal, tool, None)
        if isinstance(verdict, Deny):
            return verdict
    return None


def _said(built_in: BuiltIn, principal: Principal, tool: Subject, arguments: Arguments) -> Verdict:
    try:
        verdict = built_in(principal, tool, arguments)
        if not isinstance(verdict, Permit | Ask | Deny):
            assert_never(verdict)
    except Exception as exc:
        return _failed("built-in", exc)
    return verdict


def _failed(check: str, exc: BaseException) -> Deny:
    return Deny("check_failed", f"the check {check!r} raised {type(exc).__name__}", remedy="mend the check")


def _is_told_in_text(verdict: Ask | Deny) -> bool:
    """Whether all that a verdict says can stand on the ledger."""
    said = (
        (verdict.reason,)
        if isinstance(verdict, Ask)
        else (verdict.code, verdict.message, verdict.reason, verdict.remedy)
    )
    try:
        return all(isinstance(text, str) and text.encode() is not None for text in said)
    except UnicodeEncodeError:
        return False


def _name(check: Check) -> str:
    return str(getattr(check, "__name__", type(check).__name__))


def _never_asks(spec: ToolSpec, reasons: list[str]) -> Deny:
    problem = f"{short(spec.name)!r} answers at once and is never asked about, and a rule asks ({'; '.join(reasons)})"
    return Deny("rule_forbids", problem, reason="asks_at_once", remedy="drop the rule")


def _nobody(spec: ToolSpec, reasons: list[str]) -> Deny:
    return Deny(
        "approval_denied",
        f"{short(spec.name)!r} needs an approval ({'; '.join(reasons)}) and nobody can give it",
        reason="no_approver",
        remedy="give the Runtime an approver",
    )


def _callable_here(principal: Principal, tool: Subject, arguments: Arguments) -> Verdict:
    if tool.spec.source != "hosted":
        return PERMIT
    problem = f"{short(tool.spec.name)!r} is run by the model's provider, not here"
    return Deny("hosted_tool", problem, remedy="offer it through a provider's dialect")


def _mode(principal: Principal, tool: Subject, arguments: Arguments) -> Verdict:
    return mode_allows(principal, tool.spec)


def _paths(principal: Principal, tool: Subject, arguments: Arguments) -> Verdict:
    return paths_fit(tool.spec, principal.paths, arguments)


def _approval(principal: Principal, tool: Subject, arguments: Arguments) -> Verdict:
    capabilities = tool.spec.capabilities
    if capabilities.unsafe:
        return Ask("it is declared unsafe")
    return Ask("it is declared to need a person's approval") if capabilities.human_approval_required else PERMIT


_ORDER: tuple[tuple[str, BuiltIn], ...] = (
    ("source", _callable_here),
    ("mode", _mode),
    ("arguments", arguments_fit),
    ("paths", _paths),
    ("approval", _approval),
)
