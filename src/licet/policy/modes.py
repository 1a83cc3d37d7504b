"""How much a run may change."""

from ..model.names import short
from ..model.principal import Principal
from ..model.tool import ToolSpec
from ..model.verdict import PERMIT, Deny, Verdict


def is_intrinsic(spec: ToolSpec) -> bool:
    """Whether a tool comes with licet and touches workflow state alone."""
    return spec.tool_type == "intrinsic" and spec.source == "builtin"


def mode_allows(principal: Principal, spec: ToolSpec) -> Verdict:
    """A ``read_only`` run sees tools that only read, by fact, and intrinsics, which touch workflow state alone."""
    if principal.mode != "read_only" or spec.capabilities.read_only or is_intrinsic(spec):
        return PERMIT
    return Deny(
        "mode_forbids",
        f"{short(spec.name)!r} may write, and this run is read_only",
        remedy="if it only reads, declare it with @tool(read_only=True); else run with mode='workspace_write'",
    )
