"""Room 3. Judges a call; pure. The only module that makes an AuthorizedCall."""

import hashlib
from collections.abc import Mapping
from typing import Any, NamedTuple

import orjson

from ..catalog import Bound
from ..model.call import ToolCall
from ..model.names import short
from ..model.principal import Principal
from ..model.tool import ToolSpec
from ..model.verdict import PERMIT, Ask, Deny, Permit
from ..policy.grants import granted, refused_grant
from ..policy.judge import Arguments, Finding, Judgement, explain, judge


class AuthorizedCall:
    """A call that passed every check and every approval. Dispatch takes nothing else, and takes it once."""

    __slots__ = ("_arguments", "call", "tool")

    def __init__(self, call: ToolCall, tool: Bound, arguments: Arguments) -> None:
        self.call = call
        self.tool = tool
        self._arguments = arguments

    @property
    def spent(self) -> bool:
        """Whether the handler has its arguments: from here on something may have happened."""
        return self._arguments is None

    def spend(self) -> dict[str, Any]:
        """The arguments for the handler, once. Raises RuntimeError: the ticket was used before."""
        arguments, self._arguments = self._arguments, None
        if arguments is None:
            raise RuntimeError("an AuthorizedCall is used once")
        return arguments

    def __reduce__(self) -> Any:
        raise TypeError("an AuthorizedCall is not copied and does not leave its process")


class NeedsApproval(NamedTuple):
    """A call that passed every check but waits for a yes."""

    call: ToolCall
    tool: Bound
    reason: str


class Approval(NamedTuple):
    """A yes: a fact for this room, bound to exactly what was shown."""

    binding: str
    nonce: str
    expires_ns: int
    by: str


CHANGED = Deny("approval_denied", "what was approved is not what would run now", reason="changed_while_pending")


def authorize(
    call: ToolCall, arguments: Arguments, tool: Bound | None, by: Judgement, approval: Approval | None = None
) -> AuthorizedCall | NeedsApproval | Deny:
    """The grant comes first: who holds none learns nothing about the tool.

    ``arguments`` are the call's, as nobody else holds them: what is judged here is what the handler gets.
    """
    _, _, principal, name, payload, problem, _ = call
    if name not in principal.grants:
        return refused_grant(principal, name)
    if tool is None:
        return _absent(call)
    verdict = judge(principal, tool, arguments, payload, problem, by)
    if verdict is PERMIT and approval is None:
        return AuthorizedCall(call, tool, arguments)  # as most are
    if isinstance(verdict, Deny):
        return verdict
    if approval is None:
        if isinstance(verdict, Permit):
            return AuthorizedCall(call, tool, arguments)
        return NeedsApproval(call, tool, verdict.reason)
    if approval.binding == binding(call, tool, by, approval.nonce, approval.expires_ns):
        return AuthorizedCall(call, tool, arguments)
    return CHANGED


def binding(call: ToolCall, tool: Bound, by: Judgement, nonce: str, expires_ns: int) -> str:
    """The digest of all that a yes covers: any difference is another call."""
    facts = [
        call.id,
        call.run_id,
        call.principal.name,
        call.principal.mode,
        call.tool,
        tool.pin.whole,
        call.payload.decode(),
        policy_digest(call.principal, by),
        nonce,
        expires_ns,
    ]
    return hashlib.sha256(orjson.dumps(facts)).hexdigest()


def policy_digest(principal: Principal, by: Judgement) -> str:
    """What the principal may do under these checks, as one digest."""
    facts = [
        sorted(principal.grants),
        principal.mode,
        principal.paths.access,
        principal.paths.roots,
        [
            f"{getattr(c, '__module__', '')}.{getattr(c, '__qualname__', type(c).__qualname__)}:{id(c)}"
            for c in by.checks
        ],
        by.approvable,
    ]
    return "sha256:" + hashlib.sha256(orjson.dumps(facts)).hexdigest()


def listed(principal: Principal, tools: Mapping[str, Bound], by: Judgement) -> list[ToolSpec]:
    """What a principal may see: the judgement of a call, without arguments."""
    return [
        tool.spec
        for name, tool in tools.items()
        if name in principal.grants and isinstance(judge(principal, tool, None, None, None, by), Permit | Ask)
    ]


def findings(
    call: ToolCall, arguments: Arguments, tool: Bound | None, by: Judgement, *, listing: bool
) -> list[Finding]:
    """Every check's word on a call, in order; with ``listing`` its arguments are left out of it."""
    found = [Finding("grant", granted(call.principal, call.tool))]
    if tool is None:
        return [*found, Finding("lookup", _absent(call))]
    arguments, payload = (None, None) if listing else (arguments, call.payload)
    return [*found, Finding("lookup", PERMIT), *explain(call.principal, tool, arguments, payload, call.problem, by)]


def _absent(call: ToolCall) -> Deny:
    if call.problem is not None and call.problem.code != "invalid_arguments":
        return call.problem  # it is no name, or a resolver did not say
    return Deny(
        "unknown_tool",
        f"no tool is registered as {short(call.tool)!r}",
        remedy="register it, or attach a resolver that has it",
    )
