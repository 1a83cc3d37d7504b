"""Fourth stage: TODO and FIXME, by ``grep``."""

from .ask import Asking, ask
from .fact import Mark
from .listing import Listing

PATTERN = r"\b(TODO|FIXME)\b"
MOST_MARKS = 5_000


def find_marks(listing: Listing, notes: list[str]) -> Asking[list[Mark]]:
    """Every line that holds one, in the order of their places."""
    marks: list[Mark] = []
    wanted = [(folder, None) for folder in listing.units] + [(folder, "/*") for folder in listing.alone]
    for folder, only in wanted:
        given = {"pattern": PATTERN, "path": folder, "limit": MOST_MARKS}
        found = yield from ask("grep", **given if only is None else {**given, "glob": only})
        if not found.success:
            notes.append(f"{folder} was not searched for TODO and FIXME: {found.error}.")
            continue
        marks += (Mark(match["path"], match["line"], match["text"].strip()) for match in found.output["matches"])
        if found.output["truncated"]:
            notes.append(f"There are more than {len(found.output['matches']):,} TODO and FIXME in {folder}.")
    return sorted(marks)
