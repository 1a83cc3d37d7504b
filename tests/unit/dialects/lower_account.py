"""An account of a lowering: every keyword of the registered schema is on the wire as written, or on the list of losses.

It walks both schemas side by side and knows of the compiler only what its list of losses says.
"""

import json
from typing import Any
from urllib.parse import unquote, urljoin

from licet.dialects.lower import Form, Lowered

MISSING = object()
ONE = frozenset(
    "items contains not if then else propertyNames unevaluatedItems unevaluatedProperties contentSchema "
    "additionalProperties".split()
)
MANY = frozenset(("anyOf", "oneOf", "allOf", "prefixItems"))
NAMED = frozenset(("patternProperties", "dependentSchemas"))
REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")
Part = tuple[Any, str]


def unexplained(registered: dict[str, Any], low: Lowered, form: Form) -> list[str]:
    """What differs and is not on the list; empty if the list is complete."""
    return _Account(registered, low, form).differences()


def dangling(wire: dict[str, Any]) -> list[str]:
    """References on the wire that lead nowhere in it."""
    found = []

    def walk(node: Any) -> None:
        if isinstance(node, dict):
            reference = node.get("$ref")
            if isinstance(reference, str) and led_to(wire, reference) is None:
                found.append(reference)
            for keyword, value in node.items():
                if keyword not in ("enum", "const", "default", "examples"):
                    walk(value)
        elif isinstance(node, list):
            for value in node:
                walk(value)

    walk(wire)
    return found


def led_to(root: Any, reference: str) -> Any:
    """What a reference inside a document names; None if that is nothing."""
    if not reference.startswith("#"):
        return None
    node = root
    for step in unquote(reference[1:]).split("/")[1:]:
        step = step.replace("~1", "/").replace("~0", "~")
        if isinstance(node, dict) and step in node:
            node = node[step]
        elif isinstance(node, list) and step.isdigit() and int(step) < len(node):
            node = node[int(step)]
        else:
            return None
    return node


def named_by(root: dict[str, Any], reference: str) -> tuple[Any, str] | None:
    """What a reference of a registered schema names, by anchors and ids too, and the pointer there."""
    base = str(root.get("$id", ""))
    uri, _, fragment = urljoin(base, reference).partition("#")

    def walk(node: Any, path: str, around: str) -> tuple[Any, str] | None:
        if isinstance(node, dict):
            around = urljoin(around, node["$id"]) if isinstance(node.get("$id"), str) else around
            if around == uri and not fragment and "$id" in node:
                return node, path
            if around == uri and fragment in (node.get("$anchor"), node.get("$dynamicAnchor")) and fragment:
                return node, path
        inner = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
        return next((found for step, one in inner if (found := walk(one, _step(path, step), around))), None)

    if fragment.startswith("/"):
        target = led_to(root, f"#{fragment}")
        return None if target is None else (target, unquote(fragment))
    return (root, "") if not fragment and uri == base else walk(root, "", base)


def _step(path: str, *names: object) -> str:
    return path + "".join("/" + str(name).replace("~", "~0").replace("/", "~1") for name in names)


