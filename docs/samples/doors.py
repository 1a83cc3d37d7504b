# --8<-- [start:tool]
from licet import Principal, Runtime, tool


@tool(read_only=True)
def area(width: float, height: float) -> dict[str, float]:
    """The area of a rectangle, in the unit of its sides, squared."""
    return {"area": width * height}


clerk = Principal("clerk", grants=["area"])
runtime = Runtime([area])
# --8<-- [end:tool]

# --8<-- [start:run]
import asyncio


async def main() -> None:
    async with runtime.run(clerk, max_calls=2) as run:
        for side in (2, 3, 4):
            result = await run.call("area", {"width": side, "height": side})
            print(result.output, result.code)


asyncio.run(main())
# prints:
# {'area': 4} None
# {'area': 9} None
# {} limit_exceeded
# --8<-- [end:run]

# --8<-- [start:blocking]
from licet.doors.blocking import Blocking

with Blocking(runtime, clerk) as door:
    print(door.call("area", {"width": 2, "height": 3}).output)
# prints:
# {'area': 6}
# --8<-- [end:blocking]

# --8<-- [start:functions]
(function,) = runtime.functions_for(clerk, rendered=False)
print(function.__name__, "-", function.__doc__)
print(asyncio.run(function(width=2, height=3)))
print(asyncio.run(function(width="two", height=3)))
# prints:
# area - The area of a rectangle, in the unit of its sides, squared.
# {'area': 6}
# invalid_arguments: the arguments of 'area' do not fit its schema: /width: the value is not of type "number"
# --8<-- [end:functions]

# --8<-- [start:registry]
from typing import NamedTuple

from licet import CapabilityViolation, ToolRegistry


class Manifest(NamedTuple):
    """Anything that has ``tools`` is one."""

    tools: list[str]


registry = ToolRegistry()
registry.register("oracle", "Draw an omen.", lambda seed: {"omen": f"{seed} sleeps"})

print(registry.call("teller", Manifest(["oracle"]), "oracle", {"seed": "moon"}))
try:
    registry.call("whisperer", Manifest([]), "oracle", {"seed": "moon"})
except CapabilityViolation as refused:
    print(refused.code, refused.tool_name)
# prints:
# {'omen': 'moon sleeps'}
# not_granted local/oracle
# --8<-- [end:registry]

# --8<-- [start:runner]
from licet import ToolRunner

runner = ToolRunner(registry)
print([spec.name for spec in runner.discover()])
print(runner.execute("oracle", {"seed": "moon"}).error)
runner.activate("oracle")
print(runner.execute("oracle", {"seed": "moon"}).output)
print(runner.deactivate("oracle"), runner.deactivate("oracle"))
# prints:
# ['local/oracle']
# ActivationError: local/oracle is not active; activate it first
# {'omen': 'moon sleeps'}
# True False
# --8<-- [end:runner]

runner.close()
registry.close()
runtime.close()
