"""What a docstring says of each parameter, where it has an ``Args:`` section."""

import inspect
import re

_SECTION = re.compile(r"^(?:Args|Arguments|Parameters):\s*$", re.MULTILINE)
_PARAMETER = re.compile(r"\*{0,2}(\w+)(?:\s*\([^)]*\))?:\s*(.*)")


def parameter_descriptions(docstring: str | None) -> dict[str, str]:
    """The text for each parameter named in the section, on one line; empty without such a section."""
    if not docstring or (section := _SECTION.search(text := inspect.cleandoc(docstring))) is None:
        return {}
    described: dict[str, list[str]] = {}
    outer = 0
    current: list[str] = []
    for line in text[section.end() :].strip("\n").splitlines():
        indent = len(line) - len(line.lstrip())
        if line.strip() and not indent:
            break
        outer = outer or indent
        parameter = _PARAMETER.fullmatch(line.strip()) if indent == outer else None
        if parameter is not None:
            current = described[parameter[1]] = [parameter[2]]
        elif line.strip():
            current.append(line.strip())
    return {name: " ".join(part for part in parts if part) for name, parts in described.items()}
