"""Third stage: how many lines each file has, by ``read`` without asking for any of them."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from .ask import Asking, ask_all
from .language import OTHER, language_of
from .listing import Listing

MOST_COUNTED = 20_000
LARGEST_BYTES = 32 * 1024 * 1024
"""Of a file that ``read`` takes."""

_WHY = {
    "binary_file": "binary",
    "too_large": "larger than 32 MiB",
    "not_a_file": "with several names (hard links) or not regular",
    "path_not_found": "with a name that is no UTF-8, or gone since",
    "path_protected": "protected",
    "path_outside_root": "leading outside",
}


@dataclass(slots=True)
class Count:
    """``lines`` holds the counted files, ``unread`` how many were passed over, by the reason in words."""

    lines: dict[str, int] = field(default_factory=dict)
    unread: dict[str, int] = field(default_factory=dict)
    left: int = 0

    def passed_over(self, why: str, files: int = 1) -> None:
        self.unread[why] = self.unread.get(why, 0) + files

    def notes(self) -> Iterator[str]:
        """What is not in the count, in sentences."""
        if self.unread:
            ranked = sorted(self.unread.items(), key=lambda item: -item[1])
            yield f"Files without a count of lines: {', '.join(f'{why} {files:,}' for why, files in ranked)}."
        if self.left:
            yield f"Lines are of the first {MOST_COUNTED:,} text files; {self.left:,} more were not opened."


def count_lines(listing: Listing, known: dict[str, int]) -> Asking[Count]:
    """The lines of every text file, code before the rest, up to a limit."""
    count = Count(dict(known))
    waiting: list[str] = []
    for path in listing.paths:
        if path in known:
            continue
        size = listing.sizes.get(path)
        if path in listing.links:
            count.passed_over("links")
        elif path in listing.odd:
            count.passed_over("pipes, sockets and devices")
        elif language_of(path.rpartition("/")[2]) is None:
            count.passed_over("binary by name")
        elif size == 0:
            count.lines[path] = 0
        elif size is not None and size > LARGEST_BYTES:
            count.passed_over(_WHY["too_large"])
        else:
            waiting.append(path)
    if len(waiting) > MOST_COUNTED:
        waiting.sort(key=lambda path: (language_of(path.rpartition("/")[2]) == OTHER, path.count("/"), path))
        count.left = len(waiting) - MOST_COUNTED
        del waiting[MOST_COUNTED:]
    results = yield from ask_all("read", ({"path": path, "limit": 0} for path in waiting))
    for path, result in zip(waiting, results, strict=True):
        if result.success:
            count.lines[path] = result.output["total_lines"]
        else:
            count.passed_over(_WHY.get(result.reason, "not readable"))
    return count
