import asyncio

from licet import Principal, Runtime, errors, tool


@tool(writes=True)
def send(to: str) -> dict[str, str]:
    """Send a letter."""
    raise OSError("the post office is on fire")


async def main() -> None:
    async with Runtime([send]) as runtime:
        writer = Principal("writer", grants=["send"], mode="workspace_write")
        for arguments in ({"to": 7}, {"to": "Anna"}):
            result = await runtime.call(writer, "send", arguments)
            # --8<-- [start:handle]
            try:
                print(result.unwrap())
            except errors.RefusedError as refused:
                print("nothing happened:", refused.code)
            except errors.ExecutionError as failed:
                print("look before you try again:", failed.code, "because of", repr(failed.__cause__))
            # --8<-- [end:handle]


asyncio.run(main())
# prints:
# nothing happened: invalid_arguments
# look before you try again: tool_failed because of OSError('the post office is on fire')
