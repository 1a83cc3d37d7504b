"""A schema as a graph: every schema in it, and where its references lead. Nothing is ever fetched."""

from typing import Any, NamedTuple

from .pointer import legible, pointer
from .subschemas import Reach, subschemas

_KEYWORDS = ("$ref", "$dynamicRef", "$recursiveRef")
_HOSTS = ("http://json-schema.org/", "https://json-schema.org/")
_METASCHEMAS = ("draft-04/", "draft-06/", "draft-07/", "draft/2019-09/", "draft/2020-12/")


class BadSchema(ValueError):  # noqa: N818 - it names what the schema is
    """The schema cannot be used. ``pointer`` leads into it, ``problem`` says what is wrong and what to use instead."""

    def __init__(self, pointer: str, problem: str) -> None:
        super().__init__(problem)
        self.pointer = pointer
        self.problem = problem


class Link(NamedTuple):
    """A way from one schema to another. ``member`` as in ``Subschema``."""

    target: int
    reach: Reach
    member: str = ""


class Place:
    """One schema of the document: where it stands, the URI that its references start from, and its links."""

    __slots__ = ("base", "links", "path", "schema")

    def __init__(self, schema: dict[str, Any], path: tuple[str | int, ...], base: str) -> None:
        self.schema = schema
        self.path = path
        self.base = base
        self.links: list[Link] = []


class References:
    """Every schema of a document by its number; the root is number 0.

    ``outside`` are URIs that the validator knows without fetching anything, as it knows the schema of its own draft.
    ``knows_if`` says whether the draft has ``if``, ``then`` and ``else``.

    Raises:
        BadSchema: a reference leads nowhere, or out of the document.
    """

    def __init__(self, root: dict[str, Any], outside: frozenset[str] = frozenset()) -> None:
        self.places: list[Place] = []
        self._outside = outside
        dialect = str(root.get("$schema", ""))
        self.knows_if = "draft-04" not in dialect and "draft-06" not in dialect
        self._id = "id" if "draft-04" in dialect else "$id"
        self._metaschema = next((part for part in _METASCHEMAS if part in dialect), _METASCHEMAS[-1])
        self._ref_stands_alone = "draft-0" in dialect  # up to draft 7 what stands beside a $ref says nothing
        self._number: dict[int, int] = {}  # of a schema, by its identity: the document is a tree
        self._resources: dict[str, dict[str, Any]] = {"": root}
        self._anchors: dict[tuple[str, str], dict[str, Any]] = {}
        self._dynamic: dict[str, list[dict[str, Any]]] = {}
        self._add(root, (), "")
        done = 0
        while done < len(self.places):  # a reference may lead to what no keyword holds, and so add places
            self._follow(self.places[done])
            done += 1

    def led_to(self, schema: dict[str, Any], keyword: str = "$ref") -> list[Place]:
        """The places that a reference of a schema in this document leads to; none where any value fits there."""
        place = self.places[self._number[id(schema)]]
        return [self.places[number] for number in self._targets(place, keyword, schema[keyword])]

    @property
    def ref_stands_alone(self) -> bool:
        """Whether, in the draft of this document, what stands beside a ``$ref`` says nothing."""
        return self._ref_stands_alone

    def _add(self, schema: dict[str, Any], path: tuple[str | int, ...], base: str) -> int:
        """Number a schema and all that its keywords hold."""
        first = len(self.places)
        waiting = [(schema, path, base)]
        while waiting:
            schema, path, base = waiting.pop()
            if id(schema) in self._number:
                continue
            base = self._enter(schema, base)
            self._number[id(schema)] = len(self.places)
            self.places.append(Place(schema, path, base))
            inside = [(held.schema, path + held.path, base) for held in subschemas(schema)]
            waiting.extend(reversed(inside))
        return first

    def _enter(self, schema: dict[str, Any], base: str) -> str:
        """Note the names that a schema gives itself; the URI that references in it start from."""
        own = schema.get(self._id)
        if isinstance(own, str) and not (self._ref_stands_alone and "$ref" in schema):
            uri, _, fragment = own.partition("#")
            if uri:
                base = _joined(base, uri)
                self._resources[base] = schema
            if fragment:
                self._anchors[base, fragment] = schema
        for keyword in ("$anchor", "$dynamicAnchor"):
            anchor = schema.get(keyword)
            if isinstance(anchor, str):
                self._anchors[base, anchor] = schema
        if isinstance(schema.get("$dynamicAnchor"), str):
            self._dynamic.setdefault(schema["$dynamicAnchor"], []).append(schema)
        return base

    def _follow(self, place: Place) -> None:
        alone = self._ref_stands_alone and isinstance(place.schema.get("$ref"), str)
        for held in subschemas(place.schema):
            if held.reach is not Reach.APART and not alone:
                place.links.append(Link(self._number[id(held.schema)], held.reach, held.member))
        for keyword in _KEYWORDS:
            reference = place.schema.get(keyword)
            if isinstance(reference, str):
                place.links += [Link(target, Reach.HERE) for target in self._targets(place, keyword, reference)]

    def _targets(self, place: Place, keyword: str, reference: str) -> list[int]:
        uri, _, fragment = reference.partition("#")
        base = _joined(place.base, uri) if uri else place.base
        if keyword == "$dynamicRef" and fragment in self._dynamic:
            return [self._number[id(schema)] for schema in self._dynamic[fragment]]
        at = pointer((*place.path, keyword))
        if base not in self._resources:
            if base in self._outside or base.startswith(tuple(host + self._metaschema for host in _HOSTS)):
                return []
            raise BadSchema(
                at, f"the reference {legible(reference)!r} leads out of the schema; put what it names into $defs"
            )
        found = self._resolve(base, _decoded(fragment))
        if isinstance(found, bool):
            return []
        if found is None:
            raise BadSchema(
                at, f"the reference {legible(reference)!r} leads to no schema; define what it names in $defs"
            )
        return [found]

    def _resolve(self, base: str, fragment: str) -> int | bool | None:
        """The number of the schema that a fragment names, a bool for ``true`` and ``false``, or None."""
        if fragment and not fragment.startswith("/"):
            named = self._anchors.get((base, fragment))
            return None if named is None else self._number[id(named)]
        target: Any = self._resources[base]
        start = self._number.get(id(target))
        path: tuple[str | int, ...] = () if start is None else self.places[start].path
        for step in fragment.split("/")[1:]:
            step = step.replace("~1", "/").replace("~0", "~")
            if isinstance(target, dict) and step in target:
                target, path = target[step], (*path, step)
            elif isinstance(target, list) and step.isascii() and step.isdigit() and int(step) < len(target):
                target, path = target[int(step)], (*path, int(step))
            else:
                return None
            if isinstance(target, dict) and id(target) in self._number:
                base = self.places[self._number[id(target)]].base
        if isinstance(target, dict):
            known = self._number.get(id(target))
            return self._add(target, path, base) if known is None else known
        return target if isinstance(target, bool) else None


def _joined(base: str, uri: str) -> str:
    from urllib.parse import urljoin  # few schemas name themselves, and it is slow to import

    return urljoin(base, uri)


def _decoded(fragment: str) -> str:
    if "%" not in fragment:
        return fragment
    from urllib.parse import unquote

    return unquote(fragment)
