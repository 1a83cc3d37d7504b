"""One entry put into a client's JSON file: everything else stays as it was written, comments and all."""

import json
import re
from typing import Any, NamedTuple

from ..errors import ConfigurationError

_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')
_SCALAR = re.compile(r"[^\s,\]}/]+")
_SPACE = re.compile(r"(?:\s|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_INDENT = re.compile(r"\n([ \t]+)\S")


class _Member(NamedTuple):
    key: str
    begin: int
    """Of its value."""
    end: int


class _Object(NamedTuple):
    members: tuple[_Member, ...]
    opened: int
    closed: int
    """Where its brackets stand."""

    def member(self, key: str) -> _Member | None:
        return next((member for member in self.members if member.key == key), None)


def with_entry(text: str, group: str, name: str, entry: dict[str, Any]) -> str:
    """The text of a file whose object ``group`` holds ``entry`` under ``name``.

    Raises:
        ConfigurationError: it is no JSON object with, at most, comments and trailing commas.
    """
    if not text.strip():
        return json.dumps({group: {name: entry}}, indent=2) + "\n"
    unit = _unit(text)
    root = _object(text, _skip(text, 0))
    held = root.member(group)
    if held is None:
        return _checked(_inserted(text, root, group, {name: entry}, unit, 1), group, name, entry)
    servers = _object(text, held.begin)
    old = servers.member(name)
    if old is None:
        return _checked(_inserted(text, servers, name, entry, unit, 2), group, name, entry)
    return _checked(text[: old.begin] + _written(entry, unit, 2) + text[old.end :], group, name, entry)


def entries(text: str, group: str) -> dict[str, Any]:
    """What the object ``group`` of a file holds. Raises ConfigurationError: the file is no JSON."""
    if not text.strip():
        return {}
    held = _parsed(text).get(group)
    return held if isinstance(held, dict) else {}


def _inserted(text: str, into: _Object, key: str, value: Any, unit: str, depth: int) -> str:
    line = f"\n{unit * depth}{json.dumps(key)}: {_written(value, unit, depth)}"
    if not into.members:
        inner = text[into.opened + 1 : into.closed].rstrip()
        return f"{text[: into.opened + 1]}{inner}{line}\n{unit * (depth - 1)}{text[into.closed :]}"
    at = into.members[-1].end
    rest = text[at : into.closed]
    if rest[_skip(rest, 0) :].startswith(","):  # a comma that trails goes on doing so
        comma = at + _skip(rest, 0) + 1
        return f"{text[:comma]}{line},{text[comma:]}"
    return f"{text[:at]},{line}{rest}{text[into.closed :]}"


def _written(value: Any, unit: str, depth: int) -> str:
    return json.dumps(value, indent=unit).replace("\n", "\n" + unit * depth)


def _unit(text: str) -> str:
    found = _INDENT.search(text)
    return found[1] if found else "  "


def _checked(text: str, group: str, name: str, entry: dict[str, Any]) -> str:
    if entries(text, group).get(name) != entry:
        raise ConfigurationError(f"the entry {name!r} finds no place in it by itself; put it in by hand")
    return text


# --- a reader of JSON that keeps positions ---


def _object(text: str, at: int) -> _Object:
    if text[at : at + 1] != "{":
        raise ConfigurationError(f"an object is needed in line {text.count(chr(10), 0, at) + 1}")
    members: list[_Member] = []
    opened, at = at, _skip(text, at + 1)
    while text[at : at + 1] != "}":
        key = _STRING.match(text, at)
        colon = -1 if key is None else _skip(text, key.end())
        if key is None or text[colon : colon + 1] != ":":
            raise _wrong(text, at)
        begin = _skip(text, colon + 1)
        end = _end(text, begin)
        members.append(_Member(json.loads(key[0]), begin, end))
        at = _after(text, end, "}")
    if len({member.key for member in members}) < len(members):
        raise ConfigurationError(f"a key stands twice in the object of line {text.count(chr(10), 0, opened) + 1}")
    return _Object(tuple(members), opened, at)


def _end(text: str, at: int) -> int:
    """Where the value that begins here ends."""
    first = text[at : at + 1]
    if first == "{":
        return _object(text, at).closed + 1
    if first == "[":
        at = _skip(text, at + 1)
        while text[at : at + 1] != "]":
            at = _after(text, _end(text, at), "]")
        return at + 1
    found = (_STRING if first == '"' else _SCALAR).match(text, at)
    if found is None:
        raise _wrong(text, at)
    return found.end()


def _after(text: str, at: int, closing: str) -> int:
    at = _skip(text, at)
    if text[at : at + 1] == ",":
        return _skip(text, at + 1)
    if text[at : at + 1] != closing:
        raise _wrong(text, at)
    return at


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return at if found is None else found.end()


def _wrong(text: str, at: int) -> ConfigurationError:
    return ConfigurationError(f"it is not JSON in line {text.count(chr(10), 0, at) + 1}")


def _parsed(text: str) -> dict[str, Any]:
    return _plain(text, _object(text, _skip(text, 0)))


def _plain(text: str, held: _Object) -> dict[str, Any]:
    return {member.key: _value(text, member.begin, member.end) for member in held.members}


def _value(text: str, begin: int, end: int) -> Any:
    if text[begin] == "{":
        return _plain(text, _object(text, begin))
    if text[begin] != "[":
        try:
            return json.loads(text[begin:end])
        except ValueError:
            raise _wrong(text, begin) from None
    items, at = [], _skip(text, begin + 1)
    while text[at] != "]":
        stop = _end(text, at)
        items.append(_value(text, at, stop))
        at = _after(text, stop, "]")
    return items


__all__ = ["entries", "with_entry"]
