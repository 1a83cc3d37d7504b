"""A model whose tokens are taken from a scenario's budget before it is asked."""

from collections.abc import Callable, Sequence

from ...model.tool import Offered
from ...ports import Message, Model

BYTES_PER_TOKEN = 4
ANSWER_TOKENS = 1_000
"""Kept free for an answer; what it did not need is given back."""


class Metered:
    """Asks ``model``. No wire is counted here: a token is taken to be four bytes of what is said and shown."""

    def __init__(self, model: Model, take: Callable[[int], None]) -> None:
        self.name = model.name
        self._model = model
        self._take = take

    def beside(self, model: Model) -> "Metered":
        """Another model, whose tokens are taken from the same budget."""
        return Metered(model, self._take)

    async def respond(self, conversation: Sequence[Message], tools: Sequence[Offered], /) -> Message:
        """Its next message. Raises LimitExceededError: there are not so many tokens left; it was not asked."""
        self._take(sum(map(_tokens, conversation)) + ANSWER_TOKENS)
        said = await self._model.respond(conversation, tools)
        self._take(min(_tokens(said), ANSWER_TOKENS) - ANSWER_TOKENS)
        return said


def _tokens(message: Message) -> int:
    size = len(message.text.encode("utf-8", "replace")) + sum(len(result.json) for result in message.results)
    return -(-size // BYTES_PER_TOKEN)


__all__ = ["ANSWER_TOKENS", "BYTES_PER_TOKEN", "Metered"]
