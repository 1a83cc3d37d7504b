"""Who watches an answer come."""

from typing import Protocol


class Listener(Protocol):
    """Is told the text of an answer while it streams. Nothing that it is told is acted on before it is whole."""

    def piece(self, text: str, /) -> None:
        """More of the answer, as the model wrote it: text of a stranger."""
        ...

    def void(self) -> None:
        """What was told since the last whole answer does not count: the answer broke off, and is asked for again."""
        ...


__all__ = ["Listener"]
