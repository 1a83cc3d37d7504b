"""``grep``: lines that match a pattern."""

import os
from collections.abc import Iterator
from typing import Any, NamedTuple

from ...errors import ToolError
from ...model.context import CallContext
from ...workspace.content import read_all
from ...workspace.reach import Opened
from ...workspace.workspace import Workspace
from .bounds import Room, below, looks_binary, refuse_late
from .declare import closed_object, limit_property, path_property, reader
from .patience import Patience, Patient, for_paths
from .pattern import MAX_PATTERN_CHARACTERS, expression, glob
from .traverse import Tour

DEFAULT_MATCHES = 200
MAX_MATCHES = 5000
MAX_FILE_BYTES = 32 * 1024 * 1024
_SHOWN_CHARACTERS = 400
_CUT = "…"


class Skipped:
    """Files that were not searched, by the reason."""

    def __init__(self) -> None:
        self.binary = 0
        self.too_large = 0


class Line(NamedTuple):
    """One line that matches; ``number`` counts from 1."""

    number: int
    text: str


def grep(
    context: CallContext,
    pattern: str,
    path: str = ".",
    glob: str | None = None,
    ignore_case: bool = False,
    literal: bool = False,
    limit: int | None = None,
) -> dict[str, Any]:
    """Matching lines of the files below a folder, or of one file."""
    wanted = Patient(expression(pattern, ignore_case=ignore_case, literal=literal), Patience())
    most = DEFAULT_MATCHES if limit is None else limit
    room = Room(limit is not None)
    matches: list[dict[str, Any]] = []
    skipped = Skipped()
    searched = 0
    full = False
    workspace = context.workspace
    tour = Tour(workspace, context.deadline)
    opened, is_folder = workspace.open_any(path)
    try:
        files = _below(tour, opened, glob, skipped) if is_folder else _alone(opened, skipped)
        for shown, data in files:
            searched += 1
            for line in lines(wanted, data):
                full = len(matches) >= most or not room.take(shown + line.text, around=32)
                if full:
                    break
                matches.append({"path": shown, "line": line.number, "text": line.text})
            if full:
                break
            refuse_late(context.deadline)
    finally:
        os.close(opened.handle)
    result: dict[str, Any] = {
        "path": opened.shown,
        "matches": matches,
        "files_searched": searched,
        "truncated": full or tour.incomplete,
        "skipped": {"binary": skipped.binary, "too_large": skipped.too_large, "unreadable": tour.unreadable},
    }
    if full:
        result["notice"] = f"the first {len(matches)} lines; name a narrower pattern, path or glob, or raise limit"
    elif tour.incomplete:
        result["notice"] = f"only the first {tour.seen} entries were looked at; name a narrower path"
    return result


def lines(pattern: Patient, data: bytes) -> Iterator[Line]:
    """The lines of a file in which a pattern stands, each once.

    They are searched as many at a time as the pattern's window holds. A line that is longer is searched in parts that
    overlap, so that of a costly pattern a match longer than half the window may be missed there.

    Raises TooSlowError: it takes too long.
    """
    position = 0
    number = 1
    counted = 0
    while position <= len(data):
        until, following = _window(data, position, pattern.window_bytes)
        match = pattern.search(data, position, until)
        if match is None:
            position = following
            continue
        at = match.start()
        if at >= len(data) and data.endswith(b"\n"):  # after the last line end no line begins
            return
        begin = data.rfind(b"\n", 0, at) + 1
        end = data.find(b"\n", at)
        end = len(data) if end < 0 else end
        number += data.count(b"\n", counted, begin)
        counted = begin
        yield Line(number, _excerpt(data, begin, end, at))
        position = end + 1


