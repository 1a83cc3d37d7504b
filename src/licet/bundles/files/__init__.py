"""Six tools for files, under the path policy of their run: ``ls``, ``find``, ``grep``, ``read``, ``write``, ``edit``.

May not enter: a path that is opened other than through the workspace, a second pattern engine.
"""

from ...model.tool import ToolSpec
from . import edit, find, grep, ls, read, write


def read_only_builtins() -> tuple[ToolSpec, ...]:
    """``ls``, ``find``, ``grep`` and ``read``."""
    return (ls.SPEC, find.SPEC, grep.SPEC, read.SPEC)


def editing_builtins() -> tuple[ToolSpec, ...]:
    """``write`` and ``edit``."""
    return (write.SPEC, edit.SPEC)


def tools() -> tuple[ToolSpec, ...]:
    """All six, each with its handler."""
    return (*read_only_builtins(), *editing_builtins())


__all__ = ["editing_builtins", "read_only_builtins", "tools"]
