"""Whether a file has the shape of a published schema, and if not, where and what instead."""

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pkgutil import get_data
from typing import TYPE_CHECKING, Any, NamedTuple

from .near import nearest
from .place import Place, quoted

if TYPE_CHECKING:
    import jsonschema_rs

SCHEMA = "licet.schema.json"

MOST_PROBLEMS = 50

_INSTEAD = {
    "auth": "write headers: {Authorization: Bearer ${TOKEN}}",
    "bearer_token_env_var": "write headers: {Authorization: Bearer ${TOKEN}}",
    "env_http_headers": "write headers with ${NAME} as values",
    "env_vars": "write env with NAME: ${NAME} for each",
    "headersHelper": "it names a program to run; write headers with ${NAME} as values",
    "inputs": "no client asks for inputs here; write ${NAME} and set the variable",
    "mcp_servers": "write mcpServers",
    "oauth": "write headers: {Authorization: Bearer ${TOKEN}}",
    "sandbox": "nothing is sandboxed here; make the sandbox's own program the command",
    "sandboxEnabled": "nothing is sandboxed here; make the sandbox's own program the command",
    "servers": "write mcpServers",
}
"""What clients write and this file does not take, nor may it pass over it."""

_OLD_TRANSPORTS = ("sse", "ws", "websocket")
_NAMES = {
    "array": "a list",
    "boolean": "true or false",
    "integer": "a whole number",
    "null": "nothing",
    "number": "a number",
    "object": "a mapping",
    "string": "text",
}


_MISSING = "is missing; write it"


class Problem(NamedTuple):
    """``text`` says what, and what instead. It holds nothing of the file but keys and words of a closed set."""

    place: Place
    text: str

    @property
    def is_absence(self) -> bool:
        """Whether a key is missing. What is there and wrong is told first: it may be the same key, misspelt."""
        return self.text.endswith(_MISSING)


@cache
def schema(name: str = SCHEMA) -> Mapping[str, Any]:
    """A published JSON Schema, by the name of its file beside this module, or ``PACKAGE:FILE`` of another package.

    ``FILE#NAME`` is a definition in it.
    """
    place, _, definition = name.partition("#")
    package, _, file = place.rpartition(":")
    parsed: Mapping[str, Any] = json.loads(get_data(package or __package__, file) or b"")
    return {"$ref": f"#/$defs/{definition}", "$defs": parsed["$defs"]} if definition else parsed


def problems(value: Any, name: str = SCHEMA) -> list[Problem]:
    """At most ``MOST_PROBLEMS``; none if the shape is that of the schema of this name."""
    validator = _validator(name)
    if validator.is_valid(value):
        return []
    found: dict[Problem, None] = {}
    for problem in (problem for error in validator.iter_errors(value) for problem in _told(error, schema(name))):
        found[problem] = None
        if len(found) == MOST_PROBLEMS:
            break
    return list(found)


@cache
def _validator(name: str) -> "jsonschema_rs.Draft202012Validator":
    import jsonschema_rs

    return jsonschema_rs.Draft202012Validator(dict(schema(name)), offline=True, validate_formats=False)


def _told(error: Any, by: Mapping[str, Any]) -> Iterator[Problem]:
    kind, place = error.kind, tuple(error.instance_path)
    match kind.name:
        case "additionalProperties":
            for key in kind.unexpected:
                yield Problem((*place, key), _unknown(key, _siblings(error, by)))
        case "required":
            yield Problem(place, f"the key {quoted(kind.property)} {_MISSING}")
        case "anyOf":
            yield from _nearest(place, kind.context, error.instance, by)
        case "propertyNames":
            name = kind.error.instance
            yield Problem((*place, name), f"{quoted(name)} is no name here; use {_expected(error, by)}")
        case "enum":
            yield Problem(place, _not_among(error.instance, kind.options))
        case "type":
            yield Problem(place, _wrong_type(error.instance, kind.types))
        case "pattern":
            yield Problem(place, f"it does not fit; use {_expected(error, by)}")
        case "minProperties" | "minItems" | "minLength":
            yield Problem(place, "it is empty; write something, or drop it")
        case "uniqueItems":
            yield Problem(place, "an item stands there twice; drop one")
        case "maxProperties":
            yield Problem(place, "one item is one tool; write the others as items of their own")
        case _:
            yield Problem(place, f"{_limits(error)}")


