"""One schema on the wire, made of those that hold of one value together."""

import re
from typing import TYPE_CHECKING, Any

from ...schema.pointer import legible, pointer
from .document import Held, Part, Path
from .openapi import spelt
from .property_name import called
from .spread import Spread
from .strict import held_to
from .types import in_both, type_of
from .words import CUT, joined, said

if TYPE_CHECKING:
    from .walk import Walk

IDENTIFIERS = frozenset(("$schema", "$id", "$anchor", "$dynamicAnchor", "$recursiveAnchor", "$vocabulary"))
_REFERENCES = frozenset(("$ref", "$dynamicRef", "$recursiveRef"))
_ONE = frozenset(
    "items contains not if then else propertyNames unevaluatedItems unevaluatedProperties contentSchema".split()
)
_MANY = frozenset(("anyOf", "oneOf", "allOf", "prefixItems"))
_NAMED = frozenset(("patternProperties", "dependentSchemas"))
_BY_NAME = frozenset(
    ("if", "then", "else", "not", "dependentSchemas", "dependentRequired", "propertyNames", "patternProperties")
)
"""What says something of properties by their names: it does not go with other names on the wire."""

_EVALUATING = (
    *("anyOf", "oneOf", "allOf", "if", "then", "else", "dependentSchemas", "patternProperties", "prefixItems"),
    *("$dynamicRef", "$recursiveRef"),
)
_RESTS_ON = {
    "items": ("prefixItems",),
    "additionalProperties": ("patternProperties",),
    "unevaluatedItems": _EVALUATING,
    "unevaluatedProperties": _EVALUATING,
}
"""What speaks of the rest: without the others it would say more than it did."""

_LOOKS_AROUND = re.compile(r"\(\?<?[=!]")


