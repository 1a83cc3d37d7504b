"""Whether a tool runtime, a framework or an MCP server keeps the contract: vectors, subjects and a runner.

``Subject`` is what is examined: four methods. ``Tool`` is what a vector sets up there.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .subject import Options, Subject, Tool, UnsupportedError

_HOME = {
    "Options": "subject",
    "Subject": "subject",
    "Tool": "subject",
    "UnsupportedError": "subject",
}

__all__ = ["Options", "Subject", "Tool", "UnsupportedError"]


def __getattr__(name: str) -> Any:
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module 'licet.conformance' has no attribute {name!r}")
    value = getattr(import_module(f".{home}", __name__), name)
    globals()[name] = value
    return value
