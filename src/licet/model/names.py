"""The one parser of tool names. Nothing else splits a name."""

import re
from typing import NamedTuple

from ..errors import ConfigurationError

LOCAL = "local"
"""Namespace of tools registered in process and of intrinsics. No server can register into it."""

MAX_NAME = 320
"""Characters of a whole canonical name."""

_CANONICAL = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*/[A-Za-z0-9][A-Za-z0-9_.-]*", re.ASCII)


NOT_OFFERED = "not offered: "
"""What stands before a name that a model made up, or was not offered now: with it, it is no tool's name."""


class ToolName(NamedTuple):
    """A parsed name. ``server`` is empty in the namespace ``local``, where a dot is an ordinary character."""

    plugin: str
    server: str
    tool: str


def canonical(name: str) -> str:
    """``namespace/name``; a bare name is shorthand for ``local/name``.

    Raises:
        ConfigurationError: the name does not match the grammar.
    """
    if not isinstance(name, str):
        raise ConfigurationError(f"a tool's name is text, not {type(name).__name__}")
    whole = name if "/" in name else f"{LOCAL}/{name}"
    if len(whole) > MAX_NAME or _CANONICAL.fullmatch(whole) is None:
        raise ConfigurationError(
            f"{name[:80]!r} is not a tool's name; use namespace/name of ASCII letters, digits, '_', '.' and '-', "
            f"each part starting with a letter or digit, at most {MAX_NAME} characters with its namespace"
        )
    return whole


def parse(name: str) -> ToolName:
    """Split a name into plugin, server and tool; the first dot after a plugin ends the server.

    Raises:
        ConfigurationError: the name does not match the grammar.
    """
    plugin, _, rest = canonical(name).partition("/")
    if plugin == LOCAL:
        return ToolName(plugin, "", rest)
    server, dot, tool = rest.partition(".")
    return ToolName(plugin, server, tool) if dot else ToolName(plugin, "", rest)


def server_of(name: str) -> str:
    """``plugin/server``, the part before the first dot; of a name in ``local``, which no server has, that name."""
    return name if name.startswith(f"{LOCAL}/") else name.partition(".")[0]


def short(name: str) -> str:
    """The name as a person grants it: without ``local/``."""
    return name.removeprefix("local/")


_LOOK_ALIKE = str.maketrans({"I": "l", "1": "l", "0": "o", "|": "l"})


def skeletons(name: str) -> tuple[str, str]:
    """Two forms under which names that a person may confuse are equal: by case, and by look.

    The second follows Unicode Technical Standard 39, section 4, for the ASCII letters that names may hold.
    """
    return name.casefold(), name.translate(_LOOK_ALIKE).casefold().replace("rn", "m")
