"""LiteLLM's proxy over ``licet serve``, with what ``licet litellm`` writes: the suites, as its clients see it.

The control is the same proxy with the same configuration, which points past ``licet serve``, at the engine itself.
"""

import asyncio
from collections.abc import Iterator
from functools import partial

import pytest
from licet_litellm import (
    HAS_NO_FLAT_NAME,
    HIDES_NOTHING,
    LACKS_SOMETHING,
    NOTHING_PINNED,
    LicetUnderLiteLlm,
    LiteLlm,
)

from licet.conformance.mcp_subject import NOT_OVER_MCP
from licet.conformance.run import run
from licet.conformance.target import InProcess
from licet.conformance.vector import Vector, chosen, vectors
from licet.conformance.verdict import Outcome
from peers.litellm_proxy import Proxies, litellm

AT_ONCE = 2
"""Vectors that are played together: each starts two processes."""
PATIENCE_S = 60.0

WAITS = "cancellation.neighbour"
"""LiteLLM 1.108.7 carries out the calls of one client's session one after another, so a neighbour comes too late."""

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


class Subject(InProcess):
    """``is_gateway`` of a class stands on what makes one of it, too."""

    def __init__(self, made: type[LiteLlm], proxies: Proxies) -> None:
        factory = partial(made, proxies)
        factory.is_gateway = True  # type: ignore[attr-defined]
        super().__init__(factory, made.__name__)


@pytest.fixture(scope="module")
def proxies(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxies]:
    with litellm(tmp_path_factory.mktemp("litellm")) as made:
        yield made


def outcomes(subject: Subject, on: tuple[Vector, ...]) -> list[Outcome]:
    """It takes longer than a test that is a coroutine has."""

    async def one(vector: Vector) -> Outcome:
        async with room:
            return (await run(subject, (vector,), patience_s=PATIENCE_S)).outcomes[0]

    async def all_() -> list[Outcome]:
        return await asyncio.gather(*map(one, on))

    room = asyncio.Semaphore(AT_ONCE)
    return asyncio.run(all_())


@pytest.mark.requirement("profile.litellm")
@pytest.mark.requirement("profile.conformance-suite")
@pytest.mark.parametrize("topic", sorted({one.topic for one in vectors()}))
def test_litellm_over_licet_keeps_the_contract(topic: str, proxies: Proxies) -> None:
    on = tuple(one for one in vectors() if one.topic == topic)
    got = outcomes(Subject(LicetUnderLiteLlm, proxies), on)
    assert [(one.vector, one.verdict, one.told) for one in got if not one.is_green and one.vector != WAITS] == []
    why = {one.vector: one.told for one in got if one.verdict == "not applicable"}
    assert why == {one.id: NOT_APPLICABLE[one.id] for one in on if one.id in NOT_APPLICABLE}
    assert {one.verdict for one in got if one.vector == WAITS} <= {"failed"}


@pytest.mark.requirement("profile.never-model-facing")
def test_litellm_straight_before_the_engine_shows_and_hands_on_what_no_model_may_set(proxies: Proxies) -> None:
    on = tuple(one for one in chosen(["profile"]) if one.topic == "fields")
    got = outcomes(Subject(LiteLlm, proxies), on)
    assert {one.vector for one in got if one.verdict == "failed"} >= {
        *("fields.shown-execute", "fields.shown-full", "fields.nested", "fields.batch", "fields.text")
    }
