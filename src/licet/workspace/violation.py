"""What the workspace refuses."""

from ..errors import PathViolation


class WorkspaceViolation(PathViolation):
    """A path that leads outside or is protected.

    ``nothing_opened`` tells that the method which raised this had given out no handle and changed nothing.
    """

    def __init__(self, message: str, *, tool_name: str = "", reason: str = "", nothing_opened: bool = True) -> None:
        super().__init__(message, tool_name=tool_name, reason=reason)
        self.nothing_opened = nothing_opened
