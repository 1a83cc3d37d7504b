"""Tools that a model's provider runs itself: nobody here sees their arguments, so a rule about those forbids them."""

from ..model.names import short
from ..model.principal import Principal
from ..model.tool import ToolSpec
from ..model.verdict import PERMIT, Ask, Deny, Verdict
from .grants import granted
from .judge import Judgement, asked
from .modes import mode_allows


def may_be_offered(principal: Principal, spec: ToolSpec, by: Judgement) -> Verdict:
    """Whether a provider may be told of a hosted tool for this principal. Never Ask: there is no call to approve.

    It takes an exact grant, a declaration for some provider, a classification (``read_only`` or ``writes``), a mode
    that allows it, no flag and no check that asks or denies, and no rule about its arguments.
    """
    name = short(spec.name)
    verdict: Verdict = granted(principal, spec.name)
    if isinstance(verdict, Deny):
        return verdict
    if spec.source != "hosted" or not spec.hosted:
        return Deny("hosted_tool", f"{name!r} is declared for no provider", remedy="declare it: ToolSpec(hosted={...})")
    flags = spec.capabilities
    if not (flags.read_only or flags.writes):
        problem = f"nobody said whether {name!r} reads or writes"
        return Deny("hosted_tool", problem, reason="not_classified", remedy="say ToolCapability(read_only=True)")
    if flags.asks or spec.path_access != "none":
        problem = f"{name!r} would need an approval or paths, and its provider asks nobody here"
        return Deny("hosted_tool", problem, reason="cannot_be_judged", remedy="take a tool that is called here")
    verdict = mode_allows(principal, spec)
    if isinstance(verdict, Deny):
        return verdict
    for check in by.checks:
        word = asked(check, principal, (spec,), None)
        if isinstance(word, Ask):
            return Deny("hosted_tool", f"{name!r} is under a rule that asks: {word.reason}", reason="cannot_be_judged")
        if isinstance(word, Deny):
            return word
    return PERMIT


__all__ = ["may_be_offered"]
