"""One lowering under way: what was lost, where nulls were put, what is defined, and what bounds it."""

from hashlib import sha256
from typing import Any

from ...schema.pointer import legible, pointer
from ..loss import Loss
from .document import Document, Held, Part, Path
from .form import Form
from .node import Node
from .not_strict import NotStrict

MOST_NODES = 5_000
"""Schemas that one wire schema may hold. What would be more is any value, and a loss."""

MOST_LEVELS = 100
"""Of schemas inside each other, references followed."""

DEFINITIONS = ("$defs", "definitions")


class Walk:
    """Goes through a registered schema once. ``losses``, ``nulls`` and ``renamed`` fill on the way."""

    def __init__(self, tool: str, document: Document, form: Form) -> None:
        self.document = document
        self.form = form
        self.losses: set[Loss] = set()
        self.nulls: set[str] = set()
        self.renamed: dict[str, str] = {}
        self.inlined: tuple[int, ...] = ()
        """Schemas that stand in place of a reference, around the node that is being made."""
        self.held: dict[int, dict[str, list[Held]]] = {}
        """The registered keywords of each node that was made, by its identity: all of them stay in the tree."""
        self._tool = tool
        self._homes: dict[int, tuple[str, str]] = {}
        self._defined: dict[tuple[str, str], dict[str, Any] | bool] = {}
        self._open: list[int] = []
        self._left = MOST_NODES
        self._level = 0

    def root(self) -> tuple[dict[str, Any], str]:
        """The wire's schema, and what the tool's description has to say besides."""
        node = Node(self, [Part(self.document.root, ())], at_root=True)
        built = node.build()
        kind = "OBJECT" if self.form.uppercase else "object"
        if built.get("type") != kind:
            if "type" in built:
                self.lose((), "type", "object")
            built["type"] = kind
        built.setdefault("properties", {})
        if self.form.references:
            self._define_the_rest(built)
        return built, node.suffix

    def lose(self, holder: Path, keyword: str, became: str) -> None:
        """One keyword of the schema at ``holder`` goes over otherwise."""
        self.losses.add(Loss(self._tool, pointer(holder), keyword, became))

    def child(self, values: list[tuple[Any, Path]]) -> dict[str, Any] | bool | None:
        """What holds of one value by several schemas; None if none fits and the wire cannot say so."""
        parts = []
        for value, at in values:
            if value is False:
                return self._never(at, values)
            if isinstance(value, dict):
                parts.append(Part(value, at))
            elif len(values) > 1:
                self.lose(at, "true", "merged")
        if parts:
            return self.node(parts)
        at = values[0][1]
        if values[0][0] is True and self.form.booleans:
            return True
        if self.form.strict:
            raise NotStrict(at, "takes any value")
        self.lose(at, "true", "{}")
        return {}

    def node(self, parts: list[Part]) -> dict[str, Any]:
        """The schema that says what these do together."""
        self._left -= 1
        if self._left < 0 or self._level >= MOST_LEVELS:
            return self._too_much(parts)
        self._level += 1
        built = Node(self, parts).build()
        self._level -= 1
        return built

    def recurs(self, target: Part) -> bool:
        """Whether a reference that is kept would lead back to where it stands."""
        return not target.path or id(target.schema) in self._open

    def reference(self, text: str, target: Part) -> str:
        """What is written to refer to a schema: ``text`` as long as that leads there."""
        if not target.path:
            return "#"
        home, name = self.define(target)
        return text if (home, name) == target.path and text.startswith("#/") else f"#{pointer((home, name))}"

    def define(self, target: Part) -> tuple[str, str]:
        """Where a schema stands on the wire; it is put there the first time."""
        known = self._homes.get(id(target.schema))
        if known is not None:
            return known
        home = self._homes[id(target.schema)] = self._home(target.path)
        self._defined[home] = {}
        around, self.inlined = self.inlined, ()
        self._open.append(id(target.schema))
        self._defined[home] = self.node([target])
        self._open.pop()
        self.inlined = around
        return home

    def _home(self, path: Path) -> tuple[str, str]:
        if len(path) == 2 and path[0] in DEFINITIONS and self.form.holds(str(path[0]), at_root=True):
            home = (str(path[0]), str(path[1]))
            if home not in self._defined:
                return home
        name = next((step for step in reversed(path) if isinstance(step, str) and step.isidentifier()), "schema")
        taken = {known for _, known in self._defined} | set(self.document.root.get("$defs") or ())
        if name in taken:
            name = f"{name}_{sha256(pointer(path).encode()).hexdigest()[:8]}"
        while name in taken:
            name += "_"
        return "$defs", name

    def _define_the_rest(self, built: dict[str, Any]) -> None:
        """What is defined at the root, in its order, then what came there from elsewhere.

        What nothing refers to stays out of a wire that does not hold everything: it might hold something else there.
        """
        for keyword in DEFINITIONS:
            named = self.document.root.get(keyword)
            if not isinstance(named, dict):
                continue
            idle = []
            for name, schema in named.items():
                if self.form.keywords is not None:
                    if id(schema) not in self._homes:
                        idle.append(name)
                elif isinstance(schema, dict):
                    self.define(Part(schema, (keyword, name)))
                else:
                    told = self.child([(schema, (keyword, name))])
                    if told is not None:
                        self._defined[keyword, name] = told
            if idle:
                self.lose((), keyword, legible(f"without {', '.join(idle)}"))
        for keyword in DEFINITIONS:
            named = {name: schema for (home, name), schema in self._defined.items() if home == keyword}
            order = {name: place for place, name in enumerate(self.document.root.get(keyword) or ())}
            if named:
                built[keyword] = dict(sorted(named.items(), key=lambda one: order.get(one[0], len(order))))

    def _never(self, at: Path, values: list[tuple[Any, Path]]) -> bool | None:
        """Nothing fits ``false``, whatever else holds there too."""
        for value, there in values:
            for keyword in value if isinstance(value, dict) else ():
                self.lose(there, keyword, "dropped")
        if self.form.booleans:
            return False
        self.lose(at, "false", "left out")
        return None

    def _too_much(self, parts: list[Part]) -> dict[str, Any]:
        if self.form.strict:
            raise NotStrict(parts[0].path, "is too large")
        for part in parts:
            for keyword in part.schema:
                self.lose(part.path, keyword, "any value: the schema is too large")
        return {}


__all__ = ["DEFINITIONS", "MOST_LEVELS", "MOST_NODES", "Walk"]
