"""Whether a tool runtime, a framework or an MCP server keeps the contract: vectors, subjects and a runner.

``Subject`` is what is examined: four methods. ``Tool`` is what a vector sets up there. ``run`` plays vectors on a
target and says what came of each; ``examine`` plays one in a plain test.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .mcp_subject import McpSubject
    from .plugin import examine
    from .run import Report, run
    from .subject import Options, Subject, Tool, UnsupportedError
    from .target import InProcess
    from .vector import Vector, chosen, vectors
    from .verdict import Outcome

_HOME = {
    "InProcess": "target",
    "McpSubject": "mcp_subject",
    "Options": "subject",
    "Outcome": "verdict",
    "Report": "run",
    "Subject": "subject",
    "Tool": "subject",
    "UnsupportedError": "subject",
    "Vector": "vector",
    "chosen": "vector",
    "examine": "plugin",
    "run": "run",
    "vectors": "vector",
}

__all__ = [
    "InProcess",
    "McpSubject",
    "Options",
    "Outcome",
    "Report",
    "Subject",
    "Tool",
    "UnsupportedError",
    "Vector",
    "chosen",
    "examine",
    "run",
    "vectors",
]


def __getattr__(name: str) -> Any:
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module 'licet.conformance' has no attribute {name!r}")
    value = getattr(import_module(f".{home}", __name__), name)
    globals()[name] = value
    return value
