"""Room 4. Shows one exact call to an approver and brings back a yes, bound to it, or a no."""

import asyncio
import os

from ..dialects.untrusted import escaped
from ..model.names import short
from ..model.verdict import Deny
from ..policy.judge import Judgement
from ..ports import ApprovalRequest, Approver, Clock
from .authorize import Approval, NeedsApproval, binding

LEFT = Deny("approval_denied", "its caller went away before anybody approved it", reason="abandoned")


async def approve(
    pending: NeedsApproval, by: Judgement, approver: Approver, wait_s: float, clock: Clock
) -> Approval | Deny:
    """Wait for a word. Changed arguments would be another call, so an approver can only answer."""
    call, tool = pending.call, pending.tool
    who = escaped(str(getattr(approver, "name", "")))
    if not who:
        return Deny("approval_denied", "the approver has no name", reason="approver_failed")
    if who == escaped(call.principal.name):
        return Deny("approval_denied", "nobody approves their own call", reason="self_approval")
    nonce = os.urandom(16).hex()
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
    task = asyncio.current_task()
    cancelled_before = 0 if task is None else task.cancelling()
    if cancelled_before:
        await asyncio.sleep(0)  # a cancellation that is not delivered yet is delivered here: nobody is asked
    try:
        async with asyncio.timeout(wait_s) as waiting:
            said = await approver.approve(request)
    except TimeoutError:
        return _late(wait_s)
    except (Exception, SystemExit) as exc:
        return _failed(who, exc)
    except asyncio.CancelledError as exc:
        if task is None or task.cancelling() > cancelled_before:
            raise
        return _failed(who, exc)  # what it waited for was cancelled, not this call
    if waiting.expired() or clock.monotonic_ns() >= expires_ns:
        return _late(wait_s)
    if said is not True:
        return Deny("approval_denied", f"{who!r} did not approve it")
    return Approval(bound, nonce, expires_ns, who)


def _failed(who: str, exc: BaseException) -> Deny:
    return Deny("approval_denied", f"the approver {who!r} raised {type(exc).__name__}", reason="approver_failed")


def _late(wait_s: float) -> Deny:
    return Deny("approval_expired", f"nobody approved it within {wait_s:g} s")
