"""One iteration of an agent's loop."""


class Turn:
    """Counts refusals, so that a model that keeps knocking is shut out until its next turn.

    Sources that list their tools anew once a turn know it by its identity.
    """

    __slots__ = ("__weakref__", "refusals")

    def __init__(self) -> None:
        self.refusals = 0
