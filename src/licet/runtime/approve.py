"""Room 4. Shows one exact call to an approver and brings back a yes, bound to it, or a no."""

import asyncio
import secrets

from ..dialects.untrusted import escaped
from ..model.names import short
from ..model.verdict import Deny
from ..policy.judge import Judgement
from ..ports import ApprovalRequest, Approver, Clock
from .authorize import Approval, NeedsApproval, binding


async def approve(
    pending: NeedsApproval, by: Judgement, approver: Approver, wait_s: float, clock: Clock
) -> Approval | Deny:
    """Wait for a word. Changed arguments would be another call, so an approver can only answer."""
    call, tool = pending.call, pending.tool
    if approver.name == call.principal.name:
        return Deny("approval_denied", "nobody approves their own call", reason="self_approval")
    nonce = secrets.token_hex(16)
    expires_ns = clock.monotonic_ns() + int(wait_s * 1e9)
    bound = binding(call, tool, by, nonce, expires_ns)
    request = ApprovalRequest(
        call_id=call.id,
        run_id=call.run_id,
        principal=call.principal.name,
        mode=call.principal.mode,
        tool=short(call.tool),
        pin=tool.pin.whole,
        description=escaped(tool.spec.description),
        arguments=call.payload.decode(),
        reasons=tuple(pending.reason.split("; ")),
        expires_s=wait_s,
    )
    try:
        said = await asyncio.wait_for(approver.approve(request), wait_s)
    except TimeoutError:
        return _late(wait_s)
    except Exception as exc:
        problem = f"the approver {approver.name!r} raised {type(exc).__name__}"
        return Deny("approval_denied", problem, reason="approver_failed")
    if said is not True:
        return Deny("approval_denied", f"{approver.name!r} did not approve it")
    if clock.monotonic_ns() >= expires_ns:
        return _late(wait_s)
    return Approval(bound, nonce, expires_ns, approver.name)


def _late(wait_s: float) -> Deny:
    return Deny("approval_expired", f"nobody approved it within {wait_s:g} s")
