"""What a subject lists, held against what a vector set up."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from .verdict import Found

MODEL_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}", re.ASCII)
"""Names that the providers of models take."""
MCP_NAME = re.compile(r"[A-Za-z0-9_.-]{1,128}", re.ASCII)
"""Names of tools over MCP: its specification of 2025-11-25, "Tool Names"."""


class Listed(NamedTuple):
    """One tool as it is shown."""

    name: str
    description: str
    input_schema: dict[str, Any]


def read(shown: Any) -> list[Listed]:
    """Raises Found: this is no listing."""
    if not isinstance(shown, list | tuple):
        raise Found("garbled", f"its listing is no list, it is of type {type(shown).__name__}")
    return [_one(one) for one in shown]


def _one(one: Any) -> Listed:
    if not isinstance(one, Mapping):
        raise Found("garbled", "its listing holds something that is no object")
    name, description, schema = one.get("name"), one.get("description") or "", one.get("input_schema")
    if not isinstance(name, str) or not isinstance(description, str) or not isinstance(schema, Mapping):
        raise Found("garbled", "a tool that it lists is without a name, a description and an input_schema")
    acting = next((sign for sign in name + description if acts(sign)), None)
    if acting is not None:
        raise Found("garbled", f"a tool that it lists holds the control character U+{ord(acting):04X}")
    return Listed(name, description, dict(schema))


def acts(sign: str) -> bool:
    """Whether a character acts on a terminal."""
    return (sign < " " and sign not in "\n\t\r") or "\x7f" <= sign <= "\x9f"


def names(listed: Sequence[Listed], tools: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """A vector's names of its tools -> the names that they are listed under. One that is not listed is left out."""
    found: dict[str, str] = {}
    for tool in tools:
        own = [one.name for one in listed if tool["description"] and tool["description"] in one.description]
        if len(own) != 1:
            own = [one.name for one in listed if one.name == tool["name"]]
        if len(own) != 1:
            own = [one.name for one in listed if one.name.endswith((f"_{tool['name']}", f".{tool['name']}"))]
        if len(own) == 1:
            found[tool["name"]] = own[0]
    return found


def named(known: Mapping[str, str], tool: str) -> str:
    """The name of a tool; of one that is not listed, the name that it would have beside the listed ones."""
    if tool in known:
        return known[tool]
    before = {shown.removesuffix(own) for own, shown in known.items() if shown.endswith(own)}
    return (before.pop() if len(before) == 1 else "") + tool


def mentioned(listed: Listed, fields: Sequence[str]) -> str | None:
    """The first of some names of arguments that a tool's description or schema mentions, however it is written."""
    text = plainly(listed.description + json.dumps(listed.input_schema, ensure_ascii=False))
    return next((field for field in fields if re.search(rf"(?<![a-z]){field}(?![a-z])", text)), None)


def plainly(text: str) -> str:
    """The text without what a name may be disguised by: case, width, signs between its words, signs nobody sees."""
    from unicodedata import normalize

    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", normalize("NFKC", text))
    return re.sub(r"[-_ \u200b]+", "_", spaced).casefold()
