"""Every provider's model, over its real SDK, told that its provider is on 127.0.0.1."""

import asyncio
from collections.abc import Callable
from types import ModuleType
from typing import Any, NamedTuple

import pytest

from licet.ports import Model
from licet.providers.anthropic import Anthropic
from licet.providers.bedrock import Bedrock
from licet.providers.google import Google
from licet.providers.openai import OpenAI
from licet.providers.patience import Patience

from . import accepted, anthropic, bedrock, gemini, openai_chat, openai_responses

KEY = "sk-a-key-that-nobody-may-read-0123456789"
ENVIRON = {"OPENAI_API_KEY": KEY, "ANTHROPIC_API_KEY": KEY, "GEMINI_API_KEY": KEY, "AWS_SESSION_TOKEN": KEY}


class Provider(NamedTuple):
    """``wire`` is the server's side. ``model`` takes the server's URL and what the model's class takes."""

    name: str
    wire: ModuleType
    model: Callable[..., Any]
    accepts: Callable[[dict[str, Any]], None]


def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """No proxy, and no credentials but those of the test, stand in the environment."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIA" + "X" * 16)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "of-no-use")
    monkeypatch.setenv("AWS_SESSION_TOKEN", KEY)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


def patient(**bounds: Any) -> Patience:
    """Patience whose pauses take no time."""
    return Patience(**{"sleep": lambda _: asyncio.sleep(0), "chance": lambda: 0.0, **bounds})


def _made(kind: Callable[..., Model], place: str, path: str = "", **fixed: Any) -> Callable[..., Any]:
    def make(url: str, **given: Any) -> Any:
        return kind("m", **{place: url + path, "environ": ENVIRON, "patience": patient(), **fixed, **given})

    return make


PROVIDERS = (
    Provider("openai_chat", openai_chat, _made(OpenAI, "base_url", "/v1"), accepted.openai_chat),
    Provider(
        "openai_responses",
        openai_responses,
        _made(OpenAI, "base_url", "/v1", api="responses"),
        accepted.openai_responses,
    ),
    Provider("anthropic", anthropic, _made(Anthropic, "base_url"), accepted.anthropic),
    Provider("google", gemini, _made(Google, "base_url"), accepted.gemini),
    Provider("bedrock", bedrock, _made(Bedrock, "endpoint_url", region="eu-central-1"), accepted.bedrock),
)

__all__ = ["ENVIRON", "KEY", "PROVIDERS", "Provider", "alone", "patient"]
