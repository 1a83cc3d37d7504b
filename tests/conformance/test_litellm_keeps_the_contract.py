"""The suite of profiles on LiteLLM's proxy over ``licet serve``, with what ``licet litellm`` writes, as clients see it.

The control is the same proxy with the same configuration, which points past ``licet serve``, at the engine itself. The
core suite is played by ``scripts/compare-litellm``, in the same way.
"""

import asyncio
from collections.abc import Iterator

import pytest
from licet_litellm import LicetUnderLiteLlm, LiteLlm
from litellm_played import played, unexpected

from licet.conformance.vector import chosen
from peers.litellm_proxy import Proxies, litellm

PROFILE = chosen(["profile"])


@pytest.fixture(scope="module")
def proxies(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxies]:
    with litellm(tmp_path_factory.mktemp("litellm")) as made:
        yield made


@pytest.mark.requirement("profile.litellm")
@pytest.mark.requirement("profile.conformance-suite")
@pytest.mark.parametrize("topic", sorted({one.topic for one in PROFILE}))
def test_litellm_over_licet_keeps_the_contract(topic: str, proxies: Proxies) -> None:
    on = [one for one in PROFILE if one.topic == topic]
    assert unexpected(asyncio.run(played(LicetUnderLiteLlm, proxies, on))) == []


@pytest.mark.requirement("profile.never-model-facing")
def test_litellm_straight_before_the_engine_shows_and_hands_on_what_no_model_may_set(proxies: Proxies) -> None:
    red = {"fields.shown-execute", "fields.shown-full", "fields.nested", "fields.batch", "fields.text"}
    got = asyncio.run(played(LiteLlm, proxies, chosen(only=sorted(red))))
    assert {one.vector for one in got if one.verdict == "failed"} == red
