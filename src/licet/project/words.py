"""How a change is told: in words on one line, and as a diff of the lock's own text. Nothing in either is hidden."""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from .lock_text import plain

_MOST_LINES_COMPARED = 2000
"""On either side, after equal beginnings and ends are left out; comparing takes up to the square of it."""

_MOST_SHOWN = 120
"""Characters of a value; the diff shows all of it."""

_BARE = re.compile(r"[A-Za-z0-9_./-]+", re.ASCII)
_CONTEXT = 3


def shown(value: Any) -> str:
    """A value of a schema, short and on one line: plain words as they are, everything else as JSON."""
    if isinstance(value, str) and _BARE.fullmatch(value):
        text = value
    else:
        text = plain(json.dumps(value, ensure_ascii=False, sort_keys=True))
    return text if len(text) <= _MOST_SHOWN else text[:_MOST_SHOWN] + "..."


def turned(old: Any, new: Any) -> str:
    """``string -> number``."""
    return f"{shown(old)} -> {shown(new)}"


def exchanged(gone: Sequence[Any], come: Sequence[Any]) -> str:
    """``+ branch - path``."""
    return " ".join([*(f"+ {shown(item)}" for item in come), *(f"- {shown(item)}" for item in gone)])


def lines_changed(old: str, new: str) -> str:
    """``line 3 changed``, ``lines 4-6 added, line 9 removed``. Removed lines are counted in the old text."""
    return ", ".join(_spans(old.split("\n"), new.split("\n")))


def diff(old: str, new: str, name: str) -> str:
    """A unified diff with everything that changed, however much it is; each of its lines is ended."""
    before, after = old.split("\n"), new.split("\n")
    same, end = _alike(before, after)
    first, last = max(0, same - _CONTEXT), max(0, end - _CONTEXT)
    part, other = before[first : len(before) - last], after[first : len(after) - last]
    lines = [f"--- {name} (locked)", f"+++ {name} (listed)"]
    if max(len(part), len(other)) > _MOST_LINES_COMPARED:
        lines.append(f"@@ -{first + 1},{len(part)} +{first + 1},{len(other)} @@")
        lines += [f" {line}" for line in before[first:same]]
        lines += [f"-{line}" for line in before[same : len(before) - end]]
        lines += [f"+{line}" for line in after[same : len(after) - end]]
        lines += [f" {line}" for line in before[len(before) - end : len(before) - last]]
    else:
        lines += _hunks(part, other, first)
    return "".join(f"{line}\n" for line in lines)


def _hunks(before: list[str], after: list[str], first: int) -> Iterator[str]:
    from difflib import unified_diff

    for number, line in enumerate(unified_diff(before, after, n=_CONTEXT, lineterm="")):
        if number < 2:
            continue  # its heads name no tool
        if line.startswith("@@ "):
            _, old, new, _ = line.split(" ", 3)
            line = f"@@ -{_moved(old[1:], first)} +{_moved(new[1:], first)} @@"
        yield line


def _moved(span: str, lines: int) -> str:
    start, comma, length = span.partition(",")
    return f"{int(start) + lines}{comma}{length}"


def _spans(old: list[str], new: list[str]) -> Iterator[str]:
    from difflib import SequenceMatcher

    same, end = _alike(old, new)
    before, after = old[same : len(old) - end], new[same : len(new) - end]
    if max(len(before), len(after)) > _MOST_LINES_COMPARED:
        yield f"{_lines(same, same + len(after))} changed"
        return
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag == "replace":
            yield f"{_lines(same + j1, same + j2)} changed"
        elif tag == "insert":
            yield f"{_lines(same + j1, same + j2)} added"
        elif tag == "delete":
            yield f"{_lines(same + i1, same + i2)} removed"


def _lines(start: int, end: int) -> str:
    return f"line {end}" if end - start == 1 else f"lines {start + 1}-{end}"


def _alike(old: Sequence[str], new: Sequence[str]) -> tuple[int, int]:
    """How many lines at the beginning, and then how many at the end, are equal."""
    most = min(len(old), len(new))
    same = next((at for at in range(most) if old[at] != new[at]), most)
    end = next((at for at in range(most - same) if old[-1 - at] != new[-1 - at]), most - same)
    return same, end


__all__ = ["diff", "exchanged", "lines_changed", "shown", "turned"]
