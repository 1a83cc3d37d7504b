import asyncio
from collections.abc import Sequence

from licet import Principal, Runtime, tool
from licet.agents.loop import Bounds, Record, Spending, loop
from licet.dialects import openai_chat
from licet.model.call import Request
from licet.model.tool import Offered
from licet.ports import Message


@tool(read_only=True)
def weather(town: str, days: int = 1) -> dict:
    """What the weather will be."""
    return {"town": town, "days": days, "sky": "clear"}


@tool(writes=True)
def forget(town: str) -> dict:
    """Forget a town."""
    return {"forgot": town}


WHO = Principal("ann", grants=["weather"])


# --8<-- [start:dialect]
async def one_answer() -> None:
    async with Runtime([weather, forget]) as runtime, runtime.run(WHO) as run:
        made = openai_chat.compile(runtime.tools_for(WHO))
        print([one["function"]["name"] for one in made.tools], made.losses, dict(made.refused))

        asked = [("call_0", "weather", '{"town": "Bath"}'), ("call_1", "forget", '{"town": "Bath"}')]
        calls = [
            {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}
            for id, name, arguments in asked
        ]
        message = {"role": "assistant", "content": None, "tool_calls": calls}
        said = made.decode({"choices": [{"message": message, "finish_reason": "tool_calls"}]})
        results = await run.batch(request._replace(call_id=None) for request in said.calls)
        print([(request.tool, result.code) for request, result in zip(said.calls, results, strict=True)])
        print([one["tool_call_id"] for one in made.encode(Message.of(said), results)])


asyncio.run(one_answer())
# prints:
# ['weather'] () {}
# [('local/weather', None), ('not offered: forget', 'not_granted')]
# ['call_0', 'call_1']
# --8<-- [end:dialect]


class Parrot:
    """Stands in for ``licet.providers.openai.OpenAI("gpt-5")`` and its like: a model is whatever has these three."""

    name = "parrot"
    recorded = True

    async def respond(self, conversation: Sequence[Message], tools: Sequence[Offered], /) -> Message:
        if conversation[-1].results:
            return Message("assistant", "It will be clear.")
        return Message("assistant", "I look.", calls=(Request("weather", {"town": "Bath"}, "call_0"),))


# --8<-- [start:loop]
async def work() -> None:
    async with Runtime([weather, forget]) as runtime, runtime.run(WHO, id="bath") as run:
        tools = [spec.model_tool for spec in runtime.tools_for(WHO)]
        bounds = Bounds(calls=20, tokens=200_000, seconds=120)
        outcome = await loop(
            Parrot(),
            run,
            [*tools, *runtime.hosted_for(WHO)],
            "What will the weather be in Bath?",
            spending=Spending(bounds),
            record=Record(runtime.ledger, run),
        )
        print(outcome.stop, outcome.text, outcome.calls)
        print(*sorted({entry.kind for entry in runtime.ledger.entries("bath")}))


asyncio.run(work())
# prints:
# done It will be clear. 1
# model.answered model.asked model.begun model.ended tool.completed tool.requested
# --8<-- [end:loop]
