"""What the decision engine answers instead of a result: one error that names itself.

Over MCP it is an ``is_error`` result whose structured content is ``told()``. Codes are stable; messages may change.
"""

from collections.abc import Mapping
from typing import Any

from ..errors import LicetError


class DecisionError(LicetError):
    """A call that the engine does not carry out.

    ``reason`` is the stable word (``decision_not_found``, ``execution_blocked_confidence``, ``invalid_objective``),
    ``status`` the number that the same answer has over HTTP (404 unknown, 409 blocked, 422 invalid, 503 stopped), and
    ``details`` are further members of the answer, JSON values only. The message says what, and what instead.
    """

    code = "decision"

    def __init__(
        self, reason: str, message: str, *, status: int = 422, details: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__(message)
        self.reason = reason
        self.status = status
        self.details = dict(details or {})

    def told(self) -> dict[str, Any]:
        """``{"error": {status, code, message, ...details}}``."""
        return {"error": {**self.details, "status": self.status, "code": self.reason, "message": str(self)}}
