"""Fourth stage: TODO and FIXME, by ``grep``."""

import re

from .ask import Asking, ask
from .fact import Mark
from .listing import Listing

PATTERN = r"\b(TODO|FIXME)\b"
_MEANT = re.compile(
    r"""(?:^|[-#/*;%!(\[\]<]|"{3}|'{3})[ \t]*@?(?:TODO|FIXME)(?:[:;,.()\[\s?!*-]|$)|\s(?:TODO|FIXME):"""
)
"""At the beginning of a line, a comment or a parenthesis the word marks something; elsewhere it may only be talk."""
MOST_MARKS = 5_000
"""Of one answer."""
MOST_SEARCHED = 200_000
"""Files; in a larger project the folders that come after are not searched."""
ENOUGH_MARKS = 20_000
"""Nobody reads more; the folders that come after are not searched."""


def find_marks(listing: Listing, notes: list[str]) -> Asking[list[Mark]]:
    """Every line that holds one: those that mark something, then the others, each in the order of their places."""
    marks: list[Mark] = []
    wanted = [(folder, None) for folder in listing.units] + [(folder, "/*") for folder in listing.alone]
    searched = 0
    cut: list[str] = []
    for place, (folder, only) in enumerate(wanted):
        if searched > MOST_SEARCHED or len(marks) > ENOUGH_MARKS:
            notes.append(f"{len(wanted) - place:,} of {len(wanted):,} folders were not searched for TODO and FIXME.")
            break
        given = {"pattern": PATTERN, "path": folder, "limit": MOST_MARKS}
        found = yield from ask("grep", **given if only is None else {**given, "glob": only})
        if not found.success:
            notes.append(f"{folder} was not searched for TODO and FIXME: {found.error}.")
            continue
        searched += found.output["files_searched"]
        marks += (Mark(match["path"], match["line"], match["text"].strip()) for match in found.output["matches"])
        if found.output["truncated"]:
            cut.append(folder)
    if cut:
        more = f" and {len(cut) - 1:,} folders more" if len(cut) > 1 else ""
        notes.append(f"There are more TODO and FIXME than one answer holds in {cut[0]}{more}.")
    return sorted(marks, key=lambda mark: (_MEANT.search(mark.text) is None, mark))
