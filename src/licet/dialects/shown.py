"""What a model reads of a result: its block, and of a long one the beginning, still as one block."""

import re

import orjson

from ..model.result import ToolResult
from ..schema.canonical import digest

MAX_SHOWN_BYTES = 50 * 1024
"""Of one result, in UTF-8, whatever stands around its data included."""

_BLOCK = re.compile(r"(.*?<<data ([0-9a-f]{32}) [^\n]*\n)([^\n]*)(\n\2>>)", re.DOTALL)
_LONGEST_CHARACTER = len("\\ud83d\\ude42")
"""Of JSON text: what is cut never ends inside one."""


def shown(result: ToolResult, *, limit_bytes: int = MAX_SHOWN_BYTES) -> str:
    """The text of a result for a model. One longer than ``limit_bytes`` keeps its beginning inside its own marker.

    Below the block then stands how much there was and the digest of all of it, which the ledger has too.
    """
    text = result.content
    if len(text) * 4 <= limit_bytes or len(text.encode("utf-8", "replace")) <= limit_bytes:
        return text
    match = _BLOCK.fullmatch(text)
    data = None if match is None else _data(match[3])
    if match is None or data is None:  # not rendered by a Fence
        whole = text.encode("utf-8", "replace")
        note = _note(limit_bytes, whole)
        return whole[: limit_bytes - len(note)].decode("utf-8", "ignore") + note
    head, _, sealed, tail = match.groups()
    note = _note(limit_bytes, data)
    room = limit_bytes - len(head.encode()) - len(tail) - len(note) - 1
    return f"{head}{_beginning(sealed, room)}{tail}{note}"


def _data(sealed: str) -> bytes | None:
    """What a Fence sealed; None: it was not one."""
    try:
        data = orjson.loads(sealed)
    except orjson.JSONDecodeError:
        return None
    return data.encode() if isinstance(data, str) else None


def _note(limit_bytes: int, whole: bytes) -> str:
    return f"\n(cut at {limit_bytes} bytes; the whole has {len(whole)} bytes, {digest(whole)})"


def _beginning(sealed: str, room: int) -> str:
    """As much of a JSON text as fits, a JSON text again."""
    cut = sealed.encode()[: max(room, 1)].decode("utf-8", "ignore")
    for short in range(_LONGEST_CHARACTER + 1):
        piece = cut[: len(cut) - short] + '"'
        try:
            orjson.loads(piece)
        except orjson.JSONDecodeError:
            continue
        return piece
    return '""'


__all__ = ["MAX_SHOWN_BYTES", "shown"]
