import asyncio
import json

from licet import Principal, Runtime, tool
from licet.ledger.verify import verify


@tool(writes=True)
def ring(bell: str) -> dict[str, str]:
    """Ring a bell."""
    return {"rang": bell}


# --8<-- [start:calls]
async def main() -> None:
    ringer = Principal("ringer", grants=["ring"], mode="workspace_write")
    async with Runtime([ring], ledger="calls.licet") as runtime:
        await runtime.call(ringer, "ring", {"bell": "low"})
        await runtime.call(ringer, "melt", {"bell": "low"})
        for entry in runtime.ledger.entries():
            body = json.loads(entry.body)
            print(entry.seq, entry.kind, entry.actor, body.get("code"))
        print(verify(runtime.ledger.entries()).ok)


asyncio.run(main())
# prints:
# 1 tool.requested ringer None
# 2 tool.completed ringer None
# 3 tool.refused ringer not_granted
# True
# --8<-- [end:calls]
