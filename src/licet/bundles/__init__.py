"""Tools that come with licet, by group; none is there until it is registered.

May not enter: the corridor, doors, anything that a registered tool does not need.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from ..model.tool import ToolSpec
from .files import editing_builtins, read_only_builtins


def utility_builtins() -> tuple[ToolSpec, ...]:
    """None so far."""
    return ()


def shell_builtins() -> tuple[ToolSpec, ...]:
    """None so far: a shell is not confined by a path policy."""
    return ()


GROUPS: Mapping[str, Callable[[], tuple[ToolSpec, ...]]] = MappingProxyType(
    {
        "utility_builtins": utility_builtins,
        "read_only_builtins": read_only_builtins,
        "editing_builtins": editing_builtins,
        "shell_builtins": shell_builtins,
    }
)
"""The four built-in groups and what gives their tools."""

__all__ = ["GROUPS", "editing_builtins", "read_only_builtins", "shell_builtins", "utility_builtins"]
