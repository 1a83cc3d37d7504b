"""What a campaign has to show for itself."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

Say = Callable[[str], None]
"""Progress, for the person who waits."""


class Report(NamedTuple):
    """``figure`` is one line with the numbers; ``findings`` are what must not happen, one line each, replayable.

    ``control`` says what was broken on purpose, and ``control_caught`` whether this very harness noticed.
    """

    figure: str
    findings: tuple[str, ...]
    control: str
    control_caught: bool
    details: Mapping[str, Any] = {}

    @property
    def passed(self) -> bool:
        return not self.findings and self.control_caught
