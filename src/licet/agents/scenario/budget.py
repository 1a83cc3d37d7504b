"""What a run may still use. Everything is taken before it is used, so that nothing overdraws it."""

from ...errors import LimitExceededError
from ...project.scenario import Governor


class Budget:
    """What is left of a governor's limits; ``spent_tokens`` is what was taken and not given back."""

    def __init__(self, governor: Governor) -> None:
        self._governor = governor
        self.turns = governor.max_turns
        self.calls = governor.max_total_calls
        self.spent_tokens = 0

    def take_turn(self) -> bool:
        """Whether there was one left."""
        if self.turns == 0:
            return False
        self.turns -= 1
        return True

    @property
    def calls_of_a_turn(self) -> int:
        """How many calls the next turn may make."""
        return min(self._governor.max_calls_per_turn, self.calls)

    @property
    def spent_turns(self) -> int:
        return self._governor.max_turns - self.turns

    @property
    def spent_calls(self) -> int:
        return self._governor.max_total_calls - self.calls

    def take_tokens(self, count: int, /, *, used: bool = False) -> None:
        """Take what a model may use, before it is asked; a negative count gives back what it did not use.

        What its provider counted beyond that is ``used`` already, and taken whether or not there is so much.

        Raises:
            LimitExceededError: so many are not left, and none was taken.
        """
        most = self._governor.max_total_tokens
        if not used and self.spent_tokens + count > most:
            left = most - self.spent_tokens
            problem = f"a model would need {count} tokens, and {left} of the scenario's {most} are left"
            raise LimitExceededError(problem, reason="max_total_tokens")
        self.spent_tokens = max(0, self.spent_tokens + count)


__all__ = ["Budget"]
