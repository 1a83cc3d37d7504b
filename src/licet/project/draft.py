"""The ``licet.yaml`` that ``licet init`` writes: made to be read and edited by a person."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from .imported import Entry
from .lock_text import plain
from .moved_values import Needed

AGENT = "coder"
"""The agent that is granted what is believed to read."""

_WIDTH = 100
_MOST_NAMED = 200
"""Tools of one server that stand as comments."""
_PLAIN = re.compile(r"(?:--?[A-Za-z]|\.{0,2}/|[A-Za-z])[A-Za-z0-9_./@+-]*(?:(?:==?|:)[A-Za-z0-9_./@+-]+)*", re.ASCII)
_OTHERWISE = frozenset(("true", "false", "null", "yes", "no", "on", "off", "y", "n", "."))
"""What some readers of YAML take for something else than text."""


class Offered(NamedTuple):
    """What a server lists. ``reading`` are the own names of tools that say they only read, ``other`` name -> why not.

    ``believed``: somebody said yes to believing it.
    """

    reading: Sequence[str] = ()
    other: Mapping[str, str] = {}
    believed: bool = False


def draft(entries: Sequence[Entry], offered: Mapping[str, Offered], needed: Sequence[Needed], origin: str) -> str:
    """The whole file. What nobody believed stands in it as comments; ``origin`` is the file that it was made from."""
    lines = [*_head(needed, origin), "", "mcpServers:"]
    for entry in entries:
        lines += _server(entry)
    lines += [
        "",
        "# Your word on tools. hinted: believe what the server says of each, as licet.lock pins it.",
        "tools:",
    ]
    lines += [_word(entry.id, offered.get(entry.id)) for entry in entries]
    lines += ["", "# Who may call what. Only what is granted by its exact name is listed and called.", "agents:"]
    lines += [f"  {AGENT}:", "    mode: read_only  # or workspace_write, for grants that write", "    tools:"]
    for entry in entries:
        lines += _grants(entry.id, offered.get(entry.id))
    return "\n".join(lines) + "\n"


def _head(needed: Sequence[Needed], origin: str) -> Iterator[str]:
    yield f"# Written by licet init from {_comment(origin)}, which is not read any more."
    yield "# licet check looks it through, licet lock pins what the servers list; after a change it counts once it was"
    yield "# looked at again: licet trust."
    if needed:
        yield "#"
        yield "# Set these variables before use:"
        width = max(len(need.name) for need in needed)
        for need in needed:
            yield f"#   {need.name:{width}}  {_comment(need.where)}"


def _server(entry: Entry) -> Iterator[str]:
    yield f"  {_text(entry.id)}:"
    if entry.command:
        yield f"    command: {_text(entry.command)}"
    if entry.args:
        yield from _list("args", entry.args)
    if entry.cwd:
        yield f"    cwd: {_text(entry.cwd)}"
    if entry.url:
        yield f"    url: {_text(entry.url)}"
    for key, held in (("env", entry.env), ("headers", entry.headers)):
        if held:
            yield f"    {key}:"
            for name, value in held.items():
                yield f"      {_text(name)}: {_text(value)}"


def _list(key: str, items: Iterable[str]) -> Iterator[str]:
    texts = [_text(item) for item in items]
    flow = f"    {key}: [{', '.join(texts)}]"
    if len(flow) <= _WIDTH:
        yield flow
        return
    yield f"    {key}:"
    for text in texts:
        yield f"      - {text}"


def _word(server: str, offered: Offered | None) -> str:
    word = f"mcp/{server}.*: {{read_only: hinted}}"
    return f"  {word}" if offered is not None and offered.believed else f"  # {word}"


def _grants(server: str, offered: Offered | None) -> Iterator[str]:
    if offered is None:
        yield f"      # - mcp/{server}.NAME  # licet lock shows its names"
        return
    mark = "" if offered.believed else "# "
    for own in offered.reading:
        yield f"      {mark}- mcp/{server}.{own}"
    for own, why in list(offered.other.items())[:_MOST_NAMED]:
        yield f"      # - mcp/{server}.{own}  # {why}"
    if len(offered.other) > _MOST_NAMED:
        yield f"      # and {len(offered.other) - _MOST_NAMED} more of {server}, which licet.lock names"


def _text(text: str) -> str:
    """A scalar that every reader of YAML takes for exactly this text."""
    if _PLAIN.fullmatch(text) and text.lower() not in _OTHERWISE:
        return text
    return _unpaired(plain(json.dumps(text, ensure_ascii=False)))


def _unpaired(text: str) -> str:
    """JSON writes what is beyond 16 bits as two escapes, YAML as one."""

    def one(pair: "re.Match[str]") -> str:
        point = 0x10000 + ((int(pair[1], 16) - 0xD800) << 10) + int(pair[2], 16) - 0xDC00
        return f"\\U{point:08x}"

    return re.sub(r"(?<!\\)\\u(d[89ab][0-9a-f]{2})\\u(d[c-f][0-9a-f]{2})", one, text)


def _comment(text: str) -> str:
    return plain(text).replace("\n", " ")


__all__ = ["AGENT", "Offered", "draft"]
