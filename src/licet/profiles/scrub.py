"""Arguments without the fields that no model may set: taken out, or the reason why the call is refused."""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from ..schema.pointer import pointer
from .fields import Fields

_ESCAPED = re.compile(r"\\+u([0-9A-Fa-f]{4})")
_QUOTED = re.compile(r"""["']([^"']{1,200})["']\s*:""")
_BARE = re.compile(r"""[{,]\s*([^\s"'{}\[\],:]{1,200})\s*:""")
_MOST_ESCAPES = 8
"""How often a text may be escaped inside another; what is escaped more often is refused."""

_Path = tuple[str | int, ...]


class Scrubbed(NamedTuple):
    """``arguments`` are the same object where nothing was taken out. ``removed`` are JSON pointers, in order.

    ``problem`` is empty, or says why the call is refused whatever is taken out; ``at`` is the pointer to it.
    """

    arguments: dict[str, Any]
    removed: tuple[str, ...] = ()
    problem: str = ""
    at: str = ""


class _Refused(Exception):  # noqa: N818 - it is no error of anybody's
    def __init__(self, path: _Path, problem: str) -> None:
        super().__init__(problem)
        self.at = pointer(path)
        self.problem = problem


def scrubbed(arguments: dict[str, Any], fields: Fields) -> Scrubbed:
    """Members under exactly a field's name go, at any depth. What is only written like one refuses the call: another
    case or width, or JSON inside a text. Arguments that the fields call free stay as they are.
    """
    removed: list[_Path] = []
    try:
        told = {
            key: value if key in fields.free else _scrubbed(value, fields, (key,), removed)
            for key, value in arguments.items()
            if not _goes(key, fields, (key,), removed)
        }
    except _Refused as exc:
        return Scrubbed(arguments, (), exc.problem, exc.at)
    return Scrubbed(told if removed else arguments, tuple(map(pointer, removed)))


def carries(text: str, fields: Fields) -> bool:
    """Whether a text holds JSON, or what a lenient reader takes for it, with a member that is called like a field.

    However often it was escaped; a text that is escaped too often to be followed counts as one that does.
    """
    if ":" not in text and "\\" not in text:
        return False
    if "\\" in text:
        for _ in range(_MOST_ESCAPES):
            plain = _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text)
            if plain == text:
                break
            text = plain
        else:
            return True
        text = text.replace("\\", "")
    if any(fields.is_one(name) for name in _QUOTED.findall(text)):
        return True
    return text.lstrip()[:1] in ("{", "[") and any(fields.is_one(name) for name in _BARE.findall(text))


def _scrubbed(value: Any, fields: Fields, path: _Path, removed: list[_Path]) -> Any:
    if isinstance(value, Mapping):
        return {
            key: _scrubbed(held, fields, (*path, key), removed)
            for key, held in value.items()
            if not _goes(key, fields, (*path, key), removed)
        }
    if isinstance(value, list):
        return [_scrubbed(item, fields, (*path, index), removed) for index, item in enumerate(value)]
    if isinstance(value, str) and carries(value, fields):
        raise _Refused(path, "the text carries JSON with an argument that is not a model's to set; leave it out")
    return value


def _goes(key: str, fields: Fields, path: _Path, removed: list[_Path]) -> bool:
    if key in fields.names:
        removed.append(path)
        return True
    if fields.is_one(key):
        raise _Refused(path, "it is written like an argument that is not a model's to set; leave it out")
    return False


__all__ = ["Scrubbed", "carries", "scrubbed"]
