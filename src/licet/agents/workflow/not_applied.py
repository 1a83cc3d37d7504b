"""What is raised where something does not fit a workflow."""

from ...errors import LicetError, ToolFailedError


class NotAppliedError(LicetError):
    """A command, a reply or an end does not fit the state, which is as it was. ``reason`` is a stable word."""

    code = "not_applied"

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason

    @classmethod
    def of(cls, refused: ToolFailedError) -> "NotAppliedError":
        """What a rule said, when nobody is there to be told as a tool's caller."""
        return cls(refused.reason, str(refused))
