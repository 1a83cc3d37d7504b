"""Third stage: how many lines there are, by ``read`` without asking for any of them."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from .ask import Asking, ask_all
from .language import language_of
from .listing import Listing
from .sample import estimated, shares, spread

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
    """``lines`` are of the files that were read; the rest of a large project is estimated from its sizes."""

    lines: dict[str, int] = field(default_factory=dict)
    estimates: dict[str, int] = field(default_factory=dict)
    """Lines of the files that were not read, by language."""
    estimated_files: int = 0
    unread: Counter[str] = field(default_factory=Counter)
    """Files without lines, by the reason in words."""

    def notes(self) -> Iterator[str]:
        """What is not counted, in sentences."""
        if self.unread:
            told = ", ".join(f"{why} {files:,}" for why, files in self.unread.most_common())
            yield f"Files without a count of lines: {told}."
        if self.estimated_files:
            yield f"The lines of {self.estimated_files:,} files are estimated from their sizes."


def count_lines(listing: Listing, known: dict[str, int], most: int) -> Asking[Count]:
    """The lines of the text files: of each, or where there are more than ``most``, of the largest and of a sample."""
    count = Count(dict(known))
    waiting: dict[str, list[str]] = {}
    for path in listing.paths:
        language = language_of(path.rpartition("/")[2])
        if path in known:
            continue
        if why := _passed_over(path, language, listing):
            count.unread[why] += 1
        elif listing.sizes.get(path) == 0:
            count.lines[path] = 0
        elif language is not None:
            waiting.setdefault(language, []).append(path)
    chosen = waiting
    largest: list[str] = []
    if sum(map(len, waiting.values())) > most:
        every = sorted((path for paths in waiting.values() for path in paths), key=lambda p: -listing.sizes.get(p, 0))
        largest = every[: most // 10]
        taken = set(largest)
        rest = {language: [path for path in paths if path not in taken] for language, paths in waiting.items()}
        share = shares({language: len(paths) for language, paths in rest.items()}, most - len(largest))
        chosen = {language: spread(paths, share[language]) for language, paths in rest.items()}
    yield from _read([*largest, *(path for paths in chosen.values() for path in paths)], count)
    for language, paths in waiting.items():
        read = {*largest, *chosen[language]}
        unread = [path for path in paths if path not in read]
        if unread:
            count.estimates[language] = estimated(unread, listing.sizes, count.lines, chosen[language])
            count.estimated_files += len(unread)
    return count


def _passed_over(path: str, language: str | None, listing: Listing) -> str:
    """Why a file is not even asked for, or an empty text."""
    if path in listing.links:
        return "links"
    if path in listing.odd:
        return "pipes, sockets and devices"
    if language is None:
        return "binary by name"
    return _WHY["too_large"] if listing.sizes.get(path, 0) > LARGEST_BYTES else ""


def _read(paths: list[str], count: Count) -> Asking[None]:
    results = yield from ask_all("read", ({"path": path, "limit": 0} for path in paths))
    for path, result in zip(paths, results, strict=True):
        if result.success:
            count.lines[path] = result.output["total_lines"]
        else:
            count.unread[_WHY.get(result.reason, "not readable")] += 1