class Node:
    """Built once. ``suffix`` is what a root has to say in the tool's description."""

    def __init__(self, walk: "Walk", parts: list[Part], *, at_root: bool = False) -> None:
        self.suffix = ""
        self._walk = walk
        self._at_root = at_root
        self._spread = Spread(walk, parts, at_root=at_root)
        self._path = parts[0].path
        self._found = self._gathered()
        self._renames = self._names()
        self._words: list[str] = []
        self._out: dict[str, Any] = {}
        self._named: dict[str, list[tuple[Any, Path]]] = {}

    def build(self) -> dict[str, Any]:
        """The wire's schema."""
        walk = self._walk
        around, walk.inlined = walk.inlined, (*walk.inlined, *self._spread.inlined)
        stays = self._spread.reference
        if stays is not None:
            text = walk.reference(stays.part.schema[stays.keyword], stays.target)
            self._out["$ref"] = text
            if (stays.keyword, text) != ("$ref", stays.part.schema[stays.keyword]):
                walk.lose(stays.part.path, stays.keyword, f"$ref {text}")
        for keyword, held in self._found.items():
            self._put(keyword, held)
        walk.inlined = around
        if walk.form.strict:
            held_to(walk, self._out, self._path, self._found, self._named)
        self._describe()
        self._set_reference_alone()
        if walk.form.nullable or walk.form.uppercase:
            for keyword, became in spelt(self._out, walk.form):
                for holder in [one.holder for one in self._found.get(keyword, ())] or [self._path]:
                    walk.lose(holder, keyword, became)
        walk.held[id(self._out)] = self._found
        return self._out

    def _gathered(self) -> dict[str, list[Held]]:
        """Every keyword, and who holds it."""
        found: dict[str, list[Held]] = {}
        for part in self._spread.parts:
            told = set()
            for keyword, held in self._walk.document.keywords(part):
                told.add(held.at[-1])
                if keyword != held.at[-1]:
                    self._walk.lose(part.path, str(held.at[-1]), keyword)
                elif held.value is not part.schema[keyword]:
                    self._walk.lose(part.path, keyword, f"{keyword} {held.value}")
                found.setdefault(keyword, []).append(held)
            for keyword in part.schema:
                if keyword not in told:
                    self._walk.lose(part.path, keyword, "dropped")
        return found

    def _holds(self, keyword: str) -> bool:
        if keyword in ("$dynamicRef", "$recursiveRef") or (keyword in _BY_NAME and self._renames):
            return False
        if any(other in self._found and not self._holds(other) for other in _RESTS_ON.get(keyword, ())):
            return False
        return self._walk.form.holds(keyword, at_root=self._at_root)

    def _put(self, keyword: str, held: list[Held]) -> None:
        if keyword in _REFERENCES or (keyword == "allOf" and not self._holds(keyword)):
            return  # spread
        if keyword in IDENTIFIERS or (keyword == "id" and self._walk.document.names_by_id):
            self._lose(keyword, held, "dropped")
        elif keyword in ("$defs", "definitions"):
            self._definitions(keyword, held)
        elif keyword == "description":
            self._description(held)
        elif keyword == "properties":
            self._properties(held)
        elif keyword == "required":
            self._required(held)
        elif not self._holds(keyword):
            self._otherwise(keyword, held)
        elif keyword == "additionalProperties":
            self._additional(held)
        elif keyword in _ONE:
            self._one(keyword, held)
        elif keyword in _MANY:
            self._many(keyword, keyword, held[0])
            self._say(keyword, held[1:])
        elif keyword in _NAMED:
            self._by_name(keyword, held[0])
            self._say(keyword, held[1:])
        else:
            self._plain(keyword, held)

    def _lose(self, keyword: str, held: list[Held], became: str) -> None:
        for one in held:
            self._walk.lose(one.holder, str(one.at[-1]), became)

    def _say(self, keyword: str, held: list[Held]) -> None:
        """In the description, if there is anything to say."""
        for one in held:
            if keyword == "items" and "prefixItems" in self._found:
                words = said("additionalItems", one.value)
            else:
                words = said(keyword, one.value)
            if words is not None:
                self._words.append(words)
            became = "dropped" if words is None else "in the description"
            self._walk.lose(one.holder, str(one.at[-1]), became + (", cut" if words and words.endswith(CUT) else ""))

    def _otherwise(self, keyword: str, held: list[Held]) -> None:
        """What the wire cannot hold, in other keywords, or in words."""
        if keyword == "oneOf" and self._holds("anyOf") and "anyOf" not in self._found:
            self._many("oneOf", "anyOf", held[0])
            if "anyOf" in self._out:
                self._lose(keyword, held[:1], "anyOf")
            self._say(keyword, held[1:])
        elif keyword == "const" and self._holds("enum") and "enum" not in self._found:
            self._plain("enum", [held[0]._replace(value=[held[0].value])])
            if "enum" in self._out:
                self._lose(keyword, held[:1], "enum")
                if "type" not in self._found:
                    self._out["type"] = type_of(held[0].value)
            self._say(keyword, held[1:])
        else:
            self._say(keyword, held)

    def _plain(self, keyword: str, held: list[Held]) -> None:
        """A keyword that holds no schema: that of the first, as far as the wire holds its value."""
        first, form = held[0], self._walk.form
        value = first.value
        if keyword == "enum" and form.text_enums and isinstance(value, list):
            texts = [one for one in value if one is not None]
            if not all(isinstance(one, str) for one in texts) or not texts:
                return self._say(str(first.at[-1]), [self._registered(first), *held[1:]])
            if len(texts) < len(value):
                value = texts
                self._out["nullable"] = True
                self._lose(keyword, held[:1], "nullable")
        if self._refuses(keyword, value):
            return self._say(keyword, held)
        self._out[keyword] = value
        for other in held[1:]:
            if other.value == value:
                continue
            both = in_both(value, other.value) if keyword == "type" else None
            if both is None:
                self._say(keyword, [other])
            else:
                self._out[keyword] = value = both
                self._lose(keyword, [first, other], "merged")
        return None

    def _refuses(self, keyword: str, value: Any) -> bool:
        """Whether the wire holds the keyword, but not this value of it."""
        form = self._walk.form
        if keyword == "format":
            return form.formats is not None and value not in form.formats
        if keyword == "pattern":
            return form.plain_patterns and _LOOKS_AROUND.search(value) is not None
        return keyword == "minItems" and form.most_min_items is not None and value > form.most_min_items

    def _registered(self, held: Held) -> Held:
        """The same with its registered value: a ``const`` may have been made an ``enum`` of one."""
        return held._replace(value=held.value[0]) if held.at[-1] == "const" else held

    def _description(self, held: list[Held]) -> None:
        for index, one in enumerate(held):
            if index == 0 and self._holds("description"):
                self._out["description"] = one.value
            elif isinstance(one.value, str):
                self._words.append(one.value)
                self._lose("description", [one], "in the description")

    def _definitions(self, keyword: str, held: list[Held]) -> None:
        """At the root they are defined by whoever walks; elsewhere they go to the root."""
        walk = self._walk
        for one in held:
            at_the_root = self._at_root and not one.holder
            if not walk.form.references:
                walk.lose(one.holder, keyword, "inlined")
            elif not at_the_root:
                walk.lose(one.holder, keyword, "$defs of the root")
                for name, schema in one.value.items() if walk.form.keywords is None else ():
                    if isinstance(schema, dict):
                        walk.define(Part(schema, (*one.at, name)))
            elif not self._holds(keyword):
                walk.lose(one.holder, keyword, "$defs")

    def _names(self) -> dict[str, str]:
        """The names of properties that the wire does not take, and what they are called there."""
        form = self._walk.form
        if form.property_names is None or (form.property_names_at_root and not self._at_root):
            return {}
        names = [name for one in self._found.get("properties", ()) for name in one.value]
        return called(names, form.property_names)

    def _properties(self, held: list[Held]) -> None:
        walk = self._walk
        for one in held:
            for name, schema in one.value.items() if isinstance(one.value, dict) else ():
                self._named.setdefault(name, []).append((schema, (*one.at, name)))
                if name in self._renames:
                    walk.lose(one.holder, "properties", f"{self._renames[name]} for {legible(name)}")
        properties = {}
        for name, values in self._named.items():
            told = walk.child(values)
            if told is None:
                continue
            wire = self._renames.get(name, name)
            properties[wire] = told
            if wire != name:
                walk.renamed.update((pointer(at), wire) for _, at in values)
        self._out["properties"] = properties

    def _required(self, held: list[Held]) -> None:
        names = dict.fromkeys(name for one in held for name in one.value)
        self._out["required"] = [self._renames.get(name, name) for name in names]

    def _additional(self, held: list[Held]) -> None:
        """Each speaks of its own neighbours in ``properties``: with those of others it would refuse too much."""
        kept = False
        for one in held:
            own = {
                name
                for other in self._found.get("properties", ())
                if other.holder == one.holder
                for name in other.value
            }
            others = {name for other in self._found.get("properties", ()) for name in other.value}
            if kept or not others <= own:
                self._say("additionalProperties", [one])
                continue
            kept = True
            told = one.value if isinstance(one.value, bool) else self._walk.child([(one.value, one.at)])
            self._out["additionalProperties"] = told

    def _one(self, keyword: str, held: list[Held]) -> None:
        if held[0].value is False and not self._walk.form.booleans:
            told = None
        elif keyword == "items":
            told = self._walk.child([(one.value, one.at) for one in held])
        else:
            told = self._walk.child([(held[0].value, held[0].at)])
            self._say(keyword, held[1:])
        if told is None:
            self._say(keyword, held if keyword == "items" else held[:1])
        else:
            self._out[keyword] = told

    def _many(self, keyword: str, wire: str, held: Held) -> None:
        told = [self._walk.child([(one, (*held.at, index))]) for index, one in enumerate(held.value)]
        kept = [one for one in told if one is not None]
        if kept:
            self._out[wire] = kept
        else:  # nothing fits, which this wire cannot say
            self._walk.lose(held.holder, keyword, "dropped")

    def _by_name(self, keyword: str, held: Held) -> None:
        told = {name: self._walk.child([(one, (*held.at, name))]) for name, one in held.value.items()}
        self._out[keyword] = {name: one for name, one in told.items() if one is not None}

    def _describe(self) -> None:
        if not self._words:
            return
        if self._at_root:
            self.suffix = joined("", self._words)
        else:
            self._out["description"] = joined(self._out.get("description", ""), self._words)

    def _set_reference_alone(self) -> None:
        if "$ref" in self._out and len(self._out) > 1 and self._walk.form.reference_alone:
            reference = {"$ref": self._out.pop("$ref")}
            self._out = {"anyOf": [reference], **self._out}
            stays = self._spread.reference
            if stays is not None:
                self._walk.lose(stays.part.path, stays.keyword, "anyOf")


__all__ = ["IDENTIFIERS", "Node"]
