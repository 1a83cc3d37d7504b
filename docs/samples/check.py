import asyncio
from collections.abc import Mapping
from typing import Any

from licet import Ask, Deny, Permit, Principal, Runtime, ToolSpec, Verdict, tool


@tool(read_only=True)
def weather(city: str) -> dict[str, str]:
    """The weather in a city."""
    return {"city": city, "weather": "rain"}


# --8<-- [start:check]
def not_atlantis(principal: Principal, spec: ToolSpec, arguments: Mapping[str, Any] | None) -> Verdict:
    """Arguments are None while listing. Pure: it may be called several times for one call."""
    if arguments is None or spec.name != "local/weather":
        return Permit()
    if arguments["city"] == "Atlantis":
        return Deny("no_such_city", "there is no weather in Atlantis", remedy="ask about a city above the sea")
    return Ask("nobody knows this city") if len(arguments["city"]) < 3 else Permit()


# --8<-- [end:check]
async def main() -> None:
    async with Runtime([weather], checks=[not_atlantis]) as runtime:
        reader = Principal("reader", grants=["weather"])
        for city in ("Bergen", "Atlantis", "Å"):
            result = await runtime.call(reader, "weather", {"city": city})
            print(result.output, result.code)
        # prints:
        # {'city': 'Bergen', 'weather': 'rain'} None
        # {} no_such_city
        # {} approval_denied

        # --8<-- [start:why]
        why = runtime.why(reader, "weather", {"city": "Atlantis"})
        for finding in why.findings:
            print(finding.check, type(finding.verdict).__name__)
        # prints:
        # grant Permit
        # lookup Permit
        # source Permit
        # mode Permit
        # arguments Permit
        # paths Permit
        # approval Permit
        # not_atlantis Deny
        # --8<-- [end:why]


asyncio.run(main())
