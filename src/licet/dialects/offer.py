"""The tools of one request: what goes over the wire, under which names, what was lost, and the way back of a call.

Every dialect is a ``Wire`` and what ``offer`` makes of it. A dialect is handed ``ModelTool`` and ``HostedTool`` and
nothing else, so no fact of the runtime can reach a provider.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any, NamedTuple

import orjson

from ..model.call import Request
from ..model.json_object import JsonObject
from ..model.names import NOT_OFFERED, short
from ..model.tool import HostedTool, ModelTool, Offered, ToolSpec
from ..schema.canonical import NotJson, freeze, parse
from ..schema.pointer import legible, place
from ..schema.references import BadSchema
from .loss import Loss
from .lower import Form, Lowered, lowered
from .lower.restore import restored
from .names import WireNames, identifier_name, is_identifier, wire_name

MAX_ARGUMENT_BYTES = 1024 * 1024
CACHED = 64
"""Offers that are kept, the latest used ones, by what they were made of. Each holds the wire JSON of its tools once."""

_NOTHING: Mapping[str, str] = MappingProxyType({})
_ENCODE: dict[str, Callable[[str], str]] = {"words": wire_name, "identifiers": identifier_name}


class Declared(NamedTuple):
    """One tool as a dialect declares it. ``strict`` says whether a model is held to the schema.

    ``schema`` is the lowered one, as JSON that goes in its place and is not looked at. ``description`` may be empty.
    """

    name: str
    description: str
    schema: Any
    strict: bool


def together(declared: list[dict[str, Any]], hosted: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """One list of both."""
    return declared + hosted


def unproblematic(declared: Mapping[str, Any]) -> str | None:
    """Takes every declaration of a hosted tool that is not empty."""
    return None if declared else "its declaration is empty"


class Wire(NamedTuple):
    """What one dialect is, for declarations.

    ``declare`` makes the JSON of one tool, ``gather`` the list of them all from those and from the hosted ones.
    ``problem`` says what is wrong with a hosted tool's declaration, None if nothing is. A tool that asks to be strict
    is lowered to ``strict``, if there is such a form. ``most_tools`` is how many the provider takes in one request,
    hosted ones included where they stand in the same list; None: no limit is known.
    """

    dialect: str
    form: Form
    declare: Callable[[Declared], dict[str, Any]]
    strict: Form | None = None
    gather: Callable[[list[dict[str, Any]], list[dict[str, Any]]], list[dict[str, Any]]] = together
    problem: Callable[[Mapping[str, Any]], str | None] = unproblematic
    most_tools: int | None = None


class Offer:
    """One request's tools. It cannot be changed, and is made by ``offer``.

    ``names`` are the request's names of tools that are called here, ``hosted`` the declarations of those that the
    provider runs, by canonical name. ``losses`` are sorted. ``refused`` says of each tool that is not offered why.
    """

    __slots__ = ("_json", "_ways_back", "dialect", "hosted", "losses", "names", "refused")
    dialect: str
    names: WireNames
    hosted: Mapping[str, JsonObject]
    losses: tuple[Loss, ...]
    refused: Mapping[str, str]

    def __init__(
        self,
        dialect: str,
        json: bytes,
        names: WireNames,
        hosted: Mapping[str, JsonObject],
        losses: tuple[Loss, ...],
        refused: Mapping[str, str],
        ways_back: Mapping[str, tuple[bytes, Lowered]],
    ) -> None:
        self.dialect = dialect
        self.names = names
        self.hosted = MappingProxyType(dict(hosted))
        self.losses = losses
        self.refused = MappingProxyType(dict(refused))
        self._json = json
        self._ways_back = ways_back

    @property
    def tools(self) -> list[dict[str, Any]]:
        """The wire JSON, exactly what the provider takes, fresh on each access; empty if nothing is offered."""
        fresh: list[dict[str, Any]] = orjson.loads(self._json)
        return fresh

    def request(
        self, wire_name: str, arguments: Mapping[str, Any] | str | bytes | None, call_id: str | None = None
    ) -> Request:
        """One call that a model asks for, under the canonical name of what was offered under exactly this wire name.

        A name that was not offered stays no tool's name, so that it is refused and recorded. Text that is not strict
        JSON stays text, for the same reason. Otherwise the nulls that the strict form asked for are taken out.
        """
        name = self.names.decode(wire_name) if isinstance(wire_name, str) else None
        if name is None:
            return Request(NOT_OFFERED + legible(str(wire_name)), arguments, call_id)
        way_back = self._ways_back.get(name)
        if way_back is None:
            return Request(name, arguments, call_id)
        try:
            if isinstance(arguments, str | bytes):
                given = parse(arguments, limit_bytes=MAX_ARGUMENT_BYTES)
            else:
                _, given = freeze(arguments, limit_bytes=MAX_ARGUMENT_BYTES)
        except NotJson:
            return Request(name, arguments, call_id)
        if not isinstance(given, dict):
            return Request(name, arguments, call_id)
        registered, low = way_back
        return Request(name, restored(given, registered, low), call_id)


def offer(wire: Wire, tools: Iterable[ToolSpec | Offered], *, chosen: Mapping[str, str] = _NOTHING) -> Offer:
    """What one dialect makes of some tools, in their order; made once for the same ones, or for equal ones.

    ``chosen`` are an operator's own wire names, by canonical name. Of two tools with one name the first counts.

    Raises:
        ConfigurationError: a chosen name is not legal, or looks like another that was chosen.
    """
    return _same(wire, _Tools(tuple(tools)), tuple(sorted(chosen.items())))


class _Tools:
    """Some tools, equal to the same objects in the same order. That is seen at once, however many there are."""

    __slots__ = ("_ids", "tools")

    def __init__(self, tools: tuple[ToolSpec | Offered, ...]) -> None:
        self.tools = tools  # as long as they are held, no other object gets their ids
        self._ids = tuple(map(id, tools))

    def __hash__(self) -> int:
        return hash(self._ids)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Tools) and self._ids == other._ids


@lru_cache(maxsize=CACHED)
def _same(wire: Wire, tools: _Tools, chosen: tuple[tuple[str, str], ...]) -> Offer:
    return _equal(wire, tuple(map(_shown, tools.tools)), chosen)


@lru_cache(maxsize=CACHED)
def _equal(wire: Wire, tools: tuple[Offered, ...], chosen: tuple[tuple[str, str], ...]) -> Offer:
    return _Making(wire, tools, dict(chosen)).offer()


def _shown(tool: ToolSpec | Offered) -> Offered:
    if isinstance(tool, ToolSpec):
        return tool.hosted_tool if tool.source == "hosted" else tool.model_tool
    return tool


class _Making:
    """One offer, being made."""

    def __init__(self, wire: Wire, tools: tuple[Offered, ...], chosen: dict[str, str]) -> None:
        self._wire = wire
        self._refused: dict[str, str] = {}
        self._called: dict[str, ModelTool] = {}
        self._hosted: dict[str, JsonObject] = {}
        for tool in tools:
            if isinstance(tool, ModelTool):
                self._called.setdefault(tool.name, tool)
            else:
                self._host(tool)
        self._names = WireNames(self._called, chosen, encode=_ENCODE[wire.form.names])
        self._refused |= self._names.refused

    def offer(self) -> Offer:
        wire = self._wire
        taken = {held.copy().get("name"): name for name, held in self._hosted.items()}
        declared: list[dict[str, Any]] = []
        losses: list[Loss] = []
        ways_back: dict[str, tuple[bytes, Lowered]] = {}
        wires = {name: wire_name for wire_name, name in self._names.offered.items()}
        room = self._room()
        for name, tool in self._called.items():
            wire_name = wires.get(name)
            if wire_name is None:
                continue  # refused
            if wire_name in taken:
                self._refused[name] = _taken(name, wire_name, taken[wire_name])
            elif wire.form.names == "identifiers" and not is_identifier(wire_name):
                self._refused[name] = (
                    f"{short(name)!r} is called {wire_name!r} under names:, which {wire.dialect} does not take; use "
                    "letters, digits and '_'"
                )
            elif room is not None and len(declared) >= room:
                self._refused[name] = (
                    f"{short(name)!r} is one more than the {wire.most_tools} tools that {wire.dialect} takes in one "
                    "request; grant fewer"
                )
            low = None if name in self._refused else self._lowered(tool)
            if low is None:
                continue
            declared.append(
                wire.declare(Declared(wire_name, _described(tool, low), orjson.Fragment(low.json), low.strict))
            )
            losses += low.losses
            if low.is_restored:
                ways_back[name] = (tool.input_schema.json, low)
        hosted = [held.copy() for held in self._hosted.values()]
        json = orjson.dumps(wire.gather(declared, hosted) if declared or hosted else [])
        names = self._names.without(self._refused)
        return Offer(wire.dialect, json, names, self._hosted, tuple(sorted(losses)), self._refused, ways_back)

    def _room(self) -> int | None:
        """How many tools that are called here one request can hold."""
        most = self._wire.most_tools
        if most is None or self._wire.gather is not together:
            return most
        return max(0, most - len(self._hosted))

    def _host(self, tool: HostedTool) -> None:
        declared = tool.declared.copy().get(self._wire.dialect)
        problem = "it is not declared" if declared is None else self._wire.problem(declared)
        if declared is not None and problem is None:
            self._hosted.setdefault(tool.name, JsonObject(declared))
        else:
            self._refused[tool.name] = (
                f"{short(tool.name)!r} is run by a provider, and {problem} for {self._wire.dialect}"
            )

    def _lowered(self, tool: ModelTool) -> Lowered | None:
        form = self._wire.strict if tool.strict and self._wire.strict else self._wire.form
        try:
            return lowered(tool, form)
        except BadSchema as bad:
            at = place(bad.pointer)
            self._refused[tool.name] = f"the schema of {short(tool.name)!r} cannot be used: {bad.problem} (at {at})"
            return None


def _taken(name: str, wire_name: str, holder: str) -> str:
    return (
        f"{short(name)!r} would be called {wire_name!r}, as is {short(holder)!r}, which the provider runs; "
        "choose another name for it under names:"
    )


def _described(tool: ModelTool, low: Lowered) -> str:
    return f"{tool.description}\n\n{low.suffix}".strip() if low.suffix else tool.description


__all__ = ["CACHED", "Declared", "Form", "Lowered", "Offer", "Wire", "lowered", "offer", "together", "unproblematic"]
