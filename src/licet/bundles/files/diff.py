"""What a write changed, as a unified diff of bounded size."""

from typing import Any

from .bounds import Room

_MAX_LINES_COMPARED = 2000
"""On either side, after equal beginnings and ends are left out; comparing takes up to the square of it."""

_MAX_BYTES = 1024 * 1024
_CONTEXT = 3


def changes(before: bytes, after: bytes, shown: str) -> dict[str, Any]:
    """``diff``, and ``diff_truncated`` where it does not tell everything. A binary or huge file has an empty diff."""
    if max(len(before), len(after)) > _MAX_BYTES or b"\0" in before or b"\0" in after:
        return {"diff": "", "diff_truncated": True}
    old, new = _lines(before), _lines(after)
    same = _common(old, new)
    end = _common(old[same:][::-1], new[same:][::-1])
    if max(len(old), len(new)) - same - end > _MAX_LINES_COMPARED:
        return {"diff": "", "diff_truncated": True}
    first = max(0, same - _CONTEXT)
    tail = max(0, end - _CONTEXT)
    room = Room(limited_by_caller=False)
    kept: list[str] = []
    for line in _diff(old[first : len(old) - tail], new[first : len(new) - tail], first, shown):
        if not room.take(line, around=2):
            return {"diff": "".join(kept), "diff_truncated": True}
        kept.append(line)
    return {"diff": "".join(kept)}


def _diff(old: list[str], new: list[str], first: int, shown: str) -> list[str]:
    from difflib import unified_diff

    lines = list(unified_diff(old, new, shown, shown, n=_CONTEXT))
    return [_moved(line, first) if number > 1 else line for number, line in enumerate(lines)]


def _moved(line: str, lines: int) -> str:
    """A hunk's head counted from the file's beginning instead of the part that was compared."""
    if not line.startswith("@@ "):
        return line if line.endswith("\n") else line + "\n\\ No newline at end of file\n"
    _, old, new, _ = line.split(" ", 3)
    return f"@@ -{_shifted(old[1:], lines)} +{_shifted(new[1:], lines)} @@\n"


def _shifted(span: str, lines: int) -> str:
    start, comma, length = span.partition(",")
    return f"{int(start) + lines}{comma}{length}"


def _lines(data: bytes) -> list[str]:
    parts = data.decode("utf-8", "replace").split("\n")
    lines = [part + "\n" for part in parts[:-1]]
    return [*lines, parts[-1]] if parts[-1] else lines


def _common(left: list[str], right: list[str]) -> int:
    count = 0
    for one, other in zip(left, right, strict=False):
        if one != other:
            break
        count += 1
    return count