def _window(data: bytes, position: int, width: int) -> tuple[int, int]:
    """Where to stop searching, and where to go on: between lines, if a line ends in time."""
    until = position + width
    if until >= len(data):
        return len(data), len(data) + 1
    line_end = data.rfind(b"\n", position, until)
    return (line_end, line_end + 1) if line_end >= 0 else (until, until - width // 2)


def _excerpt(data: bytes, begin: int, end: int, at: int) -> str:
    """A line, or of a long one the part around the match."""
    first, last = max(begin, at - _SHOWN_CHARACTERS // 2), min(end, at + _SHOWN_CHARACTERS)
    if end - begin <= _SHOWN_CHARACTERS * 2:
        first, last = begin, end
    text = data[first:last].decode("utf-8", "replace").rstrip("\r")
    return f"{_CUT if first > begin else ''}{text}{_CUT if last < end else ''}"


def _below(tour: Tour, opened: Opened, only: str | None, skipped: Skipped) -> Iterator[tuple[str, bytes]]:
    fits = None if only is None else for_paths(glob(only), Patience()).fullmatch
    for found in tour.below(opened):
        if found.is_folder or (fits is not None and fits(found.path, tour.start, len(found.path)) is None):
            continue
        data = _content(tour, found.folder, found.name, skipped)
        if data is not None:
            yield below(opened.shown, found.path[tour.start :].decode()), data


def _content(tour: Tour, folder: int, name: str, skipped: Skipped) -> bytes | None:
    workspace: Workspace = tour.workspace
    try:
        entered = workspace.enter_file(folder, name)
    except FileNotFoundError:
        return None
    except OSError:
        tour.unreadable += 1
        return None
    if entered is None:
        tour.unreadable += 1
        return None
    handle, status = entered
    try:
        return _text(handle, status.st_size, name, skipped)
    except OSError:
        tour.unreadable += 1
        return None
    finally:
        os.close(handle)


def _text(handle: int, size: int, name: str, skipped: Skipped) -> bytes | None:
    """A file's bytes unless it is binary or too large, which is counted."""
    try:
        data = read_all(handle, size, MAX_FILE_BYTES, name)
    except ToolError:
        skipped.too_large += 1
        return None
    if looks_binary(data):
        skipped.binary += 1
        return None
    return data


def _alone(opened: Opened, skipped: Skipped) -> Iterator[tuple[str, bytes]]:
    data = _text(opened.handle, os.fstat(opened.handle).st_size, opened.shown, skipped)
    if data is not None:
        yield opened.shown, data


SPEC = reader(
    "grep",
    "Search the text of files for an RE2 expression (or, with literal, a plain text), line by line, sorted by path. "
    "Searches one file, or everything below a folder but what .gitignore ignores, .git, and binary files.",
    grep,
    title="Search in files",
    category="search",
    inline=False,
    input_schema=closed_object(
        {
            "pattern": {"type": "string", "minLength": 1, "maxLength": MAX_PATTERN_CHARACTERS},
            "path": path_property("The file or folder to search; the project's folder if absent."),
            "glob": {
                "type": "string",
                "minLength": 1,
                "maxLength": MAX_PATTERN_CHARACTERS,
                "description": "Only files whose name or path fits, such as '*.py' or 'src/**/*.ts'.",
            },
            "ignore_case": {"type": "boolean"},
            "literal": {"type": "boolean", "description": "The pattern is plain text."},
            "limit": limit_property(DEFAULT_MATCHES, MAX_MATCHES, "lines"),
        },
        required=("pattern",),
    ),
    output_schema=closed_object(
        {
            "path": {"type": "string"},
            "matches": {
                "type": "array",
                "items": closed_object(
                    {"path": {"type": "string"}, "line": {"type": "integer"}, "text": {"type": "string"}},
                    required=("path", "line", "text"),
                ),
            },
            "files_searched": {"type": "integer"},
            "truncated": {"type": "boolean"},
            "skipped": closed_object(
                {name: {"type": "integer"} for name in ("binary", "too_large", "unreadable")},
                required=("binary", "too_large", "unreadable"),
            ),
            "notice": {"type": "string"},
        },
        required=("path", "matches", "files_searched", "truncated", "skipped"),
    ),
)
