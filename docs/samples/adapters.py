# --8<-- [start:pydantic_ai]
import asyncio

from pydantic_ai import Agent, DeferredToolRequests, DeferredToolResults
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel

from licet import Principal, Runtime, tool
from licet.adapters.pydantic_ai import toolset


@tool(approval=True)
async def transfer(to: str, cents: int) -> dict:
    """Transfer money."""
    return {"to": to, "cents": cents}


def model(messages, info):  # stands in for a model: it asks for one call, and is done
    if len(messages) > 1:
        return ModelResponse([TextPart("done")])
    return ModelResponse([ToolCallPart("transfer", {"to": "A-7", "cents": 42}, "call_1")])


async def main():
    async with Runtime([transfer], ledger="calls.db") as runtime:
        clerk = Principal("clerk", grants=["transfer"], mode="workspace_write")
        agent = Agent(
            FunctionModel(model),
            toolsets=[toolset(runtime, clerk)],
            output_type=[str, DeferredToolRequests],
        )
        paused = await agent.run("Pay A-7.")
        (call,) = paused.output.approvals
        print(call.tool_name, call.args, paused.output.metadata[call.tool_call_id]["reasons"])

        yes = DeferredToolResults(approvals={call.tool_call_id: True})
        done = await agent.run(message_history=paused.all_messages(), deferred_tool_results=yes)
        print(done.output, [entry.kind for entry in runtime.ledger.entries()])


asyncio.run(main())
# prints:
# transfer {'to': 'A-7', 'cents': 42} ["it is declared to need a person's approval"]
# done ['tool.approved', 'tool.requested', 'tool.completed']
# --8<-- [end:pydantic_ai]
