"""The hostile model: a script that implements the ``Model`` port, so that a language model can take its place."""

from collections.abc import Sequence

from ...model.tool import Offered
from ...ports import Message
from .case import Move


class HostileModel:
    """Plays the moves of one script, one a turn, whatever it is answered and whatever tools it is shown."""

    name = "hostile script, no model"

    def __init__(self, moves: Sequence[Move]) -> None:
        self._moves = iter(moves)

    async def respond(self, conversation: Sequence[Message], tools: Sequence[Offered], /) -> Message:
        """The next move; after the last one a message that ends the loop."""
        move = next(self._moves, Message("assistant", "I am done."))
        return move(_last_read(conversation)) if callable(move) else move


def _last_read(conversation: Sequence[Message]) -> str:
    last = conversation[-1]
    return last.results[-1].content if last.results else last.text
