"""One iteration of an agent's loop."""


class Turn:
    """Counts refusals, so that a model that keeps knocking is shut out until its next turn."""

    __slots__ = ("refusals",)

    def __init__(self) -> None:
        self.refusals = 0