class _Account:
    def __init__(self, registered: dict[str, Any], low: Lowered, form: Form) -> None:
        self.root = registered
        self.wire = low.schema
        self.form = form
        self.suffix = low.suffix
        self.lost: dict[tuple[str, str], list[str]] = {}
        for loss in low.losses:
            self.lost.setdefault((loss.path, loss.keyword), []).append(loss.became)
        self.seen: set[tuple[str, int]] = set()
        self.found: list[str] = []

    def differences(self) -> list[str]:
        self.compare([(self.root, "")], self.wire, at_root=True)
        for keyword in ("$defs", "definitions"):
            for name, schema in self.root.get(keyword, {}).items():
                wire = self.wire.get(keyword, {}).get(name, MISSING)
                if wire is not MISSING:
                    self.compare([(schema, _step("", keyword, name))], wire)
                elif not self.became("", keyword):
                    self.complain("", f"{keyword}/{name} is not there")
        return self.found

    def became(self, path: str, keyword: str) -> list[str]:
        return self.lost.get((path, keyword), [])

    def complain(self, path: str, problem: str) -> None:
        self.found.append(f"{path or '.'}: {problem}")

    def compare(self, parts: list[Part], wire: Any, *, at_root: bool = False) -> None:
        for schema, path in parts:
            if isinstance(schema, bool) and wire is not schema and not self.became(path, str(schema).lower()):
                self.complain(path, f"{schema} became {wire}")
        parts = [part for part in parts if isinstance(part[0], dict)]
        if not parts or not isinstance(wire, dict):
            kept = [(path, k) for schema, path in parts for k in schema if not self.became(path, k)]
            if kept:
                self.complain(kept[0][0], f"{kept[0][1]} became {wire}")
            return
        if (parts[0][1], id(wire)) in self.seen:
            return
        self.seen.add((parts[0][1], id(wire)))
        parts = self.spread(parts)
        named: dict[str, list[Part]] = {}
        for schema, path in parts:
            for keyword, value in schema.items():
                if keyword == "properties" and isinstance(value, dict):
                    for name, inner in value.items():
                        named.setdefault(name, []).append((inner, _step(path, "properties", name)))
                self.keyword(schema, path, keyword, value, wire)
        items = [(schema["items"], _step(path, "items")) for schema, path in parts if self.stays(schema, path)]
        there = self.look(wire, "items")
        if items and there is not MISSING:
            self.compare(items, there)
        self.properties(named, parts, wire)
        self.additions(parts, wire, at_root=at_root)

    def spread(self, parts: list[Part]) -> list[Part]:
        """With what was merged into them or put in place of a reference, as the list of losses says."""
        found: list[Part] = []
        waiting = list(parts)
        while waiting:
            schema, path = waiting.pop(0)
            found.append((schema, path))
            if "merged" in self.became(path, "allOf"):
                inner = schema["allOf"]
                waiting += [(one, _step(path, "allOf", i)) for i, one in enumerate(inner) if isinstance(one, dict)]
            for keyword in ("anyOf", "oneOf"):
                if keyword in schema and {"nullable", "merged"} & set(self.became(path, "anyOf")):
                    kept = self.branches(path, keyword, schema[keyword])
                    waiting += kept if len(kept) == 1 and isinstance(kept[0][0], dict) else []
            for keyword in REFERENCES:
                if "inlined" in self.became(path, keyword):
                    target = named_by(self.root, schema[keyword])
                    if target is None:
                        self.complain(path, f"{schema[keyword]} is inlined, and names nothing")
                    elif all(target[1] != at for _, at in found):
                        waiting.append(target)
        return found

    def keyword(self, schema: dict[str, Any], path: str, keyword: str, value: Any, wire: dict[str, Any]) -> None:
        became = self.became(path, keyword)
        there = self.look(wire, keyword)
        if keyword in ("$defs", "definitions", "properties") and isinstance(value, dict):
            if path and keyword != "properties" and not became and there != value:
                self.complain(path, f"{keyword} is below the root")
            return
        if keyword == "oneOf" and "anyOf" in became and self.became(path, "anyOf"):
            self.union(path, keyword, value, wire)
        elif keyword == "oneOf" and "anyOf" in became:
            self.lists(path, "oneOf", value, wire.get("anyOf"))
        elif keyword == "anyOf" and became:
            if {"nullable", "merged", "or null"} & set(became):
                self.union(path, keyword, value, wire)
        elif became:
            return
        elif there is MISSING:
            self.complain(path, f"{keyword} is not there and not on the list")
        elif keyword == "items" and not isinstance(value, bool):
            return  # of all parts together
        elif keyword in ONE and not (isinstance(value, bool) and value is there):
            self.compare([(value, _step(path, keyword))], there)
        elif keyword in MANY:
            self.lists(path, keyword, value, there)
        elif keyword in NAMED:
            for name, inner in value.items():
                self.compare([(inner, _step(path, keyword, name))], there.get(name, MISSING))
        elif not self.same(keyword, value, there, self.renamed(path)):
            self.complain(path, f"{keyword}: {json.dumps(value)} became {json.dumps(there)}")

    def branches(self, path: str, keyword: str, value: list[Any]) -> list[Part]:
        """What is left of a union that has become flags and fewer branches."""
        kept = [(one, _step(path, keyword, i)) for i, one in enumerate(value)]
        kept = [(one, at) for one, at in kept if not (one is False and "left out" in self.became(at, "false"))]
        if "nullable" in self.became(path, "anyOf"):
            kept = [(one, at) for one, at in kept if one != {"type": "null"}]
        return kept

    def union(self, path: str, keyword: str, value: list[Any], wire: dict[str, Any]) -> None:
        kept = self.branches(path, keyword, value)
        if len(kept) == 1 and {"nullable", "merged"} & set(self.became(path, "anyOf")):
            return  # it stands for itself
        told = wire.get("anyOf", [])
        if len(told) < len(kept):
            self.complain(path, f"{keyword} became {told}")
        for (one, at), there in zip(kept, told, strict=False):
            self.compare([(one, at)], self.alone(path, one, there))

    def lists(self, path: str, keyword: str, value: list[Any], there: Any) -> None:
        inner = [
            (one, _step(path, keyword, i))
            for i, one in enumerate(value)
            if not (one is False and "left out" in self.became(_step(path, keyword, i), "false"))
        ]
        more = self.became(path, "anyOf") or (len(inner) < len(value) and len(there or ()) >= len(inner))
        if not isinstance(there, list) or not (len(there) == len(inner) or more):
            self.complain(path, f"{keyword} became {there}")
            return
        for (one, at), told in zip(inner, there, strict=False):
            self.compare([(one, at)], self.alone(path, one, told))

    def alone(self, path: str, one: Any, told: Any) -> Any:
        """A branch without what stood beside the union, and was pushed into each."""
        if not isinstance(told, dict) or not isinstance(one, dict):
            return told
        pushed = {
            k for (at, k), became in self.lost.items() if at == path and became[0].startswith(("in anyOf", "in some"))
        }
        own = {k: value for k, value in told.items() if k in one or k not in pushed}
        if "properties" in pushed and "properties" in own:
            own["properties"] = {k: value for k, value in own["properties"].items() if k in one["properties"]}
        if "required" in pushed and "required" in own:
            own["required"] = [name for name in own["required"] if name in one["required"]]
        return own

    def properties(self, named: dict[str, list[Part]], parts: list[Part], wire: dict[str, Any]) -> None:
        found = self.look(wire, "properties") if named else wire.get("properties")
        told = found if isinstance(found, dict) else {}
        wires = {name: wire for _, path in parts for name, wire in self.renamed(path).items()}
        for name, inner in named.items():
            there = told.get(wires.get(name, name), MISSING)
            if there is MISSING:
                if not any("left out" in self.became(path, "false") for _, path in inner):
                    self.complain(inner[0][1], "the property is not there")
            else:
                self.compare(inner, there)
        for name in told.keys() - {wires.get(name, name) for name in named}:
            self.complain(parts[0][1], f"the property {name} was made up")

    def stays(self, schema: dict[str, Any], path: str) -> bool:
        return isinstance(schema.get("items"), dict) and not self.became(path, "items")

    def renamed(self, path: str) -> dict[str, str]:
        told = [one.partition(" for ") for one in self.became(path, "properties")]
        return {name: wire for wire, found, name in told if found}

    def additions(self, parts: list[Part], wire: dict[str, Any], *, at_root: bool) -> None:
        """Keywords on the wire that nobody registered there."""
        path = parts[0][1]
        written = {keyword for schema, _ in parts for keyword in schema}
        words = any(
            became.startswith("in the description") for _, at in parts for k in written for became in self.became(at, k)
        )
        changes = [became for _, at in parts for k in written for became in self.became(at, k)]
        needed = {self.renamed(at).get(name, name) for schema, at in parts for name in schema.get("required", ())}
        widened = any(self.became(at, "required") for _, at in parts)
        if "required" in written and not widened and not set(wire.get("required", ())) <= needed:
            self.complain(path, f"required became {wire['required']}")
        for keyword in wire.keys() - written:
            allowed = (
                (keyword == "nullable" and any("nullable" in became for became in self.lost.values()))
                or (keyword == "description" and words)
                or self.pushed(keyword)
                or (at_root and keyword in ("type", "properties", "$defs"))
                or (keyword == "required" and (wire["required"] == [] or self.became(path, "required")))
                or (keyword == "properties" and wire["properties"] == {})
                or bool(self.became(path, keyword))
                or (keyword == "type" and ("enum" in wire or any("enum" in one for one in changes)))
                or (keyword == "$ref" and any(one.startswith("$ref") for one in changes))
                or any(keyword in one for one in changes)
                or (keyword == "anyOf" and any(self.became(at, "$ref") for _, at in parts))
                or (keyword in ("anyOf", "nullable") and any("null" in one or "anyOf" in one for one in changes))
                or (keyword == "type" and any(one.startswith("any ") for one in changes))
            )
            if not allowed:
                self.complain(path, f"{keyword}: {wire[keyword]} was added")

    def pushed(self, keyword: str) -> bool:
        """Whether a keyword stood beside a union, and went into its branches."""
        lost = [became for (_, k), told in self.lost.items() if k == keyword for became in told]
        return self.form.any_of_alone and any("anyOf" in became for became in lost)

    def look(self, wire: dict[str, Any], keyword: str) -> Any:
        if keyword in wire or "anyOf" not in wire:
            return wire.get(keyword, MISSING)
        return next((one[keyword] for one in wire["anyOf"] if isinstance(one, dict) and keyword in one), MISSING)

    def same(self, keyword: str, value: Any, there: Any, renamed: dict[str, str]) -> bool:
        if keyword == "description":
            return bool(there == value or f"\n{value}\n" in f"\n{there}\n")
        if keyword == "required":
            return isinstance(there, list) and {renamed.get(name, name) for name in value} <= set(there)
        if keyword == "type" and self.form.uppercase and isinstance(value, str):
            return bool(there == value.upper())
        return bool(there == value and json.dumps(there, sort_keys=True) == json.dumps(value, sort_keys=True))


__all__ = ["dangling", "led_to", "unexplained"]
