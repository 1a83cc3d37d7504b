"""What a server says of its tools, read into facts. A tool that cannot be used is set aside and costs no other."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ..errors import ConfigurationError, RegistrationError
from ..model.json_object import JsonObject
from ..model.names import MAX_NAME, canonical, skeletons
from ..model.server import ServerSpec
from ..model.tool import MAX_DESCRIPTION_BYTES, Annotations
from ..schema.validate import compile
from .mcp_tool import HINTS, Definition, without_headers
from .untrusted import escaped

MAX_TOOLS = 10_000
"""Of one listing."""

MAX_TOOL_NAME = 128
"""Characters, as the protocol has it."""

_SHOWN_NAME = 80
_BRACKETS = str.maketrans("", "", "<>[")
_TYPES = {dict: "an object", list: "an array", str: "text", bool: "a boolean", int: "a number", float: "a number"}


class Quarantined(NamedTuple):
    """A tool that cannot be used. ``name`` is escaped, ``reason`` a stable word, ``told`` for people."""

    name: str
    reason: str
    told: str


class _Unusable(Exception):  # noqa: N818 - it says what the tool is
    def __init__(self, reason: str, told: str) -> None:
        super().__init__(told)
        self.reason = reason
        self.told = told


def read_tool(raw: object, server: ServerSpec) -> Definition | Quarantined:
    """One tool of a listing, or why it cannot be used. Icons, ``_meta`` and what else nobody pins are left out."""
    try:
        if not isinstance(raw, dict):
            raise _Unusable("not_an_object", f"a tool is an object, not {_kind(raw)}")
        name = _name(raw, server)
        title, description = _text(raw, "title"), _text(raw, "description")
        annotations, other_title = _annotations(raw.get("annotations"))
        _refuse_tasks(raw.get("execution"))
        definition = Definition(
            name=name,
            title=other_title if title is None else title,
            description=description or "",
            input_schema=_input_schema(raw.get("inputSchema"), server),
            output_schema=_output_schema(raw.get("outputSchema")),
            annotations=annotations,
        )
    except _Unusable as bad:
        return Quarantined(_shown(_own_name(raw)), bad.reason, bad.told)
    return definition


def read_listing(raw: Sequence[object], server: ServerSpec) -> tuple[list[Definition], list[Quarantined]]:
    """All tools of one listing, in its order: those that can be used, and those that cannot with the reason.

    Of tools with one name none can be used, of names that a person may confuse only the first. Compiling thousands of
    schemas takes a second: not for an event loop.
    """
    usable: list[Definition] = []
    aside: list[Quarantined] = []
    names = [_own_name(tool) for tool in raw]
    times = Counter(names)
    looks: dict[str, str] = {}
    for position, (tool, name) in enumerate(zip(raw[:MAX_TOOLS], names, strict=False), 1):
        found = read_tool(tool, server)
        if isinstance(found, Definition):
            found = _alone(found, times[name], looks)
        if isinstance(found, Definition):
            usable.append(found)
        else:
            aside.append(found if found.name else found._replace(name=f"#{position}"))
        for look in skeletons(name) if len(name) <= MAX_TOOL_NAME else ():
            looks.setdefault(look, name)
    if len(raw) > MAX_TOOLS:
        rest = len(raw) - MAX_TOOLS
        aside.append(Quarantined(f"#{MAX_TOOLS + 1}", "too_many_tools", f"{rest} tools beyond the first {MAX_TOOLS}"))
    return usable, aside


def _alone(found: Definition, times: int, looks: Mapping[str, str]) -> Definition | Quarantined:
    if times > 1:
        told = f"{times} tools of this name in one listing: nobody can say which one a call would reach"
        return Quarantined(found.name, "duplicate_name", told)
    other = next((looks[look] for look in skeletons(found.name) if look in looks), None)
    if other is None:
        return found
    told = f"its name may be mistaken for {_shown(other)!r}, listed before it"
    return Quarantined(found.name, "confusable_name", told)


def _name(raw: dict[Any, Any], server: ServerSpec) -> str:
    name = raw.get("name")
    if not isinstance(name, str) or not name:
        raise _Unusable("no_name", "it has no name" if name in (None, "") else f"its name is {_kind(name)}, not text")
    if _hides(name):
        raise _Unusable("hidden_characters", "its name holds control, bidirectional or invisible characters")
    if len(name) > MAX_TOOL_NAME or len(f"{server.name}.{name}") > MAX_NAME:
        raise _Unusable("name_too_long", f"its name has {len(name)} characters, {MAX_TOOL_NAME} at most")
    try:
        if "/" not in name:
            canonical(f"{server.name}.{name}")
            return name
    except ConfigurationError:
        pass
    raise _Unusable("unusable_name", "its name holds more than ASCII letters, digits, '_', '.' and '-'")


_BAD_TEXT = {
    "title": ("bad_title", "title_too_long"),
    "description": ("bad_description", "description_too_long"),
}


def _text(raw: dict[Any, Any], part: str) -> str | None:
    text = raw.get(part)
    bad, too_long = _BAD_TEXT[part]
    if text is None:
        return None
    if not isinstance(text, str):
        raise _Unusable(bad, f"its {part} is {_kind(text)}, not text")
    try:
        size = len(text.encode())
    except UnicodeEncodeError:
        raise _Unusable(bad, f"its {part} holds half of a surrogate pair") from None
    if size > MAX_DESCRIPTION_BYTES:
        raise _Unusable(too_long, f"its {part} has {size} bytes, {MAX_DESCRIPTION_BYTES} at most")
    return text


def _annotations(raw: object) -> tuple[Annotations, str | None]:
    if raw is None:
        return Annotations(), None
    if not isinstance(raw, dict):
        raise _Unusable("bad_annotations", f"its annotations are {_kind(raw)}, not an object")
    for hint in HINTS:
        if not isinstance(raw.get(hint), bool | None):
            raise _Unusable("bad_annotations", f"its {hint} is {_kind(raw[hint])}, not true or false")
    return Annotations(**{fact: raw.get(hint) for hint, fact in HINTS.items()}), _text(raw, "title")


def _refuse_tasks(execution: object) -> None:
    if isinstance(execution, dict) and execution.get("taskSupport") == "required":
        raise _Unusable("task_required", "it runs as a task only, which is not supported")


def _input_schema(raw: object, server: ServerSpec) -> JsonObject:
    if raw is None:
        raise _Unusable("no_input_schema", 'it has no inputSchema; one that takes nothing says {"type": "object"}')
    schema = _schema(raw, "inputSchema", "bad_input_schema", tool_input=True)
    if server.kind == "http":
        plain = schema.copy()
        if without_headers(plain) != plain:
            told = "it wants arguments repeated in HTTP headers (x-mcp-header), where proxies log them"
            raise _Unusable("header_argument", told)
    return schema


def _output_schema(raw: object) -> JsonObject | None:
    return None if raw is None else _schema(raw, "outputSchema", "bad_output_schema", tool_input=False)


def _schema(raw: object, part: str, reason: str, *, tool_input: bool) -> JsonObject:
    if not isinstance(raw, dict):
        raise _Unusable(reason, f"its {part} is {_kind(raw)}, not an object")
    try:
        schema = JsonObject({key: member for key, member in raw.items() if member is not None})
        compile(schema, where=part, tool_input=tool_input)
    except (ConfigurationError, RegistrationError) as exc:
        raise _Unusable(reason, str(exc)) from None
    return schema


def _own_name(raw: object) -> str:
    name = raw.get("name") if isinstance(raw, dict) else None
    return name if isinstance(name, str) else ""


def _shown(name: str) -> str:
    return escaped(name if len(name) <= _SHOWN_NAME else name[:_SHOWN_NAME] + "...")


def _hides(name: str) -> bool:
    visible = name.translate(_BRACKETS)
    return escaped(visible) != visible


def _kind(value: object) -> str:
    return "null" if value is None else _TYPES.get(type(value), "no JSON value")
