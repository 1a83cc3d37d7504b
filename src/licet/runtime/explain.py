"""Why a call would run, or would not."""

from typing import NamedTuple

from ..model.verdict import Ask, Deny
from ..policy.judge import Finding


class Explanation(NamedTuple):
    """Every check in the order of the corridor, with its verdict."""

    principal: str
    tool: str
    findings: tuple[Finding, ...]

    @property
    def allowed(self) -> bool:
        """Whether the call would run, after an approval where one is asked for."""
        return self.denial is None

    @property
    def denial(self) -> Deny | None:
        """What the corridor would answer."""
        return next((f.verdict for f in self.findings if isinstance(f.verdict, Deny)), None)

    @property
    def asks(self) -> bool:
        """Whether a person would be asked."""
        return self.allowed and any(isinstance(f.verdict, Ask) for f in self.findings)
