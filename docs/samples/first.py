# --8<-- [start:tools]
import asyncio

from licet import Principal, Runtime, tool

STOCK = {"pears": 12, "plums": 0}


@tool(read_only=True)
def in_stock(fruit: str) -> dict[str, int]:
    """How many there are."""
    return {"count": STOCK[fruit]}


@tool(writes=True)
def take(fruit: str, count: int) -> dict[str, int]:
    """Take some out of the stock."""
    STOCK[fruit] -= count
    return {"left": STOCK[fruit]}


# --8<-- [end:tools]
# --8<-- [start:calls]
async def main() -> None:
    async with Runtime([in_stock, take]) as runtime:
        clerk = Principal("clerk", grants=["in_stock"])
        print([spec.name for spec in runtime.tools_for(clerk)])

        found = await runtime.call(clerk, "in_stock", {"fruit": "pears"})
        print(found.output, found.effect)

        refused = await runtime.call(clerk, "take", {"fruit": "pears", "count": 1})
        print(refused.code, refused.effect, STOCK["pears"])

        keeper = Principal("keeper", grants=["in_stock", "take"], mode="workspace_write")
        taken = await runtime.call(keeper, "take", {"fruit": "pears", "count": 1})
        print(taken.output, taken.effect)


asyncio.run(main())
# prints:
# ['local/in_stock']
# {'count': 12} done
# not_granted none 12
# {'left': 11} done
# --8<-- [end:calls]
