"""A model whose tokens are taken from a scenario's budget before it is asked."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Protocol

from ...errors import ProviderError
from ...model.tool import Offered
from ...ports import Message, Model
from ..loop.withheld import withheld

BYTES_PER_TOKEN = 4
ANSWER_TOKENS = 1_000
"""Kept free for an answer; what it did not need is given back."""


class Take(Protocol):
    """Takes tokens from a budget: ``Budget.take_tokens``."""

    def __call__(self, count: int, /, *, used: bool = False) -> None: ...


class Metered:
    """Asks ``model``. Where its provider counts tokens, those count; else one is taken to be four bytes of what is said
    and shown.

    ``reserved`` is awaited before a provider is asked, once its tokens are taken: they count also where this process
    ends before the answer is there.
    """

    def __init__(self, model: Model, take: Take, reserved: Callable[[], Awaitable[None]] | None = None) -> None:
        self.name = model.name
        self.recorded: bool = getattr(model, "recorded", False)
        self.max_output_tokens: int | None = getattr(model, "max_output_tokens", None)
        self._model = model
        self._take = take
        self._reserved = reserved

    def beside(self, model: Model) -> "Metered":
        """Another model, whose tokens are taken from the same budget."""
        return Metered(model, self._take, self._reserved)

    async def respond(self, conversation: Sequence[Message], tools: Sequence[Offered], /) -> Message:
        """Its next message. Raises LimitExceededError: there are not so many tokens left; it was not asked."""
        answer = self.max_output_tokens or ANSWER_TOKENS
        taken = sum(map(_tokens, conversation)) + answer
        self._take(taken)
        try:
            if self.recorded and self._reserved is not None:
                await self._reserved()
            said = await self._model.respond(conversation, tools)
        except BaseException as exc:
            if self.recorded:  # nothing came of it
                self._take(sum(exc.tokens if isinstance(exc, ProviderError) else ()) - taken, used=True)
            raise
        if lost := sum(said.lost):
            self._take(lost, used=True)
        used = sum(said.usage)
        if used:
            self._take(used - taken, used=True)
        else:
            self._take(min(_tokens(said), answer) - answer)
        return said

    def withheld(self, tools: Sequence[Offered]) -> Mapping[str, str]:
        """Which of them it is not offered, and why, by canonical name."""
        return withheld(self._model, tools)

    async def close(self) -> None:
        """Let go of the model's connections, if it has any."""
        close = getattr(self._model, "close", None)
        if close is not None:
            await close()


def _tokens(message: Message) -> int:
    size = len(message.text.encode("utf-8", "replace")) + sum(len(result.json) for result in message.results)
    return -(-size // BYTES_PER_TOKEN)


__all__ = ["ANSWER_TOKENS", "BYTES_PER_TOKEN", "Metered", "Take"]
