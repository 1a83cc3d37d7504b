"""``find``: paths whose names match a pattern."""

import os
from typing import Any

from ...model.context import CallContext
from .bounds import Room, below
from .declare import closed_object, limit_property, path_property, reader
from .patience import Patience, for_paths
from .pattern import MAX_PATTERN_CHARACTERS, glob
from .traverse import Tour

DEFAULT_PATHS = 1000
MAX_PATHS = 50_000


def find(context: CallContext, pattern: str, path: str = ".", limit: int | None = None) -> dict[str, Any]:
    """Files and links below a folder, or with a pattern that ends with ``/`` the folders."""
    matches = for_paths(glob(pattern), Patience()).fullmatch
    folders = pattern.endswith("/")
    workspace = context.workspace
    tour = Tour(workspace, context.deadline)
    most = DEFAULT_PATHS if limit is None else limit
    room = Room(limit is not None)
    paths: list[str] = []
    total = 0
    full = False
    opened = workspace.open_directory(path)
    try:
        for found in tour.below(opened):
            end = len(found.path) - found.is_folder
            if found.is_folder is not folders or matches(found.path, tour.start, end) is None:
                continue
            total += 1
            if full:
                continue
            shown = below(opened.shown, found.path[tour.start :].decode())
            full = len(paths) >= most or not room.take(shown)
            if not full:
                paths.append(shown)
    finally:
        os.close(opened.handle)
    result: dict[str, Any] = {
        "path": opened.shown,
        "paths": paths,
        "total_seen": total,
        "truncated": total > len(paths) or tour.incomplete,
        "skipped": {"unreadable": tour.unreadable},
    }
    if tour.incomplete:
        result["notice"] = f"only the first {tour.seen} entries were looked at; name a narrower path"
    elif result["truncated"]:
        result["notice"] = f"{len(paths)} of {total} paths; name a narrower pattern or path, or raise limit"
    return result


SPEC = reader(
    "find",
    "Find files by name, sorted by path. In the pattern * stays within one name, ** goes across folders, {a,b} and "
    "[a-z] are choices; a pattern without / matches the last name ('*.py'), one with / the path below the folder "
    "searched ('src/**/*.py'), one that ends with / folders. Passes over what .gitignore ignores, and .git.",
    find,
    title="Find files",
    category="search",
    inline=False,
    input_schema=closed_object(
        {
            "pattern": {"type": "string", "minLength": 1, "maxLength": MAX_PATTERN_CHARACTERS},
            "path": path_property("The folder to search; the project's own if absent."),
            "limit": limit_property(DEFAULT_PATHS, MAX_PATHS, "paths"),
        },
        required=("pattern",),
    ),
    output_schema=closed_object(
        {
            "path": {"type": "string"},
            "paths": {"type": "array", "items": {"type": "string"}},
            "total_seen": {"type": "integer", "description": "Paths that match, shown or not."},
            "truncated": {"type": "boolean"},
            "skipped": closed_object({"unreadable": {"type": "integer"}}, required=("unreadable",)),
            "notice": {"type": "string"},
        },
        required=("path", "paths", "total_seen", "truncated", "skipped"),
    ),
)
