"""Vectors on LiteLLM's proxy, several at once, and what is expected of them."""

import asyncio
from collections.abc import Sequence
from functools import partial

from licet_litellm import HAS_NO_FLAT_NAME, HIDES_NOTHING, LACKS_SOMETHING, NOTHING_PINNED, LiteLlm

from licet.conformance.mcp_subject import NOT_OVER_MCP
from licet.conformance.run import run
from licet.conformance.target import InProcess
from licet.conformance.vector import Vector, vectors
from licet.conformance.verdict import Outcome
from peers.litellm_proxy import Proxies

AT_ONCE = 2
"""Vectors that are played together: each starts two processes."""
PATIENCE_S = 60.0

OF_LITELLM = {
    "cancellation.neighbour": "LiteLLM carries out the calls of one client's session one after another",
}
"""What is red whatever stands behind LiteLLM, and why."""

NOT_APPLICABLE = {
    **{one.id: NOT_OVER_MCP[need] for one in vectors() for need in one.needs},
    **{one.id: HIDES_NOTHING for one in vectors() if one.topic == "hidden"},
    "errors.source": NOTHING_PINNED,
    "profile.source": NOTHING_PINNED,
    "names.valid": HAS_NO_FLAT_NAME,
    "names.distinct": HAS_NO_FLAT_NAME,
    "admission.disabled": LACKS_SOMETHING,
    "admission.role": LACKS_SOMETHING,
}
"""The reason of each vector that cannot be played there."""


async def played(made: type[LiteLlm], proxies: Proxies, on: Sequence[Vector]) -> list[Outcome]:
    """An outcome for each, in their order."""
    room = asyncio.Semaphore(AT_ONCE)
    factory = partial(made, proxies)
    factory.is_gateway = made.is_gateway  # type: ignore[attr-defined]
    target = InProcess(factory, made.__name__)

    async def one(vector: Vector) -> Outcome:
        async with room:
            return (await run(target, (vector,), patience_s=PATIENCE_S)).outcomes[0]

    return await asyncio.gather(*map(one, on))


def unexpected(got: Sequence[Outcome]) -> list[str]:
    """What is not as it is expected over licet: a line for each vector."""
    lines = []
    for one in got:
        why = NOT_APPLICABLE.get(one.vector)
        if one.vector in OF_LITELLM:
            right = one.verdict == "failed"
        elif why is not None:
            right = (one.verdict, one.told) == ("not applicable", why)
        else:
            right = one.verdict == "passed"
        if not right:
            lines.append(f"{one.vector}: {one.verdict}: {one.told}")
    return lines
