"""The lowering of one tool, kept for the next request."""

import re
from functools import lru_cache
from types import MappingProxyType
from typing import Any

import orjson

from ...model.tool import ModelTool
from ...schema.pointer import legible
from ...schema.references import BadSchema
from ..loss import Loss
from .document import Document
from .form import Form
from .lowered import Lowered
from .not_strict import NotStrict
from .strict import refuse_large
from .walk import Walk

CACHED = 2048
"""Lowered tools that are kept, the latest used ones."""

_NAMES_ITSELF = re.compile(rb'"\$(?:id|anchor|dynamicAnchor|dynamicRef|recursiveRef|recursiveAnchor)":')
_REFERENCE = re.compile(rb'"\$ref":"([^"\\]*)"')
_PLAIN_REFERENCE = re.compile(r"#/(\$defs|definitions)/([A-Za-z0-9_.-]+)", re.ASCII)
_DRAFT = "https://json-schema.org/draft/2020-12/schema"


@lru_cache(maxsize=CACHED)
def lowered(tool: ModelTool, form: Form) -> Lowered:
    """The input schema of a tool as ``form`` can hold it. A strict form is left for its ``otherwise`` where it must be.

    Raises:
        BadSchema: a reference leads nowhere or out of the schema, which registration refuses.
    """
    if not form.strict:
        asked = (Loss(tool.name, "", "strict", "dropped"),) if tool.strict else ()
        return _plain(tool, form, asked)
    try:
        return _walked(tool, form)
    except NotStrict as exc:
        if form.otherwise is None:
            raise BadSchema("", f"{exc.why}, which {form.name} cannot say; use another schema") from None
        return _plain(tool, form.otherwise, (Loss(tool.name, "", "strict", f"false: {exc.why}"),))


def _plain(tool: ModelTool, form: Form, asked: tuple[Loss, ...]) -> Lowered:
    found = Lowered(tool.input_schema.json) if form.whole else _as_it_is(tool, form) or _walked(tool, form)
    return found._replace(losses=tuple(sorted((*found.losses, *asked)))) if asked else found


def _walked(tool: ModelTool, form: Form) -> Lowered:
    walk = Walk(tool.name, Document(tool.input_schema.json), form)
    root, suffix = walk.root()
    if form.strict:
        refuse_large(form, root)
    return Lowered(
        _json(root),
        tuple(sorted(walk.losses)),
        suffix,
        form.strict,
        frozenset(walk.nulls),
        MappingProxyType(walk.renamed),
    )


def _as_it_is(tool: ModelTool, form: Form) -> Lowered | None:
    """Where a wire holds every keyword, and nothing but the root is touched: without a look at the rest.

    None where that is not certain.
    """
    if form.keywords is not None or not form.booleans:
        return None
    text = tool.input_schema.json
    root = orjson.loads(text)
    losses: list[Loss] = []
    if b'"$' in text and not _keeps_its_names(tool, root, losses, form):
        return None
    if not _root_is_plain(root, form):
        return None
    root.setdefault("properties", {})
    json = _json(root)
    return None if b"e+" in json else Lowered(json, tuple(losses))  # an integer of more than 64 bits is a float now


def _keeps_its_names(tool: ModelTool, root: dict[str, Any], losses: list[Loss], form: Form) -> bool:
    """Whether nothing inside names itself or is named otherwise than by a definition of the root."""
    text = tool.input_schema.json
    for keyword in ("$id", "$schema"):
        if keyword in root:
            if keyword == "$schema" and str(root[keyword]).rstrip("#") != _DRAFT:
                return False
            del root[keyword]
            losses.append(Loss(tool.name, "", keyword, "dropped"))
    if len(_NAMES_ITSELF.findall(text)) > sum(loss.keyword == "$id" for loss in losses):
        return False
    return b'"$ref"' not in text or _references_are_plain(text, root, form)


def _root_is_plain(root: dict[str, Any], form: Form) -> bool:
    if root.get("type") != "object" or "$ref" in root or not form.not_at_root.isdisjoint(root):
        return False
    if form.root is not None and not root.keys() <= form.root:
        return False
    if form.property_names is None:
        return True
    legal = re.compile(form.property_names, re.ASCII)
    return form.property_names_at_root and all(map(legal.fullmatch, root.get("properties", ())))


def _references_are_plain(text: bytes, root: dict[str, Any], form: Form) -> bool:
    """Whether every reference names a definition of the root."""
    if not form.references:
        return False
    found = _REFERENCE.findall(text)
    named = [_PLAIN_REFERENCE.fullmatch(one.decode()) for one in found]
    return len(found) == text.count(b'"$ref"') and all(
        match is not None and isinstance(root.get(match[1]), dict) and isinstance(root[match[1]].get(match[2]), dict)
        for match in named
    )


def _json(root: dict[str, Any]) -> bytes:
    try:
        return orjson.dumps(root)
    except TypeError as exc:
        raise BadSchema("", f"not strict JSON: {legible(str(exc))}; use integers of at most 64 bits") from None


__all__ = ["CACHED", "lowered"]
