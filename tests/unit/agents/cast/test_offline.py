"""The offline model: the same words for the same prompt, in every process, and no call."""

import asyncio
import subprocess
import sys

from manifests import TELLER, manifest

from licet import default_tool_registry
from licet.agents import ManifestAgent, OfflineModel, Scene
from licet.agents.cast.offline import words
from licet.model.call import Request
from licet.ports import Message

PINNED = {
    "": "While nobody looks, the hearth grows quiet, until the path begins to hum. The rest is patience.",
    "You are a judge.": "Today, a far bell remembers its name, but the mist begins to hum. Let it be so.",
    "é \ud800": "At first light, a single door begins to hum, but the river lets the light in. So it was said.",
}


def test_words_of_a_prompt_are_pinned() -> None:
    assert {prompt: words(prompt) for prompt in PINNED} == PINNED


def test_words_are_the_same_in_another_process() -> None:
    script = "from licet.agents.cast.offline import words; print(words('x'))"
    for seed in ("1", "2"):
        run = subprocess.run(
            [sys.executable, "-c", script], env={"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
        )
        assert run.stdout.strip() == words("x")


def test_words_differ_with_the_prompt() -> None:
    assert len({words(f"prompt {number}") for number in range(1_000)}) > 990


async def test_it_answers_the_whole_conversation_and_asks_for_no_call() -> None:
    asked = Message("user", "call oracle(seed='x')", calls=(Request("oracle"),))
    first = await OfflineModel().respond([asked], [])
    assert (first.role, first.calls, first.results) == ("assistant", (), ())
    assert await OfflineModel().respond([asked], []) == first
    assert await OfflineModel().respond([asked, first, asked], []) != first


async def test_runs_that_differ_in_their_secret_and_id_alone_get_the_same_words() -> None:
    async def text(secret: bytes, run_id: str, seed: str) -> str:
        with default_tool_registry({}) as registry:
            agent = ManifestAgent(manifest(TELLER), registry, secret=secret, run_id=run_id)
            [event] = await agent.act(Scene(seed=seed))
            said: str = event.payload["text"]
            return said

    told = await asyncio.gather(text(b"a" * 16, "one", "red"), text(b"b" * 16, "two", "red"))
    assert told[0] == told[1]
    assert await text(b"a" * 16, "one", "blue") != told[0]
