"""What would let a refused call through, in the words of this command line."""

from shlex import quote
from typing import TYPE_CHECKING

from .facts import parameters

if TYPE_CHECKING:
    from ..model.principal import Principal
    from ..model.tool import ToolSpec

NO_SUCH_TOOL = "licet tools lists what there is; --from MODULE:ATTR brings your own"


def remedy_for(code: str, reason: str, told: str, *, tool: str, spec: "ToolSpec | None", principal: "Principal") -> str:
    """The option to add, where one would help; else what the corridor ``told``, which may be nothing."""
    if reason == "edit_requires_read":
        return (
            "what was read is kept with a run in its process, and each licet call is a process of its own; "
            "read and edit in one run from Python, or use write"
        )
    match code:
        case "not_granted" if spec is not None:
            return f"add --grant {quote(tool)}"
        case "not_granted" | "unknown_tool":
            return f"no tool here has this name; {NO_SUCH_TOOL}"
        case "mode_forbids":
            return "add --mode workspace-write"
        case "path_violation" if principal.paths.access == "none":
            return "add --root DIR, the folder whose files it may touch"
        case "approval_denied" if reason == "no_approver":
            return "run it from a terminal, where you are asked"
        case "invalid_arguments" if reason != "call_id" and spec is not None and parameters(spec):
            return f"it takes {parameters(spec)}; licet tools --json shows the whole schema"
    return told


def is_name(tool: str) -> bool:
    """Whether this can be a tool's name, and so be granted."""
    from ..errors import ConfigurationError
    from ..model.names import canonical

    try:
        canonical(tool)
    except ConfigurationError:
        return False
    return True


__all__ = ["is_name", "remedy_for"]
