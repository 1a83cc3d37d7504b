"""Reads ``licet.lock`` strictly: what is not exactly such a file, or does not fit its own digests, is refused."""

import json
from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from ..errors import ConfigurationError
from ..model.json_object import JsonObject
from ..model.names import canonical
from ..model.tool import Annotations
from ..schema.canonical import NotJson
from ..schema.pin import Pin
from ..schema.pointer import legible, place, pointer
from .locked import VERSION, Lock, LockedServer, LockedTool, launch_digest, pin_for

if TYPE_CHECKING:
    from ..dialects.mcp import Definition

T = TypeVar("T")

_CLAIMS = frozenset(claim.name for claim in fields(Annotations))
_MOST_DIGITS = 20
_REMEDY = "restore it from version control, or take the entry out and run `licet lock`"


def parse(data: bytes, shown: str) -> Lock:
    """What the text pins. ``shown`` is what messages call the file.

    Raises:
        ConfigurationError: with the file, the place and what is wrong there.
    """
    whole = _Part(_value(data, shown), shown, ())
    version = whole.member("version").value
    if type(version) is not int or version != VERSION:
        whole.member("version").refuse(f"version {version!r} of this file is not known here; this licet reads 1")
    whole.holds("version", "servers")
    return Lock({name: _server(name, part) for name, part in whole.member("servers").members()})


class _Part:
    """A value of the file with its place."""

    def __init__(self, value: Any, file: str, path: tuple[str | int, ...]) -> None:
        self.value = value
        self._file = file
        self._path = path

    def refuse(self, problem: str) -> NoReturn:
        raise ConfigurationError(f"{self._file}: {place(pointer(self._path))}: {problem}")

    def holds(self, *needed: str, perhaps: tuple[str, ...] = ()) -> None:
        """Refuses an object with another member, or without a needed one."""
        members = self._object()
        for name in members:
            if name not in needed and name not in perhaps:
                self._at(name).refuse(f"no such key is known; use {', '.join((*needed, *perhaps))}")
        for name in needed:
            self.member(name)

    def member(self, name: str) -> "_Part":
        if name not in self._object():
            self.refuse(f"the key {name!r} is missing")
        return self._at(name)

    def perhaps(self, name: str, read: "Callable[[_Part], T]") -> T | None:
        return read(self._at(name)) if name in self._object() else None

    def members(self) -> "list[tuple[str, _Part]]":
        return [(name, self._at(name)) for name in self._object()]

    def json(self) -> JsonObject:
        try:
            return JsonObject(self._object())
        except ConfigurationError as exc:
            self.refuse(str(exc))

    def text(self) -> str:
        if not isinstance(self.value, str):
            self.refuse(f"text is needed, not {_kind(self.value)}")
        return self.value

    def texts(self) -> tuple[str, ...]:
        if not isinstance(self.value, list):
            self.refuse(f"a list of texts is needed, not {_kind(self.value)}")
        return tuple(_Part(item, self._file, (*self._path, at)).text() for at, item in enumerate(self.value))

    def _object(self) -> dict[str, Any]:
        if not isinstance(self.value, dict):
            self.refuse(f"an object is needed, not {_kind(self.value)}")
        return self.value

    def _at(self, name: str) -> "_Part":
        return _Part(self.value[name], self._file, (*self._path, name))


def _server(name: str, part: _Part) -> LockedServer:
    namespace, slash, server = name.partition("/")
    if not slash or not namespace or not server or "." in server or not _is_name(name):
        part.refuse("a server is named plugin/server, such as mcp/git")
    part.holds("launch", "tools", perhaps=("note",))
    launch, launched = _launch(name, part.member("launch"))
    tools = {own: _tool(name, own, tool) for own, tool in part.member("tools").members()}
    return LockedServer(launch, launched, tools, part.perhaps("note", _note) or {})


