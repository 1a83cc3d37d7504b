"""Whether null fits a schema, and a wire schema that it fits too."""

from typing import Any

from .document import Document, Part


def fits_null(document: Document, schema: Any, seen: tuple[int, ...] = ()) -> bool:
    """Whether null fits a registered schema. What depends on ``if`` or on a reference in a circle is taken to fit."""
    if isinstance(schema, bool):
        return schema
    if id(schema) in seen:
        return True
    seen = (*seen, id(schema))
    types = schema.get("type")
    if types is not None and types != "null" and not (isinstance(types, list) and "null" in types):
        return False
    if "const" in schema and schema["const"] is not None:
        return False
    if isinstance(schema.get("enum"), list) and None not in schema["enum"]:
        return False
    if "not" in schema and fits_null(document, schema["not"], seen):
        return False
    keyword = document.reference_of(schema)
    if keyword is not None:
        target = document.led_to(schema, keyword)
        if target is not None and not fits_null(document, target.schema, seen):
            return False
    if not all(fits_null(document, one, seen) for one in schema.get("allOf", ())):
        return False
    return all(
        any(fits_null(document, one, seen) for one in schema[union])
        for union in ("anyOf", "oneOf")
        if schema.get(union)
    )


def all_fit_null(document: Document, parts: list[Part]) -> bool:
    """The same of several at once."""
    return all(fits_null(document, part.schema) for part in parts)


def or_null(node: dict[str, Any]) -> list[tuple[str, str]]:
    """Make a wire schema fit null too, in place. What was changed: keywords and what became of each."""
    if "$ref" in node:
        node["anyOf"] = [{"$ref": node.pop("$ref")}, {"type": "null"}]
        return [("$ref", "anyOf, or null")]
    changed = []
    if "const" in node:
        node["enum"] = [node.pop("const"), None]
        changed.append(("const", "enum, or null"))
    elif "enum" in node and None not in node["enum"]:
        node["enum"] = [*node["enum"], None]
        changed.append(("enum", "or null"))
    if "anyOf" in node and {"type": "null"} not in node["anyOf"]:
        node["anyOf"] = [*node["anyOf"], {"type": "null"}]
        changed.append(("anyOf", "or null"))
    kinds = node.get("type", "null")
    kinds = kinds if isinstance(kinds, list) else [kinds]
    if "null" not in kinds:
        node["type"] = [*kinds, "null"]
        changed.append(("type", "or null"))
    return changed


__all__ = ["all_fit_null", "fits_null", "or_null"]
