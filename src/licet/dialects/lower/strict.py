"""What a schema needs so that a model can be held to it, or why it cannot be."""

from typing import TYPE_CHECKING, Any

from .document import Held, Part, Path
from .not_strict import NotStrict
from .null import all_fit_null, or_null

if TYPE_CHECKING:
    from .form import Form
    from .walk import Walk


def held_to(
    walk: "Walk",
    node: dict[str, Any],
    path: Path,
    found: dict[str, list[Held]],
    named: dict[str, list[tuple[Any, Path]]],
) -> None:
    """Close one wire schema, in place. Nothing that a registered schema takes is refused by the wire for that.

    ``found`` are the registered keywords, ``named`` the registered schemas of each property.

    Raises:
        NotStrict: it takes values that a strict wire cannot say.
    """
    if not node.keys() & {"type", "enum", "const", "anyOf", "$ref"}:
        raise NotStrict(path, "takes any value")
    if any(isinstance(value, list | dict) for value in node.get("enum", ())) or isinstance(
        node.get("const"), list | dict
    ):
        raise NotStrict(path, "has values that are no scalars")
    kinds = node.get("type", ())
    kinds = kinds if isinstance(kinds, list) else (kinds,)
    if "array" in kinds and "items" not in node:
        raise NotStrict(path, "is an array of anything")
    if "object" in kinds:
        _close(walk, node, path, found)
        if walk.form.requires_all:
            _require_all(walk, node, path, found, named)


def _close(walk: "Walk", node: dict[str, Any], path: Path, found: dict[str, list[Held]]) -> None:
    rest = found.get("additionalProperties", [])
    if any(one.value is not False for one in rest) or "patternProperties" in found:
        raise NotStrict(path, "takes properties of any name")
    if not rest and not node.get("properties"):
        raise NotStrict(path, "is an object without properties")
    if not node.get("properties", {}).keys() >= set(node.get("required", ())):
        raise NotStrict(path, "requires a property that it does not describe")
    if node.get("additionalProperties") is not False:
        node["additionalProperties"] = False
        walk.lose(path, "additionalProperties", "false")
    node.setdefault("properties", {})


def _require_all(
    walk: "Walk",
    node: dict[str, Any],
    path: Path,
    found: dict[str, list[Held]],
    named: dict[str, list[tuple[Any, Path]]],
) -> None:
    required = {name for one in found.get("required", ()) for name in one.value}
    properties = node["properties"]
    for name, values in named.items():
        if name in required or name not in properties:
            continue
        for holder in [one.holder for one in found.get("required", ())] or [path]:
            walk.lose(holder, "required", "every property")
        parts = [Part(schema, at) for schema, at in values if isinstance(schema, dict)]
        if all_fit_null(walk.document, parts):
            continue
        held = walk.held[id(properties[name])]
        for keyword, became in or_null(properties[name]):
            for holder in [one.holder for one in held.get(keyword, ())] or [part.path for part in parts]:
                walk.lose(holder, keyword, became)
        walk.nulls.update(part.pointer for part in parts)
    node["required"] = list(properties)


def refuse_large(form: "Form", root: dict[str, Any]) -> None:
    """Raises NotStrict: the wire schema is beyond what the provider takes."""
    counts = _Counts()
    counts.add(root, 0)
    for limit, count, what in (
        (form.most_properties, counts.properties, "properties"),
        (form.most_levels, counts.levels, "levels"),
        (form.most_values, counts.values, "values"),
        (form.most_characters, counts.characters, "characters of names and values"),
    ):
        if limit is not None and count > limit:
            raise NotStrict((), f"has {count} {what}, more than {limit}")


class _Counts:
    """Of one wire schema. Definitions are counted from one again."""

    def __init__(self) -> None:
        self.properties = self.levels = self.values = self.characters = 0

    def add(self, node: Any, level: int) -> None:
        if not isinstance(node, dict):
            return
        named = node.get("properties", {})
        if "properties" in node:
            level += 1
        self.levels = max(self.levels, level)
        self.properties += len(named)
        values = [*node.get("enum", ()), *([node["const"]] if "const" in node else ())]
        self.values += len(node.get("enum", ()))
        self.characters += sum(map(len, named)) + sum(len(one) for one in values if isinstance(one, str))
        for inner in (*named.values(), node.get("items"), *node.get("anyOf", ())):
            self.add(inner, level)
        for keyword in ("$defs", "definitions"):
            self.characters += sum(map(len, node.get(keyword, ())))
            for inner in node.get(keyword, {}).values():
                self.add(inner, 0)


__all__ = ["held_to", "refuse_large"]