def _launch(name: str, part: _Part) -> tuple[JsonObject, str]:
    if "url" in part.json():
        part.holds("headers", "url", "digest")
        launch: dict[str, Any] = {"headers": [*part.member("headers").texts()], "url": part.member("url").text()}
    else:
        part.holds("args", "command", "cwd", "digest", "env")
        launch = {key: [*part.member(key).texts()] for key in ("args", "env")}
        launch |= {key: part.member(key).text() for key in ("command", "cwd")}
    written = part.member("digest").text()
    if written != _computed(part, lambda: launch_digest(launch)):
        part.refuse(f"the digest is not that of this launch of {name}; {_REMEDY}")
    return JsonObject(launch), written


def _tool(server: str, own: str, part: _Part) -> LockedTool:
    whole = f"{server}.{own}"
    if not _is_name(whole):
        part.refuse("this is no tool's name")
    part.holds(
        "annotations",
        "description",
        "digests",
        "input_schema",
        perhaps=("title", "output_schema", "classification"),
    )
    definition = _definition(own, part)
    pin = _computed(part, lambda: pin_for(server, definition))
    digests = part.member("digests")
    digests.holds(*Pin._fields)
    for field, computed in pin._asdict().items():
        if digests.member(field).text() != computed:
            digests.member(field).refuse(f"the digest is not that of the text of {whole}; {_REMEDY}")
    return LockedTool(definition, pin, part.perhaps("classification", _dropped) or False)


def _definition(own: str, part: _Part) -> "Definition":
    from ..dialects.mcp import Definition

    return Definition(
        name=own,
        title=part.perhaps("title", _Part.text),
        description="\n".join(part.member("description").texts()),
        input_schema=part.member("input_schema").json(),
        output_schema=part.perhaps("output_schema", _Part.json),
        annotations=_annotations(part.member("annotations")),
    )


def _annotations(part: _Part) -> Annotations:
    part.holds(perhaps=tuple(sorted(_CLAIMS)))
    for _, claim in part.members():
        if not isinstance(claim.value, bool):
            claim.refuse(f"true or false is needed, not {_kind(claim.value)}")
    return Annotations(**part.value)


def _dropped(part: _Part) -> bool:
    if part.value != "dropped":
        part.refuse("only 'dropped' can stand here; leave the key out otherwise")
    return True


def _note(part: _Part) -> Mapping[str, str]:
    part.holds(perhaps=("name", "version"))
    return {name: said.text() for name, said in part.members()}


def _computed(part: _Part, compute: Callable[[], T]) -> T:
    """A digest of what stands there, which may be nothing that has one."""
    try:
        return compute()
    except (ConfigurationError, NotJson) as exc:
        part.refuse(legible(str(exc)))


def _value(data: bytes, shown: str) -> Any:
    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        held = dict(pairs)
        if len(held) < len(pairs):
            for name, _ in pairs:  # what is left at its second time is not there any more
                if held.pop(name, pairs) is pairs:
                    raise ValueError(f"the key {legible(name)!r} stands twice in one object")
        return held

    def constant(word: str) -> NoReturn:
        raise ValueError(f"{word} is no JSON number")

    def integer(digits: str) -> int:
        if len(digits) > _MOST_DIGITS:
            raise ValueError("an integer needs more than 64 bits")
        return int(digits)

    try:
        return json.loads(data.decode(), object_pairs_hook=members, parse_constant=constant, parse_int=integer)
    except UnicodeDecodeError as exc:
        raise ConfigurationError(f"{shown}: byte {exc.start}: not UTF-8") from None
    except json.JSONDecodeError as exc:
        raise ConfigurationError(f"{shown}:{exc.lineno}:{exc.colno}: not JSON: {exc.msg}") from None
    except (ValueError, RecursionError) as exc:
        why = "nested too deeply" if isinstance(exc, RecursionError) else str(exc)
        raise ConfigurationError(f"{shown}: {why}") from None


def _is_name(name: str) -> bool:
    try:
        return "/" in name and canonical(name) == name
    except ConfigurationError:
        return False


def _kind(value: Any) -> str:
    kinds = {dict: "an object", list: "a list", str: "text", bool: "true or false", type(None): "null"}
    return kinds.get(type(value), "a number")


__all__ = ["parse"]
