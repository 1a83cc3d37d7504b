"""The contract file, read strictly: every key known, none twice, none missing; an error names the place."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from ..errors import ConfigurationError
from ..schema.canonical import NotJson, parse
from ..schema.pointer import legible

MAX_BYTES = 1 << 20
"""Of a contract file."""

CATEGORIES = ("utility", "read", "search", "write", "shell")
NAMES = ("observe", "govern", "execute", "full")
EVERYTHING = "*"

_Take = Callable[["Place", Any], None]


class Place(NamedTuple):
    """Where in which file."""

    file: str
    path: tuple[str | int, ...] = ()

    def at(self, step: str | int) -> "Place":
        return Place(self.file, (*self.path, step))

    def wrong(self, problem: str) -> ConfigurationError:
        where = "/".join(("", *map(str, self.path)))
        return ConfigurationError(f"{self.file}: {legible(where) or '/'}: {problem}")


def read(text: str | bytes, file: str) -> dict[str, Any]:
    """The file's value, in its shape. What the shape cannot say is for ``contract.load``.

    Raises:
        ConfigurationError: it is no strict JSON, or has an unknown, a missing or a doubled key, or a wrong value.
    """
    try:
        value = parse(text, limit_bytes=MAX_BYTES)
    except NotJson as exc:
        where = legible(exc.pointer) or "/"
        raise ConfigurationError(f"{file}: {where}: {exc.problem}") from None
    _contract(Place(file), value)
    taken: dict[str, Any] = value
    return taken


def _object(takes: Mapping[str, _Take], optional: Iterable[str] = ()) -> _Take:
    """Exactly these keys, but for the optional ones, which may be missing."""
    needed = [key for key in takes if key not in frozenset(optional)]

    def take(place: Place, value: Any) -> None:
        _mapping(place, value)
        for key in value:
            if key not in takes:
                raise place.at(key).wrong(f"there is no such key; use {', '.join(takes)}")
        for key in needed:
            if key not in value:
                raise place.wrong(f"the key {key!r} is missing; write it")
        for key, held in value.items():
            takes[key](place.at(key), held)

    return take


def _mapping(place: Place, value: Any) -> None:
    if not isinstance(value, dict):
        raise place.wrong("write an object")


def _exactly(wanted: Any, instead: str) -> _Take:
    def take(place: Place, value: Any) -> None:
        if type(value) is not type(wanted) or value != wanted:
            raise place.wrong(instead)

    return take


def _flag(place: Place, value: Any) -> None:
    if not isinstance(value, bool):
        raise place.wrong("write true or false")


def _text(place: Place, value: Any) -> None:
    if not isinstance(value, str) or not value:
        raise place.wrong("write text")


def _category(place: Place, value: Any) -> None:
    if value not in CATEGORIES:
        raise place.wrong(f"use one of {', '.join(CATEGORIES)}")


def _version(place: Place, value: Any) -> None:
    parts = value.split(".") if isinstance(value, str) else []
    if len(parts) != 3 or not all(part.isascii() and part.isdigit() for part in parts):
        raise place.wrong("write a version such as 0.1.0")


def _word(place: Place, value: Any, most: int = 64) -> None:
    plain = isinstance(value, str) and value.isascii() and value.replace("_", "").isalnum() and value == value.lower()
    if not plain or not value[0].isalpha() or len(value) > most:
        raise place.wrong(f"use 1 to {most} of a-z 0-9 _, the first a letter")


def _tool_name(place: Place, value: Any) -> None:
    _word(place, value, 56)


def _prefix(place: Place, value: Any) -> None:
    _word(place, value)
    if not value.endswith("_"):
        raise place.wrong("a prefix ends in _")


def _list(take_one: _Take) -> _Take:
    def take(place: Place, value: Any) -> None:
        if not isinstance(value, list) or not value:
            raise place.wrong("write a list of one item or more")
        for at, item in enumerate(value):
            take_one(place.at(at), item)
            if item in value[:at]:
                raise place.at(at).wrong("it stands there twice; drop one")

    return take


def _tools(place: Place, value: Any) -> None:
    _mapping(place, value)
    if not value:
        raise place.wrong("name the engine's tools")
    for name, held in value.items():
        _tool_name(place.at(name), name)
        _tool(place.at(name), held)


_tool = _object(
    {
        "category": _category,
        "description": _text,
        "read_only": _flag,
        "aliases": _list(_tool_name),
        "safety_critical": _flag,
    },
    optional=("aliases", "safety_critical"),
)
_NEVER_DEFAULT = "full is asked for by name and never a default; write true"
_profiles = _object(
    {
        "observe": _object(
            {
                "default": _exactly(True, "observe is the default; write true"),
                "tools": _list(_tool_name),
            }
        ),
        "govern": _object(
            {
                "extends": _exactly("observe", "govern extends observe"),
                "adds_tools": _list(_tool_name),
            }
        ),
        "execute": _object(
            {
                "extends": _exactly("govern", "execute extends govern"),
                "adds_tools": _list(_tool_name),
                "requires_all_of": _list(_word),
                "never_model_facing_fields": _list(_word),
            }
        ),
        "full": _object(
            {
                "tools": _exactly(EVERYTHING, 'full is everything that the engine advertises; write "*"'),
                "opt_in_only": _exactly(True, _NEVER_DEFAULT),
            }
        ),
    }
)
_contract = _object(
    {
        "contract_version": _version,
        "external_tool_name_convention": _object({"prefix": _prefix, "pattern": _text}),
        "mcp_tool_reference": _tools,
        "profiles": _profiles,
        "conformance": _object({"checked_by": _list(_text)}),
    }
)
