"""The calls of one answer: each one a request for the corridor, and in a form that its provider takes back."""

import json
from collections.abc import Mapping
from hashlib import sha256
from typing import Any, NamedTuple

from ..errors import ConfigurationError
from ..model.call import Request
from ..model.names import NOT_OFFERED
from ..schema.canonical import NotJson, freeze, parse
from .foreign import kind_of, sendable
from .names import WireNames, is_legal, wire_name
from .offer import MAX_ARGUMENT_BYTES, Offer
from .turn import Asked, CallIds

UNREADABLE = "unreadable"
"""The one member of what stands in a history in place of arguments that are no JSON object."""

_SHOWN_CHARACTERS = 2000


class Call(NamedTuple):
    """A call as it may stand in a history: legal name and id, and arguments that are an object, also as JSON text."""

    asked: Asked
    arguments: dict[str, Any]
    text: str


class Calls:
    """Gathers the calls of one answer, in order. ``ids`` is None where the wire has none."""

    def __init__(self, offer: Offer, ids: CallIds | None) -> None:
        self._offer = offer
        self._ids = ids
        self.requests: list[Request] = []
        self.asked: list[Asked] = []

    def add(self, name: object, arguments: object, call_id: object = None, kind: str = "") -> Call:
        """``kind`` is that of a call in a form that was not offered, whatever its name: it is no tool's name."""
        said = name if isinstance(name, str) else f"<{kind_of(name)}>"
        given, call = _read(arguments)
        own = call_id if isinstance(call_id, str) and call_id else None
        self.requests.append(self._offer.request(f"{said} ({kind})" if kind else said, given, own))
        asked = Asked("" if self._ids is None else self._ids.fit(own), legal_name(name), kind)
        self.asked.append(asked)
        return Call(asked, *call)

    def cut_last(self) -> None:
        """The answer ended in the middle of its last call: what there is of its arguments is refused as no JSON."""
        if self.requests:
            last = self.requests[-1]
            self.requests[-1] = last._replace(arguments=f"cut off at a limit: {_shown(last.arguments)}")


def called(request: Request, names: WireNames, ids: CallIds | None) -> Call:
    """A call of a turn that no provider said, for the history of one: its tool under the name it has there."""
    _, (arguments, text) = _read(request.arguments)
    wire_id = "" if ids is None else ids.fit(request.call_id, own=False)
    return Call(Asked(wire_id, _wire_name(request.tool, names)), arguments, text)


def legal_name(name: object) -> str:
    """The name, if every provider takes it; else one of its own that no tool has."""
    if isinstance(name, str) and is_legal(name):
        return name
    said = name if isinstance(name, str) else kind_of(name)
    return f"not_offered___{sha256(said.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"


def _wire_name(tool: str, names: WireNames) -> str:
    if tool.startswith(NOT_OFFERED):
        return legal_name(tool.removeprefix(NOT_OFFERED))
    try:
        return names.encode(tool)
    except ConfigurationError:
        pass  # it was offered once, and is not now
    try:
        return wire_name(tool)
    except ConfigurationError:
        return legal_name(tool)


def _read(said: object) -> tuple[Any, tuple[dict[str, Any], str]]:
    """What the corridor is given, and what stands in a history: an object and its text."""
    if said is None or (isinstance(said, str) and not said.strip()):
        return {}, ({}, "{}")
    try:
        if isinstance(said, str | bytes):
            read, text = parse(said, limit_bytes=MAX_ARGUMENT_BYTES), said if isinstance(said, str) else said.decode()
        else:
            data, read = freeze(said, limit_bytes=MAX_ARGUMENT_BYTES)
            text = data.decode()
        if isinstance(read, dict):
            return said if isinstance(said, str | bytes | Mapping) else text, (read, text)
        given: Any = text
    except NotJson:
        given = said if isinstance(said, str | bytes | Mapping) else _shown(said)
    unreadable = {UNREADABLE: _shown(said)}
    return given, (unreadable, json.dumps(unreadable))


def _shown(said: object) -> str:
    if isinstance(said, bytes):
        said = said.decode("utf-8", "replace")
    if not isinstance(said, str):
        said = json.dumps(sendable(said), default=kind_of)
    text = said if len(said) <= _SHOWN_CHARACTERS else said[:_SHOWN_CHARACTERS] + "..."
    return text.encode("utf-8", "replace").decode()


__all__ = ["UNREADABLE", "Call", "Calls", "called", "legal_name"]
