"""One table put into a client's TOML file: everything else stays as it was written, comments and all."""

import json
import re
import tomllib
from typing import Any

from ..errors import ConfigurationError

_HEADER = re.compile(r"^[ \t]*\[.*$", re.MULTILINE)


def with_table(text: str, group: str, name: str, entry: dict[str, Any]) -> str:
    """The text of a file with the table ``[group.name]`` of texts, lists of texts and one level of inline tables.

    Raises:
        ConfigurationError: it is no TOML, or the table is written in a way that is not understood.
    """
    before = _parsed(text)
    held = before.get(group, {})
    table = f"[{group}.{name}]\n" + "".join(f"{key} = {_written(value)}\n" for key, value in entry.items())
    if name in held:
        after = _replaced(text, group, name, table)
    else:
        gap = "" if not text or text.endswith("\n\n") else "\n" if text.endswith("\n") else "\n\n"
        after = text + gap + table
    if _parsed(after) != {**before, group: {**held, name: entry}}:
        raise ConfigurationError(f"the table {group}.{name} finds no place in it by itself; put it in by hand")
    return after


def tables(text: str, group: str) -> dict[str, Any]:
    """What the table ``group`` holds. Raises ConfigurationError: the file is no TOML."""
    held = _parsed(text).get(group)
    return held if isinstance(held, dict) else {}


def _replaced(text: str, group: str, name: str, table: str) -> str:
    """The table with those below it."""
    keys = r"[ \t]*\.[ \t]*".join(f'"?{re.escape(key)}"?' for key in (group, name))
    own = re.compile(rf"[ \t]*\[[ \t]*{keys}[ \t]*(\.[^\]]*)?\][^\n]*")
    headers = [*_HEADER.finditer(text)]
    ends = [*(header.start() for header in headers[1:]), len(text)] if headers else []
    kept, at = "", 0
    for header, end in zip(headers, ends, strict=True):
        if own.fullmatch(header[0]) is not None:
            kept += text[at : header.start()]
            if table:
                kept += table + ("\n" if end < len(text) else "")
            table, at = "", end
    return kept + text[at:]


def _written(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(key)} = {_written(held)}" for key, held in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(_written, value)) + "]"
    return json.dumps(value, ensure_ascii=False)  # a basic string of TOML has the same escapes


def _parsed(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as exc:
        raise ConfigurationError(f"it is not TOML: {exc}") from None


__all__ = ["tables", "with_table"]
