"""Models by the name that a manifest gives them."""

from typing import Any

import pytest

from licet.agents.cast.handlers import HANDLERS
from licet.agents.cast.models import model_named
from licet.agents.scenario.metered import Metered
from licet.errors import ConfigurationError, ProviderError, ProviderSetupError
from licet.model.said import Usage
from licet.ports import Message
from licet.project.manifest import Manifest
from licet.project.manifest_file import load


def manifest(model: str) -> Manifest:
    text = f"name: a\nmodel: '{model}'\n"
    return load(text.encode(), "a.yaml", stem="a", handlers=HANDLERS, models=["offline", "mine"])


def test_a_manifest_names_a_providers_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-1")
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    assert model_named(manifest("openai:gpt-5")).name == "openai:gpt-5"
    assert model_named(manifest("offline")).name == "offline"


def test_a_model_whose_key_is_missing_is_found_out_when_it_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with pytest.raises(ProviderSetupError, match="OPENAI_API_KEY"):
        model_named(manifest("openai:gpt-5"))
    with pytest.raises(ConfigurationError, match=r"there is no model 'mine' here; write offline, one of"):
        model_named(manifest("mine"))


class Counts:
    name = "counts"
    recorded = True
    max_output_tokens = 50

    def __init__(self, said: Message | None) -> None:
        self.said = said
        self.closed = False

    async def respond(self, conversation: Any, tools: Any, /) -> Message:
        if self.said is None:
            raise ProviderError("gone")
        return self.said

    async def close(self) -> None:
        self.closed = True


async def test_what_a_provider_counted_is_what_is_taken() -> None:
    taken: list[tuple[int, bool]] = []

    def take(count: int, /, *, used: bool = False) -> None:
        taken.append((count, used))

    model = Counts(Message("assistant", "x", usage=Usage(70, 30)))
    metered = Metered(model, take)
    await metered.respond([Message("user", "y" * 40)], [])
    assert taken == [(60, False), (40, True)]
    assert (metered.recorded, metered.max_output_tokens) == (True, 50)
    taken.clear()
    with pytest.raises(ProviderError):
        await Metered(Counts(None), take).respond([Message("user", "y" * 40)], [])
    assert sum(count for count, _ in taken) == 0, "an answer that never came costs nothing"
    taken.clear()
    lost = Counts(Message("assistant", "x", usage=Usage(70, 30), lost=Usage(5, 1)))
    await Metered(lost, take).respond([Message("user", "y" * 40)], [])
    assert sum(count for count, _ in taken) == 106, "what broken answers used is used"
    await metered.close()
    assert model.closed
