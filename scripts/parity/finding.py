"""One thing that is wrong, and how a line shows it."""

import json
from typing import NamedTuple


class Finding(NamedTuple):
    """``code`` is stable, ``where`` a path of keys or what stands at its end."""

    code: str
    where: str = ""


def line(path: str, findings: list[Finding]) -> str:
    told = sorted({shown(f"{finding.code} {finding.where}".strip()) for finding in findings})
    return f"{shown(path)}: {'; '.join(told) or 'ok'}"


def shown(text: str) -> str:
    """The text with nothing in it that acts on a terminal, cut where it is long."""
    return json.dumps(text)[1:-1].replace('\\"', '"').replace("\x7f", "\\u007f")[:200]
