"""Answers by rule, for runs that nobody watches."""

from collections.abc import Callable

from ..model.names import canonical
from ..ports import ApprovalRequest


class RuleApprover:
    """Says yes to exactly the named tools, where the condition holds too. Everything else is a no."""

    def __init__(self, *names: str, when: Callable[[ApprovalRequest], bool] | None = None, name: str = "rule") -> None:
        self.name = name
        self._names = frozenset(map(canonical, names))
        self._when = when

    async def approve(self, request: ApprovalRequest, /) -> bool:
        if canonical(request.tool) not in self._names:
            return False
        return self._when is None or self._when(request) is True
