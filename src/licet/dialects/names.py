"""Names on the wire: what a model or a client is shown instead of ``namespace/name``, and the way back.

A wire name depends on the canonical name alone: the same over a conversation, after a restart, beside other tools.
The way back goes by what this request offered, and by nothing else.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from hashlib import sha256
from keyword import iskeyword
from types import MappingProxyType

from ..errors import ConfigurationError
from ..model.names import LOCAL, canonical, parse, short, skeletons

MAX_WIRE_NAME = 64

SERVED = "mcp__"
"""What a served name leaves out: a client puts the same in front of all that a server offers."""

_LEGAL = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}", re.ASCII)
_PART = re.compile(r"[A-Za-z0-9-]+(?:_[A-Za-z0-9-]+)*", re.ASCII)
_SIGNS = re.compile(r"[^A-Za-z0-9-]+", re.ASCII)
_HEX_DIGITS = 16
_PREFIX = MAX_WIRE_NAME - _HEX_DIGITS - len("___")
_NOTHING: Mapping[str, str] = MappingProxyType({})


@lru_cache(maxsize=4096)
def wire_name(name: str) -> str:
    """The name that a model sees, legal for every provider; no other tool has it.

    A bare local name stays as it is. Other names are joined by two underscores (``mcp__git__git_status``), which no
    part may hold, begin or end with. What cannot be said so is a readable prefix, three underscores and a digest.

    Raises:
        ConfigurationError: the name does not match the grammar of names.
    """
    whole = canonical(name)
    plugin, server, tool = parse(whole)
    if plugin == LOCAL and "__" not in tool and is_legal(tool):
        return tool
    parts = (plugin, server, tool) if server else (plugin, tool)
    joined = "__".join(parts)
    return joined if is_legal(joined) and all(map(_PART.fullmatch, parts)) else _digested(whole)


def serve_name(name: str) -> str:
    """The same for a client of ``licet serve``: without a leading ``mcp__``, where what is left is legal.

    Raises:
        ConfigurationError: the name does not match the grammar of names.
    """
    whole = wire_name(name)
    rest = whole.removeprefix(SERVED)
    return rest if is_legal(rest) else whole


@lru_cache(maxsize=4096)
def identifier_name(name: str) -> str:
    """The same for a target whose names are identifiers, such as Gemini's or Python's: without ``-``, no keyword.

    Raises:
        ConfigurationError: the name does not match the grammar of names.
    """
    whole = wire_name(name)
    return whole if is_identifier(whole) else _digested(canonical(name), "_")


def is_legal(name: str) -> bool:
    """Whether every dialect takes this name."""
    return _LEGAL.fullmatch(name) is not None


def is_identifier(name: str) -> bool:
    """Whether a target takes this name whose names are identifiers."""
    return is_legal(name) and "-" not in name and not iskeyword(name)


def _digested(name: str, dash: str = "-") -> str:
    readable = _SIGNS.sub("_", short(name)).replace("-", dash).strip("_")
    prefix = readable if readable[0].isalpha() else f"_{readable}"
    return f"{prefix[:_PREFIX].rstrip('_')}___{sha256(name.encode()).hexdigest()[:_HEX_DIGITS]}"


class WireNames:
    """The names of one request. ``offered`` maps wire to canonical names, ``refused`` canonical names to the reason."""

    __slots__ = ("_wire", "offered", "refused")
    offered: Mapping[str, str]
    refused: Mapping[str, str]

    def __init__(
        self,
        names: Iterable[str],
        chosen: Mapping[str, str] = _NOTHING,
        *,
        encode: Callable[[str], str] = wire_name,
    ) -> None:
        """``chosen`` are an operator's own wire names by canonical name; no other tool gets one of them or its like.

        Of two tools with one wire name the later is refused.

        Raises:
            ConfigurationError: a name is none, or a chosen one is not legal, or looks like another that was chosen.
        """
        picked, reserved = _picked(chosen)
        offered: dict[str, str] = {}
        refused: dict[str, str] = {}
        for name in dict.fromkeys(map(canonical, names)):
            wire = picked.get(name) or encode(name)
            holder = offered.get(wire) or _kept_for(wire, reserved) or name
            if holder == name:
                offered[wire] = name
            else:
                refused[name] = (
                    f"{short(name)!r} would be called {wire!r}, which is or looks like the name of {short(holder)!r}; "
                    "choose another for one of them under names:"
                )
        self.offered = MappingProxyType(offered)
        self.refused = MappingProxyType(refused)
        self._wire = {name: wire for wire, name in offered.items()}

    def without(self, refused: Mapping[str, str]) -> "WireNames":
        """The same names, but for tools that are refused for another reason. None of the others is renamed."""
        if refused.keys() <= self.refused.keys():
            return self
        fewer = object.__new__(WireNames)
        fewer.offered = MappingProxyType({wire: name for wire, name in self.offered.items() if name not in refused})
        fewer.refused = MappingProxyType({**self.refused, **refused})
        fewer._wire = {name: wire for wire, name in fewer.offered.items()}
        return fewer

    def encode(self, name: str) -> str:
        """The wire name of a tool.

        Raises:
            ConfigurationError: this request does not offer it.
        """
        whole = canonical(name)
        wire = self._wire.get(whole)
        if wire is None:
            raise ConfigurationError(self.refused.get(whole, f"{short(whole)!r} is not offered here; offer it first"))
        return wire

    def decode(self, wire: str) -> str | None:
        """The tool that this request offered under exactly this name, or None."""
        return self.offered.get(wire)


def _picked(chosen: Mapping[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """The operator's wire name of each tool, and the tool that each form of such a name is kept for."""
    picked: dict[str, str] = {}
    reserved: dict[str, str] = {}
    for name, wire in chosen.items():
        whole = canonical(name)
        if whole in picked:
            raise ConfigurationError(f"names: {short(whole)!r} is named twice; name it once")
        if not isinstance(wire, str) or not is_legal(wire):
            raise ConfigurationError(
                f"names: {wire!r} cannot be the name of {short(whole)!r}; use 1 to {MAX_WIRE_NAME} of the characters "
                "A-Z a-z 0-9 _ -, the first a letter or '_'"
            )
        for form in skeletons(wire):
            other = reserved.setdefault(form, whole)
            if other != whole:
                raise ConfigurationError(
                    f"names: {wire!r} for {short(whole)!r} is or looks like the name of {short(other)!r}; "
                    "choose one that looks different"
                )
        picked[whole] = wire
    return picked, reserved


def _kept_for(wire: str, reserved: Mapping[str, str]) -> str | None:
    return next((reserved[form] for form in skeletons(wire) if form in reserved), None) if reserved else None
