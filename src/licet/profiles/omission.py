"""What a profile promises and an engine does not advertise."""

from collections.abc import Iterable

from .guard import engine_tool, own_name
from .terms import Profile


def missing(profile: Profile, advertised: Iterable[str]) -> tuple[str, ...]:
    """Own names of the profile's tools that are not among these names, canonical or own, in the contract's order.

    What is exposed is what is there: the runtime warns and goes on; a conformance test fails.
    """
    there = set()
    for name in advertised:
        own = own_name(name) if "/" in name else name
        tool = engine_tool(own)
        there.add(own if tool is None else tool.name)
    return tuple(tool for tool in profile.tools or () if tool not in there)


__all__ = ["missing"]
