"""``read``: lines of a text file."""

from typing import Any

from ...errors import ToolFailedError
from ...model.context import CallContext
from ...workspace.content import digest_of
from .bounds import MAX_LINE_CHARACTERS, Room, looks_binary
from .declare import closed_object, limit_property, path_property, reader

DEFAULT_LINES = 2000
MAX_LINES = 20_000
MAX_FILE_BYTES = 32 * 1024 * 1024

_BLOCK = 8192


def read(context: CallContext, path: str, offset: int = 1, limit: int | None = None) -> dict[str, Any]:
    """Lines from ``offset`` on, and the digest of the whole file. The run may edit the file from now on."""
    workspace = context.workspace
    content = workspace.read_bytes(path, MAX_FILE_BYTES)
    data = content.data
    refuse_binary(data, content.shown)
    digest = digest_of(data)
    workspace.reads.note(content.key, digest)
    total = data.count(b"\n") + (data[-1:] not in (b"\n", b""))
    begin = after_lines(data, 0, offset - 1)
    end = after_lines(data, begin, DEFAULT_LINES if limit is None else limit)
    page = _page(data[begin:end], Room(limit is not None))
    result: dict[str, Any] = {
        "path": content.shown,
        "text": page.text,
        "offset": offset,
        "lines": page.lines,
        "total_lines": total,
        "truncated": offset - 1 + page.lines < total,
        "digest": digest,
    }
    if page.lossy:
        result["encoding_errors"] = True
    if page.cut:
        result["cut_lines"] = page.cut
    if result["truncated"]:
        following = result["next_offset"] = offset + page.lines
        given = f"lines {offset} to {following - 1}" if page.lines else "none"
        result["notice"] = f"{given} of {total} lines; continue with offset {following}"
    return result


def refuse_binary(data: bytes, shown: str) -> None:
    """Raises ToolFailedError, ``binary_file``: the beginning of the file holds a NUL."""
    if looks_binary(data):
        raise ToolFailedError(f"{shown!r} is a binary file, not text", reason="binary_file")


def after_lines(data: bytes, position: int, lines: int) -> int:
    """Where the text after so many lines begins; the end if there are fewer. Whole blocks are counted, not split."""
    while lines:
        here = data.count(b"\n", position, position + _BLOCK)
        if here >= lines:
            for _ in range(lines):
                position = data.find(b"\n", position) + 1
            return position
        lines -= here
        position += _BLOCK
        if position >= len(data):
            return len(data)
    return position


class _Page:
    """The text that is given. ``cut`` counts lines that were shortened, ``lossy`` tells of bytes that are no UTF-8."""

    __slots__ = ("cut", "lines", "lossy", "text")

    def __init__(self, text: str, lines: int, cut: int, lossy: bool) -> None:
        self.text = text
        self.lines = lines
        self.cut = cut
        self.lossy = lossy


def _page(data: bytes, room: Room) -> _Page:
    """As many of these lines as there is room for, the first one always."""
    text, lossy = _decoded(data)
    if len(data) <= MAX_LINE_CHARACTERS and len(data) * 6 < room.bytes_left:
        return _Page(text, data.count(b"\n") + (data[-1:] not in (b"\n", b"")), 0, lossy)
    kept: list[str] = []
    cut = 0
    for whole in _lines(text):
        line = _shortened(whole)
        if not room.take(line, around=0) and kept:
            break
        cut += line is not whole
        kept.append(line)
    return _Page("".join(kept), len(kept), cut, lossy)


def _lines(text: str) -> list[str]:
    """Lines with their ends; ``str.splitlines`` would also split where a file has no line end."""
    parts = text.split("\n")
    lines = [part + "\n" for part in parts[:-1]]
    return [*lines, parts[-1]] if parts[-1] else lines


def _shortened(line: str) -> str:
    body = line.removesuffix("\n")
    if len(body) <= MAX_LINE_CHARACTERS:
        return line
    return f"{body[:MAX_LINE_CHARACTERS]}… [cut: {len(body) - MAX_LINE_CHARACTERS} more characters in this line]" + (
        "\n" if body is not line else ""
    )


def _decoded(data: bytes) -> tuple[str, bool]:
    try:
        return data.decode(), False
    except UnicodeDecodeError:
        return data.decode("utf-8", "replace"), True


SPEC = reader(
    "read",
    "Read lines of a text file. The result tells how many lines there are, and with next_offset where to go on. "
    "A file has to be read before it can be edited.",
    read,
    title="Read a file",
    category="read",
    inline=True,
    input_schema=closed_object(
        {
            "path": path_property(),
            "offset": {
                "type": "integer",
                "minimum": 1,
                "maximum": 2**53,
                "description": "The first line wanted, counted from 1; 1 if absent.",
            },
            "limit": limit_property(DEFAULT_LINES, MAX_LINES, "lines", minimum=0),
        },
        required=("path",),
    ),
    output_schema=closed_object(
        {
            "path": {"type": "string"},
            "text": {"type": "string"},
            "offset": {"type": "integer"},
            "lines": {"type": "integer", "description": "How many lines text holds."},
            "total_lines": {"type": "integer"},
            "truncated": {"type": "boolean"},
            "next_offset": {"type": "integer"},
            "digest": {"type": "string", "description": "SHA-256 of the whole file."},
            "encoding_errors": {"type": "boolean", "description": "Some bytes were no UTF-8 and are shown as U+FFFD."},
            "cut_lines": {"type": "integer", "description": "How many lines were too long and were shortened."},
            "notice": {"type": "string"},
        },
        required=("path", "text", "offset", "lines", "total_lines", "truncated", "digest"),
    ),
)
