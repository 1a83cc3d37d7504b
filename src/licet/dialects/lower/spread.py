"""Schemas that hold of one value together: what they refer to and what they are all of, side by side."""

from typing import TYPE_CHECKING, NamedTuple

from .document import Document, Part

if TYPE_CHECKING:
    from .walk import Walk

ANNOTATIONS = frozenset(
    ("title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly", "$comment")
)
_BESIDE = ANNOTATIONS | {"$ref", "$dynamicRef", "$recursiveRef", "allOf", "$defs", "definitions", "$id", "$anchor"}


class Reference(NamedTuple):
    """One that stays: ``part`` holds it, and it leads to ``target``."""

    part: Part
    keyword: str
    target: Part


class Spread:
    """``parts`` side by side, ``reference`` if one stays, and ``inlined``: what stands in place of a reference."""

    def __init__(self, walk: "Walk", parts: list[Part], *, at_root: bool) -> None:
        self.parts: list[Part] = []
        self.reference: Reference | None = None
        self.inlined: tuple[int, ...] = ()
        self._walk = walk
        self._at_root = at_root
        self._met: list[Reference] = []
        for part in parts:
            self._add(part)
        if self._may_stay():
            self.reference = self._met[0]
            return
        while self._met:
            self._inline(self._met.pop(0))

    def _add(self, part: Part) -> None:
        schema, path = part
        document = self._walk.document
        self.parts.append(part)
        keyword = document.reference_of(schema)
        if keyword is not None:
            self._meet(document, part, keyword)
        all_of = schema.get("allOf")
        if not isinstance(all_of, list) or document.stands_alone(schema):
            return
        if self._walk.form.holds("allOf", at_root=self._at_root):
            return
        self._walk.lose(path, "allOf", "merged")
        for index, one in enumerate(all_of):
            at = (*path, "allOf", index)
            if isinstance(one, dict):
                self._add(Part(one, at))
            else:
                self._walk.lose(at, str(one).lower(), "dropped")

    def _meet(self, document: Document, part: Part, keyword: str) -> None:
        target = document.led_to(part.schema, keyword)
        if target is None:
            self._walk.lose(part.path, keyword, "any value")
        else:
            self._met.append(Reference(part, keyword, target))

    def _may_stay(self) -> bool:
        form = self._walk.form
        if len(self._met) != 1 or not form.references or self._at_root:
            return False
        if not form.recursion and self._walk.recurs(self._met[0].target):
            return False
        return form.keywords is None or all(part.schema.keys() <= _BESIDE for part in self.parts)

    def _inline(self, met: Reference) -> None:
        part, keyword, target = met
        walk = self._walk
        known = (*walk.inlined, *self.inlined)
        if id(target.schema) in known or (walk.recurs(target) and not self._at_root):
            kind = target.schema.get("type")
            if isinstance(kind, str):
                self.parts.append(Part({"type": kind}, target.path))
            walk.lose(part.path, keyword, f"any {kind}" if isinstance(kind, str) else "any value")
            return
        walk.lose(part.path, keyword, "inlined")
        self.inlined = (*self.inlined, id(target.schema))
        self._add(target)


__all__ = ["ANNOTATIONS", "Reference", "Spread"]
