"""First stage: which files there are, by ``find``, and how large each is, by ``ls``."""

from dataclasses import dataclass, field

from ...model.result import ToolResult
from .ask import Asking, ask, ask_all
from .tree import folders_of

MOST_PATHS = 50_000
"""What one ``find`` may give."""
MOST_ENTRIES = 20_000
"""What one ``ls`` may give."""
MOST_FOLDERS = 5_000
"""Folders whose files are measured."""
MOST_SPLITS = 2_000
"""Folders that are listed piece by piece because they hold too much for one answer."""

_COMPILED = "/__pycache__/"
_ASIDE = (".git", ".licet")
"""What ``find`` passes over."""


@dataclass(slots=True)
class Listing:
    """The files of a project. ``units`` are folders that one call can list, and ``alone`` those too large for it.

    ``by_ls`` are those of the latter that only ``ls`` could list.
    """

    paths: list[str] = field(default_factory=list)
    folders: dict[str, list[str]] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)
    links: set[str] = field(default_factory=set)
    odd: set[str] = field(default_factory=set)
    units: list[str] = field(default_factory=list)
    alone: list[str] = field(default_factory=list)
    by_ls: list[str] = field(default_factory=list)
    unreadable: int = 0
    notes: list[str] = field(default_factory=list)


def list_files() -> Asking[Listing]:
    """Every file that is not ignored, with its size."""
    listing = Listing()
    waiting = ["."]
    splits = 0
    while waiting:
        folder = waiting.pop()
        found = yield from ask("find", pattern="*", path=folder, limit=MOST_PATHS)
        if not _whole(found) and splits < MOST_SPLITS:
            splits += 1
            waiting += yield from _split(folder, found, listing)
            continue
        listing.units.append(folder)
        _take(found, folder, listing)
    if listing.by_ls:
        more = f" and {len(listing.by_ls) - 1:,} folders more" if len(listing.by_ls) > 1 else ""
        listing.notes.append(f"What is ignored was not left out in {listing.by_ls[0]}{more}.")
    kept = sorted(path for path in listing.paths if _COMPILED not in f"/{path}")
    if len(kept) < len(listing.paths):
        listing.notes.append(f"{len(listing.paths) - len(kept):,} compiled files in __pycache__ are left out.")
    listing.paths = kept
    listing.folders = folders_of(listing.paths)
    yield from _measure(listing)
    return listing


def _whole(found: ToolResult) -> bool:
    return found.success and not found.output["truncated"]


def _split(folder: str, found: ToolResult, listing: Listing) -> Asking[list[str]]:
    """Take the folder's own files and give the folders in it; where there are none, take what was given."""
    inner = yield from ask("find", pattern="/*/", path=folder, limit=MOST_PATHS)
    if _whole(inner):
        folders = [path.rstrip("/") for path in inner.output["paths"]]
        own = (yield from ask("find", pattern="/*", path=folder, limit=MOST_PATHS)) if folders else found
        _take(own, folder, listing)
    else:
        folders = yield from _split_by_ls(folder, listing)
    (listing.alone if folders else listing.units).append(folder)
    return folders[::-1]


def _split_by_ls(folder: str, listing: Listing) -> Asking[list[str]]:
    """The same for one that is too large for ``find``. What is ignored is taken too: ``ls`` does not know."""
    listed = yield from ask("ls", path=folder, limit=MOST_ENTRIES)
    if not listed.success:
        listing.notes.append(f"{folder} could not be listed: {listed.error}.")
        return []
    if listed.output["truncated"]:
        listing.notes.append(f"{folder} holds {listed.output['total']:,} entries, too many for one answer.")
    listing.by_ls.append(folder)
    prefix = "" if folder == "." else f"{folder}/"
    entries = listed.output["entries"]
    listing.paths += (prefix + entry["name"] for entry in entries if entry["kind"] != "directory")
    return [prefix + e["name"] for e in entries if e["kind"] == "directory" and e["name"] not in _ASIDE]


def _take(found: ToolResult, folder: str, listing: Listing) -> None:
    if not found.success:
        listing.notes.append(f"The files of {folder} could not be listed: {found.error}.")
        return
    paths, total = found.output["paths"], found.output["total_seen"]
    listing.paths += paths
    listing.unreadable += found.output["skipped"]["unreadable"]
    if found.output["truncated"]:
        listing.notes.append(
            f"{folder} holds {total:,} files or more, too many for one answer; {len(paths):,} are in here."
        )


def _measure(listing: Listing) -> Asking[None]:
    """Sizes and kinds, folder by folder, the shallow ones first."""
    folders = sorted(listing.folders, key=lambda folder: (folder != ".", folder.count("/"), folder))[:MOST_FOLDERS]
    listings = yield from ask_all("ls", ({"path": folder, "limit": MOST_ENTRIES} for folder in folders))
    for folder, result in zip(folders, listings, strict=True):
        if not result.success:
            continue
        prefix = "" if folder == "." else f"{folder}/"
        wanted = set(listing.folders[folder])
        for entry in result.output["entries"]:
            if entry["name"] not in wanted:
                continue
            path = prefix + entry["name"]
            if entry["kind"] == "file":
                listing.sizes[path] = entry["size"]
            elif entry["kind"] == "link":
                listing.links.add(path)
            else:
                listing.odd.add(path)
    if len(listing.folders) > MOST_FOLDERS:
        listing.notes.append(f"Sizes are of the first {MOST_FOLDERS:,} of {len(listing.folders):,} folders.")
