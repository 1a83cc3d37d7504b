"""``ls``: what a folder holds."""

import os
import stat
from operator import attrgetter
from typing import Any

from ...model.context import CallContext
from ...policy.paths import printable
from .bounds import Room
from .declare import closed_object, limit_property, path_property, reader

DEFAULT_ENTRIES = 1000
MAX_ENTRIES = 20_000
_KINDS = {stat.S_IFREG: "file", stat.S_IFDIR: "directory", stat.S_IFLNK: "link"}


def ls(context: CallContext, path: str = ".", limit: int | None = None) -> dict[str, Any]:
    """The entries of a folder, sorted by name."""
    room = Room(limit is not None)
    shown: list[dict[str, Any]] = []
    with context.workspace.scan(path) as (folder, entries):
        entries.sort(key=attrgetter("name"))
        for entry in entries[: DEFAULT_ENTRIES if limit is None else limit]:
            row = _row(entry)
            if row is None:
                continue
            if not room.take(row["name"], around=50):
                break
            shown.append(row)
    result = {"path": folder.shown, "entries": shown, "total": len(entries), "truncated": len(shown) < len(entries)}
    if result["truncated"]:
        result["notice"] = f"{len(shown)} of {len(entries)} entries; raise limit, or use find with a pattern"
    return result


def _row(entry: "os.DirEntry[str]") -> dict[str, Any] | None:
    """One entry, or None: it went away meanwhile."""
    try:
        status = entry.stat(follow_symlinks=False)
    except FileNotFoundError:
        return None
    except OSError:
        return {"name": printable(entry.name), "kind": "other", "size": None}
    kind = _KINDS.get(stat.S_IFMT(status.st_mode), "other")
    return {"name": printable(entry.name), "kind": kind, "size": status.st_size if kind == "file" else None}


SPEC = reader(
    "ls",
    "List a folder: names sorted, each with its kind (file, directory, link, other) and, for a file, its size in "
    "bytes. Shows hidden and ignored entries too.",
    ls,
    title="List a folder",
    category="read",
    inline=True,
    input_schema=closed_object(
        {
            "path": path_property("The folder; the project's own if absent."),
            "limit": limit_property(DEFAULT_ENTRIES, MAX_ENTRIES, "entries"),
        },
        required=(),
    ),
    output_schema=closed_object(
        {
            "path": {"type": "string"},
            "entries": {
                "type": "array",
                "items": closed_object(
                    {
                        "name": {"type": "string"},
                        "kind": {"enum": ["file", "directory", "link", "other"]},
                        "size": {"type": ["integer", "null"], "description": "Bytes of a file."},
                    },
                    required=("name", "kind", "size"),
                ),
            },
            "total": {"type": "integer"},
            "truncated": {"type": "boolean"},
            "notice": {"type": "string"},
        },
        required=("path", "entries", "total", "truncated"),
    ),
)
