"""What became of a schema: each change at its place, with what it means for a caller.

Only changes of which it is certain are anything but breaking. A keyword that is not understood is breaking, and so is
everything inside of one that may turn narrower into wider, such as ``not`` and ``oneOf``.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from typing import Any, NamedTuple

from ..model.json_object import JsonObject
from ..schema.canonical import thaw
from ..schema.pin import pinned
from ..schema.pointer import pointer
from .lock_text import plain
from .words import exchanged, lines_changed, shown, turned


class Kind(StrEnum):
    """What a change means for who calls, the mildest first."""

    TEXT = "text only"
    """What a model reads is another text; the same is accepted."""
    COMPATIBLE = "compatible"
    """Nothing that a caller sends becomes invalid, and nothing new is allowed."""
    NARROWING = "narrowing"
    """Less is accepted, and nothing new."""
    BREAKING = "breaking"
    """Everything else."""


def worst(kinds: Iterable[Kind]) -> Kind:
    """The kind of several changes together."""
    return max(kinds, key=[*Kind].index, default=Kind.COMPATIBLE)


class SchemaChange(NamedTuple):
    """``at`` is a JSON pointer, empty for the root; ``told`` says what changed there."""

    at: str
    told: str
    kind: Kind


_Path = tuple[str | int, ...]
_ABSENT: Any = object()

_TEXTS = frozenset(("title", "description", "$comment"))
_NAMED = frozenset(("properties", "patternProperties", "$defs", "definitions", "dependentSchemas"))
_LISTED = frozenset(("allOf", "anyOf", "oneOf", "prefixItems"))
_SINGLE = frozenset(
    ("items", "additionalProperties", "propertyNames", "contains", "not", "if", "then", "else", "unevaluatedItems")
) | {"unevaluatedProperties", "additionalItems", "contentSchema"}
_FAITHFUL = frozenset(
    ("properties", "patternProperties", "allOf", "anyOf", "prefixItems", "items", "additionalProperties")
) | {"propertyNames"}
"""Where a narrower schema inside makes the whole narrower, and never wider."""

_LEAST = frozenset(("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"))
_MOST = frozenset(("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"))
_ONLY_NARROW = frozenset(("pattern", "const", "format", "multipleOf"))
_WIDENING = ("unevaluatedItems", "unevaluatedProperties", "$dynamicRef", "$recursiveRef")


def schema_changes(old: Mapping[str, Any] | None, new: Mapping[str, Any] | None) -> list[SchemaChange]:
    """What changed from one schema to another, in the order of their places; None is no schema.

    What their pins do not tell apart is no change.
    """
    if old is None or new is None:
        kind = Kind.NARROWING if old is None else Kind.BREAKING
        return [] if old is new else [SchemaChange("", "+ schema" if old is None else "- schema", kind)]
    before, after = (thaw(pinned(JsonObject.of(schema).copy())) for schema in (old, new))
    walk = _Walk(opaque=_twists(before) or _twists(after))
    walk.schema(before, after, (), opaque=False)
    return walk.changes


class _Walk:
    def __init__(self, *, opaque: bool) -> None:
        self.changes: list[SchemaChange] = []
        self._opaque = opaque

    def schema(self, old: Any, new: Any, path: _Path, *, opaque: bool) -> None:
        """``opaque``: what is narrower here may be wider in the whole."""
        if not (isinstance(old, dict) and isinstance(new, dict)):
            if not _same(old, new):
                self._say(path, turned(old, new), _of_bools(old, new), opaque)
            return
        for keyword in sorted(old.keys() | new.keys()):
            one, other = old.get(keyword, _ABSENT), new.get(keyword, _ABSENT)
            if one is _ABSENT or other is _ABSENT or not _same(one, other):
                self._keyword(keyword, one, other, old, (*path, keyword), opaque)

    def _keyword(self, keyword: str, old: Any, new: Any, holder: Any, path: _Path, opaque: bool) -> None:
        inside = opaque or keyword not in _FAITHFUL
        if keyword in _NAMED and _are(dict, old, new):
            self._named(keyword, _or(old, {}), _or(new, {}), holder, path, inside)
        elif keyword in _LISTED and _are(list, old, new) and old is not _ABSENT and _as_long(old, new):
            for at, (one, other) in enumerate(zip(old, new, strict=True)):
                self.schema(one, other, (*path, at), opaque=inside)
        elif keyword == "additionalProperties" and _are((dict, bool), old, new):
            self._rest(old, new, path, opaque)
        elif keyword in _SINGLE and isinstance(old, dict) and isinstance(new, dict):
            self.schema(old, new, path, opaque=inside)
        else:
            told, kind = _judged(keyword, old, new)
            self._say(path, told, kind, opaque)

    def _named(self, keyword: str, old: Any, new: Any, holder: Any, path: _Path, opaque: bool) -> None:
        closed = keyword == "properties" and holder.get("additionalProperties") is False
        for name in sorted(old.keys() | new.keys()):
            if name not in old or name not in new:
                gone = name in old
                # What is taken out of a closed object is refused from now on; elsewhere it is merely not checked.
                kind = Kind.NARROWING if gone and closed and "patternProperties" not in holder else Kind.BREAKING
                self._say(path, f"{'-' if gone else '+'} {shown(name)}", kind, opaque)
            else:
                self.schema(old[name], new[name], (*path, name), opaque=opaque)

    def _rest(self, old: Any, new: Any, path: _Path, opaque: bool) -> None:
        """What may stand beside the named properties: everything, where nothing is said."""
        before, after = (True if one is _ABSENT or one == {} else one for one in (old, new))
        if isinstance(before, dict) and isinstance(after, dict):
            self.schema(before, after, path, opaque=opaque)
            return
        kind = Kind.COMPATIBLE if _same(before, after) else _of_bools(before, after)
        self._say(path, _turned(old, new), kind, opaque)

    def _say(self, path: _Path, told: str, kind: Kind, opaque: bool) -> None:
        if kind is Kind.NARROWING and (opaque or self._opaque):
            kind = Kind.BREAKING
        self.changes.append(SchemaChange(plain(pointer(path)).replace("\n", "\\n"), told, kind))


def _judged(keyword: str, old: Any, new: Any) -> tuple[str, Kind]:
    """A keyword that holds no schema, or whose schemas cannot be compared one by one."""
    if keyword == "examples" or (keyword in _TEXTS and _are(str, old, new)):
        return (
            lines_changed(old, new) if isinstance(old, str) and isinstance(new, str) else _turned(old, new)
        ), Kind.TEXT
    told = _turned(old, new)
    if keyword == "type":
        return told, _of_types(old, new)
    if keyword in ("required", "enum") and _are(list, old, new):
        return _of_sets(keyword, old, new)
    if keyword in _LEAST or keyword in _MOST:
        return told, _of_bounds(old, new, rising=keyword in _LEAST)
    if old is _ABSENT and keyword in _ONLY_NARROW:
        return told, Kind.NARROWING
    if keyword == "uniqueItems" and new is True and old in (False, _ABSENT):
        return told, Kind.NARROWING
    return told, Kind.BREAKING


def _of_bools(old: Any, new: Any) -> Kind:
    """From everything to something, or from something to nothing."""
    return Kind.NARROWING if old is True or new is False else Kind.BREAKING


def _of_types(old: Any, new: Any) -> Kind:
    before, after = _types(old), _types(new)
    if after is None or (before is None and old is not _ABSENT):
        return Kind.BREAKING
    if before is None:
        return Kind.NARROWING
    if before == after:
        return Kind.COMPATIBLE
    return Kind.NARROWING if after <= before | ({"integer"} if "number" in before else set()) else Kind.BREAKING


def _types(value: Any) -> set[str] | None:
    """The names of types; None where none are said, or they are no names."""
    names = [value] if isinstance(value, str) else value
    return set(names) if isinstance(names, list) and all(isinstance(name, str) for name in names) else None


def _of_sets(keyword: str, old: Any, new: Any) -> tuple[str, Kind]:
    """``required``, whose additions narrow, and ``enum``, whose removals do."""
    if keyword == "enum" and not _both(old, new):
        return _turned(old, new), Kind.NARROWING if old is _ABSENT else Kind.BREAKING
    before, after = ({_text(item): item for item in _or(one, [])} for one in (old, new))
    gone = [item for key, item in before.items() if key not in after]
    come = [item for key, item in after.items() if key not in before]
    if not gone and not come:
        return "in another order", Kind.COMPATIBLE
    widened = gone if keyword == "required" else come
    return exchanged(gone, come), Kind.BREAKING if widened else Kind.NARROWING


def _of_bounds(old: Any, new: Any, *, rising: bool) -> Kind:
    if any(one is not _ABSENT and type(one) not in (int, float) for one in (old, new)) or new is _ABSENT:
        return Kind.BREAKING
    return Kind.NARROWING if old is _ABSENT or (new > old) is rising else Kind.BREAKING


def _twists(schema: Any) -> bool:
    """Whether something in a schema makes places depend on each other, so that narrower may be wider elsewhere."""
    text = _text(schema)
    if any(f'"{keyword}"' in text for keyword in _WIDENING):
        return True
    return any(not at.startswith(("#/$defs/", "#/definitions/")) for at in _references(schema))


def _references(value: Any) -> Iterable[str]:
    waiting = [value]
    while waiting:
        held = waiting.pop()
        if isinstance(held, dict):
            if isinstance(held.get("$ref"), str):
                yield held["$ref"]
            waiting.extend(held.values())
        elif isinstance(held, list):
            waiting.extend(held)


_text: Callable[[Any], str] = json.JSONEncoder(sort_keys=True).encode


def _same(old: Any, new: Any) -> bool:
    return _text(old) == _text(new)  # to Python, true equals 1


def _are(kind: Any, *values: Any) -> bool:
    return all(value is _ABSENT or isinstance(value, kind) for value in values)


def _both(old: Any, new: Any) -> bool:
    return old is not _ABSENT and new is not _ABSENT


def _or(value: Any, instead: Any) -> Any:
    return instead if value is _ABSENT else value


def _as_long(old: Any, new: Any) -> bool:
    return _both(old, new) and len(old) == len(new)


def _turned(old: Any, new: Any) -> str:
    if old is _ABSENT:
        return f"+ {shown(new)}"
    return f"- {shown(old)}" if new is _ABSENT else turned(old, new)


__all__ = ["Kind", "SchemaChange", "schema_changes", "worst"]
