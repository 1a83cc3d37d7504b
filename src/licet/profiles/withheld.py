"""A check of last resort: arguments that no model may set refuse the call."""

from collections.abc import Mapping
from typing import Any

from ..model.principal import Principal
from ..model.tool import ToolSpec
from ..model.verdict import PERMIT, Deny, Verdict
from ..schema.pointer import legible
from .guard import fields_of
from .scrub import scrubbed

REASON = "never_model_facing"


def withheld_arguments(principal: Principal, spec: ToolSpec, arguments: Mapping[str, Any] | None) -> Verdict:
    """Deny a call that sets, or may smuggle in, what no model may set. What was taken out before trips it no more."""
    held = None if arguments is None else fields_of(spec)
    if arguments is None or held is None:
        return PERMIT
    found = scrubbed(dict(arguments), held)
    if found.problem:
        return denied(found.at, found.problem)
    return denied(found.removed[0], "it is not a model's to set; leave it out") if found.removed else PERMIT


def denied(at: str, problem: str) -> Deny:
    """The refusal of a call, at the pointer to what is wrong with it."""
    return Deny("invalid_arguments", f"{legible(at)}: {problem}", reason=REASON, remedy="leave the argument out")


__all__ = ["REASON", "denied", "withheld_arguments"]
