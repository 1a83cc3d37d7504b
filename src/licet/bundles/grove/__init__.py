"""One tool to try things out with: ``oracle``, which says the same of the same seed wherever it is asked.

``python -m licet.bundles.grove.server`` serves the same implementation over MCP.

May not enter: chance, the clock, anything of the machine that an omen could depend on.
"""

from ...model.tool import ToolSpec
from . import oracle


def tools() -> tuple[ToolSpec, ...]:
    """The oracle, with its handler."""
    return (oracle.SPEC,)


__all__ = ["tools"]
