"""What one manifest tells, and how to take values out of it that may have any type."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from ..fact import Command, EntryPoint, Pipeline


class Manifest(NamedTuple):
    """One file: where it stands, its text, and the names of the files beside it."""

    path: str
    text: str
    beside: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """Everything is what the file says, nothing is checked. ``kind`` names the file's ecosystem."""

    kind: str
    name: str = ""
    description: str = ""
    licence: str = ""
    commands: tuple[Command, ...] = ()
    entry_points: tuple[EntryPoint, ...] = ()
    pipeline: Pipeline | None = None


class UnreadableManifestError(ValueError):
    """The file does not have the form that its name promises."""


MAX_TEXT = 2000


def text_of(value: Any) -> str:
    """A text on one line, or an empty one for anything else."""
    return " ".join(value[:MAX_TEXT].split()) if isinstance(value, str) else ""


def table_of(value: Any, *keys: str) -> dict[str, Any]:
    """The table under some keys, or an empty one."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def texts_of(value: Any) -> Iterator[tuple[str, str]]:
    """The pairs of a table that map a name to a text."""
    for name, text in table_of(value).items():
        if isinstance(text, str):
            yield text_of(name), text_of(text)
