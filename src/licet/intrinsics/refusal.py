"""How an intrinsic says no: a stable word for programs, a text for the model."""

from ..errors import ToolFailedError


def refusal(reason: str, told: str) -> ToolFailedError:
    """``reason`` is one of the words on the page of errors; ``told`` says what, and what instead."""
    return ToolFailedError(told, reason=reason)
