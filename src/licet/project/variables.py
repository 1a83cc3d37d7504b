"""``${NAME}`` and ``${NAME:-default}``: where a server's entry writes them, and nowhere else.

``${env:NAME}`` is the same, as some clients write it, and ``${workspaceFolder}`` is the folder of the file.
``$${`` stands for the two characters themselves.
"""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

FOLDER = "workspaceFolder"

_PART = re.compile(r"\$\$\{|\$\{([^}]*)(\}?)")
_NAMED = re.compile(r"(?:env:)?(?P<name>[A-Za-z_][A-Za-z0-9_]*)(?P<default>:-.*)?", re.ASCII | re.DOTALL)


class MissingVariable(Exception):  # noqa: N818 - the caller turns it into a message with file and line
    """A variable that is not set and has no default."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


class Reference(NamedTuple):
    """One variable in a text. ``default`` is None where there is none."""

    name: str
    default: str | None


def references(text: str) -> tuple[Reference, ...]:
    """The variables that a text names, the folder of the file not among them."""
    return tuple(found for found in _found(text) if found.name != FOLDER)


def problem(text: str, *, only_folder: bool = False) -> str:
    """What is wrong with how a text names variables, and what instead; empty if nothing is."""
    for part in _PART.finditer(text):
        if part[0] == "$${":
            continue
        if not part[2]:
            return "${ without its }; close it, or write $${ for the two characters themselves"
        found = _NAMED.fullmatch(part[1])
        if found is None:
            kind = part[1].partition(":")[0]
            if kind == "input":
                return "no client asks for inputs here; write ${NAME} and set the variable"
            return "${...} is no variable's name; write ${NAME}, ${NAME:-default} or ${workspaceFolder}"
        if only_folder and found["name"] != FOLDER:
            return "environment variables do not expand here; write it out, or use ${workspaceFolder}"
    return ""


def expand(text: str, environ: Mapping[str, str], folder: str) -> str:
    """The text with its variables' values. A default counts where the variable is not set or empty.

    Raises:
        MissingVariable: one is not set and has no default.
    """

    def value(part: "re.Match[str]") -> str:
        if part[0] == "$${":
            return "${"
        found = _reference(part)
        if found is None:
            return part[0]
        if found.name == FOLDER:
            return folder
        held = environ.get(found.name)
        if found.default is not None:
            return held or found.default
        if held is None:
            raise MissingVariable(found.name)
        return held

    return _PART.sub(value, text)


def literal(text: str) -> str:
    """A text that expands to what it is given, for what nobody wrote in a file."""
    return text.replace("${", "$${")


def _found(text: str) -> Iterator[Reference]:
    for part in _PART.finditer(text):
        found = None if part[0] == "$${" else _reference(part)
        if found is not None:
            yield found


def _reference(part: "re.Match[str]") -> Reference | None:
    """None: it names no variable, which ``problem`` says of a file."""
    found = _NAMED.fullmatch(part[1]) if part[2] else None
    if found is None:
        return None
    default = found["default"]
    return Reference(found["name"], None if default is None else default[2:])
