"""The tokens that a provider counts, read out of an answer or an event before anybody knows whether it is whole."""

from collections.abc import Mapping
from typing import Any

from ..dialects.foreign import count_in
from ..model.said import Usage

_HOLDERS = ("message", "response", "metadata")
"""In what of an event the count stands: Anthropic's ``message_start``, OpenAI's Responses, Bedrock's ``metadata``."""

_READ = (
    "prompt_tokens", "input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "inputTokens",
    "cacheReadInputTokens", "cacheWriteInputTokens", "promptTokenCount", "toolUsePromptTokenCount",
)  # fmt: skip
_WRITTEN = ("completion_tokens", "output_tokens", "outputTokens", "candidatesTokenCount", "thoughtsTokenCount")
"""No two providers share a name for another thing; what one leaves out counts nothing."""


def used(told: Mapping[str, Any]) -> Usage:
    """What one answer or event says was used until then; zero where it says nothing."""
    most = Usage()
    for holder in (told, *(told.get(name) for name in _HOLDERS)):
        if isinstance(holder, Mapping):
            for usage in (holder.get("usage"), holder.get("usageMetadata")):
                most = larger(most, Usage(count_in(usage, *_READ), count_in(usage, *_WRITTEN)))
    return most


def larger(one: Usage, other: Usage) -> Usage:
    """The larger of each count: within an answer they only grow."""
    return Usage(*map(max, one, other))


def both(one: Usage, other: Usage) -> Usage:
    """The sum of each count."""
    return Usage(one.input_tokens + other.input_tokens, one.output_tokens + other.output_tokens)


__all__ = ["both", "larger", "used"]
