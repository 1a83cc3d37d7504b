"""Arguments as a model wrote them by a lowered schema, back in the words of the registered one.

What lowering put in is taken out where it was put, and nowhere else: a null that stands for an absent property, and a
name that the wire did not take. A value is followed along the registered schema for that; it is not judged here.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from .document import Document, Part
from .lowered import Lowered
from .null import fits_null

CACHED = 512
"""Registered schemas that are kept as they are read, the latest used ones."""

_KINDS: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int, float),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
    "null": (type(None),),
}


def restored(arguments: dict[str, Any], registered: bytes, lowered: Lowered) -> dict[str, Any]:
    """The arguments that the registered schema means, fresh.

    Where several branches of a union may have been meant, a null stays that one of them takes by itself.
    """
    document = _document(registered)
    found = _Way(document, lowered.nulls, lowered.renamed, lowered.strict).value(arguments, [Part(document.root, ())])
    assert isinstance(found, dict)
    return found


@lru_cache(maxsize=CACHED)
def _document(text: bytes) -> Document:
    return Document(text)


class _Way:
    """One walk of a value along its schema."""

    def __init__(self, document: Document, nulls: frozenset[str], renamed: Mapping[str, str], strict: bool) -> None:
        self._document = document
        self._nulls = nulls
        self._renamed = renamed
        self._strict = strict

    def value(self, value: Any, parts: list[Part]) -> Any:
        """The value as it was meant, ``parts`` being the schemas that were lowered for it."""
        if isinstance(value, dict):
            return self._members(value, self._meant(value, parts)) if parts else value
        if isinstance(value, list) and parts:
            items = [
                Part(part.schema["items"], (*part.path, "items"))
                for part in self._meant(value, parts)
                if isinstance(part.schema.get("items"), dict)
            ]
            return [self.value(item, items) for item in value] if items else value
        return value

    def _members(self, value: dict[str, Any], parts: list[Part]) -> dict[str, Any]:
        named: dict[str, list[Part]] = {}
        meant: dict[str, str] = {}
        for part in parts:
            for name, schema in self._properties(part):
                named.setdefault(name, []).append(schema)
                wire = self._renamed.get(schema.pointer)
                if wire is not None:
                    meant[wire] = name
        told: dict[str, Any] = {}
        for wire, member in value.items():
            name = meant.get(wire, wire)
            if name != wire and (name in value or wire in named):
                name = wire  # both were written: the registered schema tells what of it is wrong
            schemas = named.get(name, [])
            if member is None and self._stands_for_absence(schemas):
                continue
            told[name] = self.value(member, schemas)
        return told

    def _stands_for_absence(self, schemas: list[Part]) -> bool:
        """Whether a null was asked for here by lowering, and is none that the registered schema knows."""
        if not any(one.pointer in self._nulls for one in schemas):
            return False
        return not any(one.pointer not in self._nulls and fits_null(self._document, one.schema) for one in schemas)

    def _properties(self, part: Part) -> list[tuple[str, Part]]:
        properties = part.schema.get("properties")
        if not isinstance(properties, dict):
            return []
        return [
            (name, Part(schema, (*part.path, "properties", name)))
            for name, schema in properties.items()
            if isinstance(schema, dict)
        ]

    def _meant(self, value: Any, parts: list[Part]) -> list[Part]:
        """All that holds of a value: what its schemas refer to, are all of, and of their unions what may be meant."""
        found: list[Part] = []
        seen: set[int] = set()
        waiting = list(parts)
        while waiting:
            part = waiting.pop(0)
            if id(part.schema) in seen:
                continue
            seen.add(id(part.schema))
            found.append(part)
            waiting += self._together(part)
            for union in ("anyOf", "oneOf"):
                branches = self._listed(part, union)
                if len(branches) > 1:
                    branches = [one for one in branches if self._may_be(value, one)] or branches
                waiting += branches
        return found

    def _together(self, part: Part) -> list[Part]:
        """What a schema says by reference and by ``allOf``."""
        keyword = self._document.reference_of(part.schema)
        target = None if keyword is None else self._document.led_to(part.schema, keyword)
        return [*([] if target is None else [target]), *self._listed(part, "allOf")]

    def _listed(self, part: Part, keyword: str) -> list[Part]:
        held = part.schema.get(keyword)
        if not isinstance(held, list) or self._document.stands_alone(part.schema):
            return []
        return [Part(one, (*part.path, keyword, index)) for index, one in enumerate(held) if isinstance(one, dict)]

    def _whole(self, part: Part) -> list[Part]:
        """A schema and what it says by reference and by ``allOf``, without unions."""
        found: list[Part] = []
        waiting = [part]
        while waiting:
            one = waiting.pop()
            if all(one.schema is not known.schema for known in found):
                found.append(one)
                waiting += self._together(one)
        return found

    def _may_be(self, value: Any, branch: Part) -> bool:
        """Whether a model that was held to the wire may have meant this branch, by what can be seen at once."""
        whole = self._whole(branch)
        if not all(_is_of(value, one.schema) for one in whole):
            return False
        if not isinstance(value, dict):
            return True
        properties = [one for part in whole for one in self._properties(part)]
        if not properties:
            return True
        names = {self._renamed.get(schema.pointer, name) for name, schema in properties}
        if self._strict and not (value.keys() <= names and (not self._nulls or names <= value.keys())):
            return False
        return all(
            self._member_may_be(value.get(self._renamed.get(at.pointer, name), at), at) for name, at in properties
        )

    def _member_may_be(self, member: Any, at: Part) -> bool:
        if isinstance(member, Part):
            return True  # it is not there
        if member is None and at.pointer in self._nulls:
            return True
        return all(_is_of(member, one.schema) for one in self._whole(at))


def _is_of(value: Any, schema: dict[str, Any]) -> bool:
    """Whether a value is of a schema's type and among its values."""
    kinds = schema.get("type")
    if kinds is not None:
        listed = kinds if isinstance(kinds, list) else [kinds]
        if not any(_is_kind(value, kind) for kind in listed):
            return False
    if "const" in schema and not _equal(value, schema["const"]):
        return False
    values = schema.get("enum")
    return not isinstance(values, list) or any(_equal(value, one) for one in values)


def _is_kind(value: Any, kind: str) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    if kind == "integer" and isinstance(value, float) and not value.is_integer():
        return False
    return isinstance(value, _KINDS.get(kind, (object,)))


def _equal(one: Any, other: Any) -> bool:
    return isinstance(one, bool) == isinstance(other, bool) and bool(one == other)


__all__ = ["CACHED", "restored"]
