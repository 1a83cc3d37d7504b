"""A registered schema as it is read: where its parts stand, and where its references lead."""

import json
from collections.abc import Iterator
from functools import cached_property
from typing import Any, NamedTuple

from ...schema.pointer import pointer
from ...schema.references import References

Path = tuple[str | int, ...]

REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")


class Part(NamedTuple):
    """One schema of the document and where it stands. Several parts in a list say: a value fits them all."""

    schema: dict[str, Any]
    path: Path

    @property
    def pointer(self) -> str:
        return pointer(self.path)


class Held(NamedTuple):
    """One keyword of a schema. ``holder`` is the path of that schema, ``at`` that of the value, as registered."""

    value: Any
    holder: Path
    at: Path


class Document:
    """A schema that is read, and never changed.

    Raises:
        BadSchema: when a reference is followed, and one leads nowhere or out of the document.
    """

    def __init__(self, text: bytes) -> None:
        self.root: dict[str, Any] = json.loads(text)
        draft = str(self.root.get("$schema", ""))
        self.is_old = "draft-0" in draft or "2019-09" in draft
        self.names_by_id = "draft-04" in draft

    @cached_property
    def _references(self) -> References:
        return References(self.root)

    def reference_of(self, schema: dict[str, Any]) -> str | None:
        """The keyword by which a schema refers to another, if it does."""
        return next((keyword for keyword in REFERENCES if isinstance(schema.get(keyword), str)), None)

    def stands_alone(self, schema: dict[str, Any]) -> bool:
        """Whether a schema is its ``$ref`` and nothing else, as in drafts up to 7."""
        return self.is_old and isinstance(schema.get("$ref"), str) and self._references.ref_stands_alone

    def led_to(self, schema: dict[str, Any], keyword: str) -> Part | None:
        """What a reference leads to; None where any value fits there, or where that depends on the way taken."""
        if keyword == "$recursiveRef" or (keyword == "$dynamicRef" and "#/" not in schema[keyword]):
            return None
        places = self._references.led_to(schema, keyword)
        return Part(places[0].schema, places[0].path) if len(places) == 1 else None

    def keywords(self, part: Part) -> Iterator[tuple[str, Held]]:
        """The keywords of a schema by their names in draft 2020-12; what says nothing in its own draft is left out."""
        schema, path = part
        if self.stands_alone(schema):
            yield "$ref", Held(schema["$ref"], path, (*path, "$ref"))
            return
        for keyword, value in schema.items():
            held = Held(value, path, (*path, keyword))
            yield from self._renewed(schema, keyword, held) if self.is_old else ((keyword, held),)

    def _renewed(self, schema: dict[str, Any], keyword: str, held: Held) -> Iterator[tuple[str, Held]]:
        value = held.value
        if keyword == "items" and isinstance(value, list):
            yield "prefixItems", held
        elif keyword == "additionalItems":
            if isinstance(schema.get("items"), list):  # beside one schema for all items it says nothing
                yield "items", held
        elif keyword in ("exclusiveMinimum", "exclusiveMaximum") and isinstance(value, bool):
            plain = keyword[9:].lower()
            if value and plain in schema:
                yield keyword, held._replace(value=schema[plain])
        elif keyword in ("minimum", "maximum") and schema.get(f"exclusive{keyword.capitalize()}") is True:
            return
        elif keyword == "dependencies" and isinstance(value, dict):
            names = {name: wanted for name, wanted in value.items() if isinstance(wanted, list)}
            if names:
                yield "dependentRequired", held._replace(value=names)
            if len(names) < len(value):
                schemas = {name: wanted for name, wanted in value.items() if name not in names}
                yield "dependentSchemas", held._replace(value=schemas)
        else:
            yield keyword, held


__all__ = ["REFERENCES", "Document", "Held", "Part", "Path"]
