"""What an embedded module holds, of either language: one literal between two lines, and nothing that computes."""

import re
from typing import Any

from .strict_json import NotStrictError, parsed

# What may stand in a module beside the region: nothing that could change what is in it.
BEFORE = {
    "py": re.compile(
        r"|#[ -~]*|\"\"\"[ !#-\[\]-~]*\"\"\"|import json|from __future__ import annotations"
        r"|from typing import (?:Any|Final)(?:, (?:Any|Final))*"
    ),
    "ts": re.compile(r"|//[ -~]*|/\*(?:(?!\*/)[ -~])*\*/"),
}
AFTER = {"py": re.compile(r"|#[ -~]*"), "ts": re.compile(r"|//[ -~]*")}
CODING = re.compile(r"coding[:=]")  # of a comment that would change how Python reads the file
MARKS = {"py": "# {} CONTRACT", "ts": "// {} CONTRACT"}
REGION = {
    "py": re.compile(
        r"[A-Z_]+(?:: Final(?:\[dict\[str, Any\]\])?|: dict\[str, Any\])? = json\.loads\(r'''(?P<json>.*)'''\)\n",
        re.DOTALL,
    ),
    "ts": re.compile(r"export const [A-Z_]+ = (?P<json>\{.*\})(?: as const)?;\n", re.DOTALL),
}


def embedded(text: str, kind: str) -> Any:
    """What a module holds. Raises NotStrictError: it is no strict JSON (``computed``), or has a ``duplicate_key``."""
    text = text.replace("\r\n", "\n")
    if "\r" in text:  # a line break for Python, and none here
        raise NotStrictError("computed")
    lines = text.split("\n")
    begin, end = (MARKS[kind].format(word) for word in ("BEGIN", "END"))
    if lines.count(begin) != 1 or lines.count(end) != 1 or lines.index(begin) > lines.index(end):
        raise NotStrictError("computed")
    before, after = lines[: lines.index(begin)], lines[lines.index(end) + 1 :]
    inside = "".join(f"{line}\n" for line in lines[lines.index(begin) + 1 : lines.index(end)])
    plain = all(map(BEFORE[kind].fullmatch, before)) and all(map(AFTER[kind].fullmatch, after))
    region = REGION[kind].fullmatch(inside)
    if not plain or region is None or any(map(CODING.search, before)):
        raise NotStrictError("computed")
    if kind == "py" and (before.count("import json") != 1 or "'''" in region["json"]):
        raise NotStrictError("computed")
    try:
        return parsed(region["json"])
    except NotStrictError as exc:
        raise NotStrictError("computed" if exc.code == "not_json" else exc.code) from None
