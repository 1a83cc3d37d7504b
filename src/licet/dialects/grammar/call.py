"""What a model wrote, read strictly: one call, or one answer. What is neither is refused, or is only text."""

import json
import re
from collections.abc import Mapping
from typing import Any

from ...model.call import Request
from ...model.names import NOT_OFFERED
from ...model.said import Said, Usage
from ...schema.canonical import NotJson, parse
from ...schema.pointer import legible
from ..names import WireNames
from .prompt import ANSWER, ARGUMENTS, CALL

MAX_CALL_BYTES = 1024 * 1024

_NO_CALL = "an object that is no call"
_BEGINNING = re.compile(rf'\s*\{{\s*"{CALL}"\s*:\s*"([^"\\\x00-\x1f]{{1,400}})"', re.ASCII)


def read(written: str, names: WireNames, *, usage: Usage, cut: bool) -> Said:
    """What was said. ``turn`` is the text itself.

    Text that does not begin with a brace is an answer and starts nothing, whatever stands in it. Broken or cut JSON is
    a call of the tool that it names, with the whole broken text as its arguments: the corridor refuses that and has it
    on record. An object of another shape, or a name that was not offered, calls no tool's name.
    """
    if not written.lstrip().startswith("{"):
        return Said(written.strip(), (), written, ended="length" if cut else "done", usage=usage)
    try:
        value = parse(written, limit_bytes=MAX_CALL_BYTES)
    except NotJson:
        begun = _BEGINNING.match(written)
        called = _name(begun[1], names) if begun else NOT_OFFERED + _NO_CALL
        return _calls(Request(called, written), written, usage)
    match value:
        case {"answer": str(answer)} if len(value) == 1:
            return Said(answer, (), written, ended="length" if cut else "done", usage=usage)
        case {"tool": str(name), "arguments": dict(arguments)} if len(value) == 2:
            return _calls(Request(_name(name, names), arguments), written, usage)
    return _calls(Request(NOT_OFFERED + _NO_CALL, written), written, usage)


def written(call: Request, names: WireNames) -> str:
    """A call as a model would have written it."""
    wire = next((wire for wire, name in names.offered.items() if name == call.tool), legible(call.tool))
    arguments: Any = call.arguments
    if isinstance(arguments, bytes):
        arguments = arguments.decode("utf-8", "replace")
    if isinstance(arguments, str):
        try:
            arguments = parse(arguments, limit_bytes=MAX_CALL_BYTES)
        except NotJson:
            return json.dumps({CALL: wire, ARGUMENTS: {}}, ensure_ascii=False)
    told = dict(arguments) if isinstance(arguments, Mapping) else {}
    return json.dumps({CALL: wire, ARGUMENTS: told}, ensure_ascii=False)


def answered(text: str) -> str:
    """An answer as a model would have written it."""
    return json.dumps({ANSWER: text}, ensure_ascii=False)


def _name(wire: str, names: WireNames) -> str:
    return names.decode(wire) or NOT_OFFERED + legible(wire)


def _calls(request: Request, written: str, usage: Usage) -> Said:
    return Said("", (request,), written, ended="calls", usage=usage)


__all__ = ["MAX_CALL_BYTES", "answered", "read", "written"]
