"""A thousand tools made ready for a provider, against LangChain's conversion to the same wire.

From functions, each library derives a schema from the same signature: ours when a tool is made, theirs when it is
converted, so both are timed from the function to the wire, and from there on too. From JSON Schemas, as servers list
them, LangChain copies each; ours names it, looks at its root, and lists what is lost. Time is processor time.
"""

import gc
import json
import os
import sys
import time
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any, Literal

from bench.measure import Gate
from bench.plain import tool as listed
from licet.dialects import anthropic, openai_chat
from licet.model.tool import ToolSpec
from licet.sources.function import make

MODULE = "bench.dialects"
PACKAGES = ("licet", "orjson", "langchain-core", "pydantic")
UNIT = "us for 1,000 tools"
MANY = 1_000
OFTEN = 20
"""Times that a compilation from the cache is repeated, to be seen at all."""

MILLISECOND = "limit: 1 ms"
GATES = (
    Gate("1,000 functions to the OpenAI wire / LangChain", "functions", "functions, langchain", 0.1, 0.05),
    Gate(
        "1,000 tools of functions compiled / LangChain's first conversion",
        "compiled",
        "converted, langchain",
        0.1,
        0.03,
    ),
    Gate("the same a second time / 1 ms", "compiled again", MILLISECOND, 1, 0.2),
    Gate("the same a second time / LangChain's second time", "compiled again", "converted again, langchain"),
    Gate("a second time, and its wire read / LangChain's second time", "read again", "converted again, langchain"),
    Gate("1,000 tools of JSON Schemas compiled / LangChain's copies", "schemas", "schemas, langchain"),
)
SOURCE = '''
async def look_{round}_{n}(key_{n}: str, limit: int = 5, kind: Literal["a", "b"] = "a") -> str:
    """What the {n}th tool does, in as many words as people take for that: it looks something up."""
    return ""
'''


def functions(round: int) -> list[Callable[..., Any]]:
    """Functions that nobody has seen before."""
    made: dict[str, Any] = {"Literal": Literal}
    for number in range(MANY):
        exec(SOURCE.format(n=number, round=round), made)  # noqa: S102 - the source above: no two schemas are alike
    return [made[f"look_{round}_{number}"] for number in range(MANY)]


def timed(work: Callable[[], Any], times: int = 1) -> tuple[float, Any]:
    """Microseconds of processor time for one of so many, and the last result. What stands already is not looked at."""
    gc.collect()
    gc.freeze()
    began = time.process_time()
    for _ in range(times):
        done = work()
    return (time.process_time() - began) / times * 1e6, done


def ours(round: int) -> dict[str, float]:
    took: dict[str, float] = {}
    fresh = functions(round)
    took["functions"], compiled = timed(
        lambda: openai_chat.compile([make(one, read_only=True).spec for one in fresh], most_tools=None)
    )
    specs = [make(one, name=f"other_{one.__name__}", read_only=True).spec for one in fresh]
    took["compiled"], compiled = timed(lambda: openai_chat.compile(specs, most_tools=None))
    took["compiled again"], again = timed(lambda: openai_chat.compile(specs, most_tools=None), OFTEN)
    took["read again"], tools = timed(lambda: openai_chat.compile(specs, most_tools=None).tools, OFTEN)
    took["anthropic"], _ = timed(lambda: anthropic.compile(specs))
    schemas = [_spec(listed(f"server{round}", number)) for number in range(MANY)]
    took["schemas"], _ = timed(lambda: openai_chat.compile(schemas, most_tools=None))
    if not (len(tools) == len(compiled.names.offered) == len(again.names.offered) == MANY and not again.refused):
        raise SystemExit(f"not every tool is offered: {len(tools)}")
    return took


def _spec(told: dict[str, Any]) -> ToolSpec:
    return ToolSpec(
        name=f"mcp/server.{told['name']}",
        description=told["description"],
        input_schema=told["inputSchema"],
        source="mcp",
    )


def langchain(round: int) -> dict[str, float]:
    os.environ["LANGSMITH_TRACING"] = "false"
    from langchain_core.tools import StructuredTool
    from langchain_core.utils.function_calling import convert_to_openai_tool

    def converted(tools: list[Any]) -> list[dict[str, Any]]:
        return [convert_to_openai_tool(one) for one in tools]

    async def nothing(**_: Any) -> str:
        return ""

    took: dict[str, float] = {}
    fresh = functions(round)
    took["functions, langchain"], _ = timed(
        lambda: converted([StructuredTool.from_function(coroutine=one) for one in fresh])
    )
    tools = [StructuredTool.from_function(coroutine=one, name=f"other_{one.__name__}") for one in fresh]
    took["converted, langchain"], told = timed(lambda: converted(tools))
    took["converted again, langchain"], _ = timed(lambda: converted(tools))
    schemas: list[Any] = []
    for number in range(MANY):
        one = listed(f"server{round}", number)
        name, description, schema = one["name"], one["description"], one["inputSchema"]
        schemas.append(StructuredTool(name=name, description=description, args_schema=schema, coroutine=nothing))
    took["schemas, langchain"], _ = timed(lambda: converted(schemas))
    if len(told) != MANY or "parameters" not in told[0]["function"]:
        raise SystemExit(f"LangChain does not do what is timed: {told[:1]}")
    return took


def main(rounds: int) -> None:
    peers = [langchain] if find_spec("langchain_core") else []
    measured: dict[str, list[float]] = {}
    for round in range(rounds + 1):  # the first one imports what is imported late
        found = {MILLISECOND: 1000.0}
        for side in (ours, *peers):
            found |= side(round)
        for case, value in found.items() if round else ():
            measured.setdefault(case, []).append(value)
    print(json.dumps(measured))


if __name__ == "__main__":
    main(int(sys.argv[1]))
