"""The script ``release-checker``: what is left to do in a project, by the file tools."""

from typing import Any

from ...model.call import Request
from .script import Asking, ask_all

_EXPECTED = ("README.md", "LICENSE", "CHANGELOG.md")
_MOST = 500


def check_project(stands: dict[str, Any], offered: frozenset[str]) -> Asking[str]:
    """One turn of two calls, and one sentence."""
    marks, top = yield from ask_all(
        Request("grep", {"pattern": r"\b(TODO|FIXME)\b", "limit": _MOST}, "marks"),
        Request("ls", {"path": "."}, "top"),
    )
    names = {entry["name"] for entry in (top.output.get("entries", ()) if top.success else ())}
    missing = [name for name in _EXPECTED if name not in names]
    found = len(marks.output.get("matches", ())) if marks.success else 0
    more = " or more" if marks.success and marks.output.get("truncated") else ""
    left = f"TODO and FIXME left: {found}{more}" if marks.success else "TODO and FIXME could not be counted"
    return f"{left}; {'missing: ' + ', '.join(missing) if missing else 'nothing is missing'}."


__all__ = ["check_project"]
