import asyncio

from licet import Principal, Runtime, tool
from licet.approvals.rule import RuleApprover
from licet.ports import ApprovalRequest


@tool(writes=True, approval=True)
def refund(order: str, cents: int) -> dict[str, str]:
    """Send money back."""
    return {"refunded": order}


def small(request: ApprovalRequest) -> bool:
    return '"cents":500,' in request.arguments


async def main() -> None:
    clerk = Principal("clerk", grants=["refund"], mode="workspace_write")

    async with Runtime([refund]) as nobody_to_ask:
        print(nobody_to_ask.tools_for(clerk))

    async with Runtime([refund], approver=RuleApprover("refund", when=small)) as runtime:
        yes = await runtime.call(clerk, "refund", {"order": "A7", "cents": 500})
        no = await runtime.call(clerk, "refund", {"order": "A7", "cents": 900})
        print(yes.output, no.code, no.effect)


asyncio.run(main())
# prints:
# []
# {'refunded': 'A7'} approval_denied none