def _nearest(place: Place, branches: Iterable[Iterable[Any]], value: Any, by: Mapping[str, Any]) -> Iterator[Problem]:
    """The problems of the one branch that takes this type of value; else what types there are."""
    fitting = [list(errors) for errors in branches]
    taken = [errors for errors in fitting if not any(_is_type_of(place, error) for error in errors)]
    if len(taken) == 1:
        for error in taken[0]:
            yield from _told(error, by)
        return
    types = [name for errors in fitting for e in errors if e.kind.name == "type" for name in e.kind.types]
    yield Problem(place, _wrong_type(value, types))


def _is_type_of(place: Place, error: Any) -> bool:
    return error.kind.name == "type" and tuple(error.instance_path) == place


def _unknown(key: str, known: list[str]) -> str:
    if key in _INSTEAD:
        return f"this is not taken over; {_INSTEAD[key]}"
    spelled = key.lower().replace("-", "_")
    near = next((name for name in known if name.lower() == spelled), "") or nearest(key, known)
    if near:
        return f"there is no such key; did you mean {near}?"
    shown = [name for name in known if not name.startswith("$")]
    listed = ", ".join(shown) if len(shown) <= 12 else f"{', '.join(shown[:12])} and others"
    return f"there is no such key; use one of {listed}"


def _wrong_type(value: Any, types: Iterable[str]) -> str:
    names = [name for name in dict.fromkeys(types) if name != "null"]
    wanted = " or ".join(_NAMES[name] for name in names)
    if "string" in names and isinstance(value, bool | int | float):
        return f"it is {_kind(value)}; write it in quotes, as text"
    if "array" in names and isinstance(value, str):
        return "it is text; write a list, each item after a dash or in [ ]"
    return f"it is {_kind(value)}; write {wanted}"


def _kind(value: Any) -> str:
    if value is None:
        return "empty"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return "a number"
    if isinstance(value, str):
        return "text"
    return "a list" if isinstance(value, list) else "a mapping"


def _not_among(value: Any, options: Iterable[Any]) -> str:
    words = [json.dumps(option) if isinstance(option, bool) else str(option) for option in options]
    if isinstance(value, str) and "streamable-http" in words and value.lower() in _OLD_TRANSPORTS:
        return f"{value} is not spoken here; give the url of its streamable HTTP, with type: http"
    shown = quoted(value) if isinstance(value, str) else _kind(value)
    near = [word for word in words if isinstance(value, str) and word == value.lower().replace(" ", "_")]
    return f"{shown} is none of its words; use {near[0] if near else _either(words)}"


def _either(words: list[str]) -> str:
    words = [word for word in words if word.replace("-", "_") not in words or word == word.replace("-", "_")]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def _limits(error: Any) -> str:
    limit = getattr(error.kind, "limit", None)
    words = {
        "minimum": f"it is too small; use {limit} or more",
        "exclusiveMinimum": f"it is too small; use more than {limit}",
        "maximum": f"it is too large; use at most {limit}",
        "maxLength": f"it is too long; use at most {limit} characters",
    }
    return words.get(error.kind.name, "it does not fit the schema of this file; see the docs on configuration")


def _expected(error: Any, by: Mapping[str, Any]) -> str:
    """What the schema itself says in words about where an error is."""
    return str(_at(error.schema_path[:-1], by).get("description", "another")).rstrip(".")


def _siblings(error: Any, by: Mapping[str, Any]) -> list[str]:
    return list(_at(error.schema_path[:-1], by).get("properties", {}))


def _at(path: Iterable[str | int], by: Mapping[str, Any]) -> Mapping[str, Any]:
    found: Any = by
    for step in path:
        found = found[step]
    return found if isinstance(found, Mapping) else {}
