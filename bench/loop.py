"""A whole run of an agent with one tool call, offline: licet's loop against pydantic-ai's agent with its FunctionModel.

Both are asked once, ask for the same call, read what it gave, and end with words. Ours is governed: a run of its own,
grant, validation, deadline, two chained entries, the block that the model reads; with a record, what the model was
asked and said stands on the ledger too.
"""

import asyncio
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from bench.measure import Case, Gate, time_rounds
from bench.peers import ARGUMENTS, add
from licet import Principal, Runtime
from licet.agents.loop import Record, loop
from licet.ledger.sqlite import SqliteLedger
from licet.model.call import Request
from licet.model.tool import Offered
from licet.ports import Message
from licet.sources.function import make

MODULE = "bench.loop"
PACKAGES = ("licet", "orjson", "jsonschema-rs", "pydantic-ai-slim", "pydantic")
UNIT = "us a run"
PEER = "pydantic-ai Agent.run"
GATES = (
    Gate("a run with one call / pydantic-ai's agent", "memory", PEER, 0.15, 0.05),
    Gate("the same, what the model said recorded", "memory, recorded", PEER, 0.15, 0.08),
    Gate("the same on a durable ledger", "durable", PEER, 0.4, 0.1),
    Gate("the same on a durable ledger, what the model said recorded", "durable, recorded", PEER, 0.4, 0.15),
    Gate("a tool that writes, on a durable ledger", "durable, writing", PEER),
)
OFTEN = 200
TASK = "Add the numbers."


class Asks:
    """Asks for one call, reads its result, says one word."""

    name = "asks"

    async def respond(self, conversation: Sequence[Message], tools: Sequence[Offered], /) -> Message:
        last = conversation[-1]
        if last.role == "user":
            return Message("assistant", calls=(Request("add", ARGUMENTS, f"call_{id(last)}"),))
        return Message("assistant", f"done: {len(last.results[0].content)}")


def ours(runtime: Runtime, *, recorded: bool = False) -> Case:
    who = Principal("bench", grants=["add"], mode="workspace_write")
    tools = [spec.model_tool for spec in runtime.tools_for(who)]
    model = Asks()

    async def run_once() -> str:
        async with runtime.run(who) as run:
            record = Record(runtime.ledger, run) if recorded else None
            outcome = await loop(model, run, tools, TASK, record=record)
        assert outcome.calls == 1
        assert not outcome.refused + outcome.failed
        return outcome.text

    return run_once, OFTEN


def peer() -> dict[str, Case]:
    try:
        from pydantic_ai import Agent
    except ModuleNotFoundError:
        return {}
    from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
    from pydantic_ai.models.function import AgentInfo, FunctionModel

    async def respond(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        if len(messages) == 1:
            return ModelResponse(parts=[ToolCallPart(tool_name="add", args=ARGUMENTS)])
        return ModelResponse(parts=[TextPart(f"done: {len(str(messages[-1].parts[0].content))}")])

    agent = Agent(FunctionModel(respond), tools=[add])

    async def run_once() -> str:
        return (await agent.run(TASK)).output

    return {PEER: (run_once, OFTEN)}


async def measure(rounds: int) -> dict[str, list[float]]:
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder:
        durable, recorded, writing = (SqliteLedger(Path(folder) / f"{name}.db") for name in "abc")
        runtimes = [
            Runtime([make(add, read_only=True)]),
            Runtime([make(add, read_only=True)]),
            Runtime([make(add, read_only=True)], ledger=durable),
            Runtime([make(add, read_only=True)], ledger=recorded),
            Runtime([make(add, writes=True)], ledger=writing),
        ]
        cases = {
            "memory": ours(runtimes[0]),
            "memory, recorded": ours(runtimes[1], recorded=True),
            "durable": ours(runtimes[2]),
            "durable, recorded": ours(runtimes[3], recorded=True),
            "durable, writing": ours(runtimes[4]),
            **peer(),
        }
        try:
            return await time_rounds(cases, rounds)
        finally:
            for runtime in runtimes:
                runtime.close()
            for ledger in (durable, recorded, writing):
                ledger.close()


if __name__ == "__main__":
    print(json.dumps(asyncio.run(measure(int(sys.argv[1])))))
