"""A wire schema as OpenAPI 3.0 spells it: types in capitals, null as a flag, a union that stands alone."""

from typing import Any

from .form import Form

_OF_TYPE = {
    "string": ("pattern", "minLength", "maxLength", "format", "enum"),
    "number": ("minimum", "maximum", "format"),
    "integer": ("minimum", "maximum", "format"),
    "array": ("items", "minItems", "maxItems"),
    "object": ("properties", "required", "minProperties", "maxProperties"),
}
_NULL = {"type": "NULL"}


def spelt(node: dict[str, Any], form: Form) -> list[tuple[str, str]]:
    """Respell one wire schema in place; those inside it are spelt already. What was changed, and how."""
    changed: list[tuple[str, str]] = []
    if "anyOf" in node:
        changed += _union(node)
    if "enum" in node:
        node.setdefault("type", "string")
    if isinstance(node.get("type"), list):
        changed += _types(node)
    elif "type" in node:
        node["type"] = str(node["type"]).upper()
    if form.any_of_alone and "anyOf" in node:
        changed += _alone(node)
    return changed


def _union(node: dict[str, Any]) -> list[tuple[str, str]]:
    """Without its null. One that is left stands for itself, unless what stands beside it says something else."""
    others = [one for one in node["anyOf"] if one != _NULL]
    null = len(others) < len(node["anyOf"])
    if not others:
        return []
    if null:
        node["nullable"] = True
    node["anyOf"] = others
    differ = [k for k, value in others[0].items() if k not in ("description", "anyOf") and node.get(k, value) != value]
    if len(others) > 1 or differ:
        return [("anyOf", "nullable")] if null else []
    del node["anyOf"]
    texts = [one["description"] for one in (others[0], node) if "description" in one]
    node.update(others[0])
    if texts:
        node["description"] = "\n".join(texts)
    return [("anyOf", "nullable" if null else "merged")]


def _types(node: dict[str, Any]) -> list[tuple[str, str]]:
    """One type, or a union of them: each with the keywords that say something of it."""
    listed = node.pop("type")
    kinds = [kind for kind in listed if kind != "null"]
    if not kinds:
        node["type"] = "NULL"
        return [("type", "NULL")]
    null = len(kinds) < len(listed)
    if null:
        node["nullable"] = True
    if len(kinds) == 1:
        node["type"] = kinds[0].upper()
        return [("type", "nullable" if null else node["type"])]
    if "anyOf" in node:
        return [("type", "dropped")]
    apart = {keyword for keywords in _OF_TYPE.values() for keyword in keywords}
    beside = {keyword: node.pop(keyword) for keyword in list(node) if keyword in apart}
    node["anyOf"] = [
        {"type": kind.upper(), **{word: beside[word] for word in _OF_TYPE.get(kind, ()) if word in beside}}
        for kind in kinds
    ]
    return [("type", "anyOf"), *((keyword, "in anyOf") for keyword in beside)]


def _alone(node: dict[str, Any]) -> list[tuple[str, str]]:
    """What stands beside a union goes into each of it; where that says something else, it says it alone."""
    beside = {keyword: node.pop(keyword) for keyword in list(node) if keyword != "anyOf"}
    changed = []
    for keyword, value in beside.items():
        joined = [_joins(one, keyword, value) for one in node["anyOf"]]
        changed.append((keyword, "in anyOf" if all(joined) else "in some of anyOf"))
    return [(keyword, became) for keyword, became in changed if keyword != "nullable"]


def _joins(node: dict[str, Any], keyword: str, value: Any) -> bool:
    """Put a keyword into a branch, or into those of its own union. False where that says something else there."""
    if "anyOf" in node:
        joined = [_joins(one, keyword, value) for one in node["anyOf"]]
        return all(joined)
    own = node.setdefault(keyword, value)
    if own is not value and keyword == "properties":
        node[keyword] = {**value, **own}
        return True
    if own is not value and keyword == "required":
        node[keyword] = list(dict.fromkeys([*value, *own]))
        return True
    return bool(own == value)


__all__ = ["spelt"]
