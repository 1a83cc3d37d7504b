"""Where something stands in a file: the keys and positions that lead to it."""

import json
import re
from typing import TypeAlias

Place: TypeAlias = tuple[str | int, ...]

_PLAIN = re.compile(r"[A-Za-z_$][A-Za-z0-9_$-]{0,80}", re.ASCII)
_LONGEST = 80


def shown(place: Place) -> str:
    """``agents.coder.tools[0]``; a key that is no plain word stands quoted, with nothing in it that acts or hides."""
    text = ""
    for step in place:
        if isinstance(step, int):
            text += f"[{step}]"
        elif _PLAIN.fullmatch(step):
            text += f".{step}" if text else step
        else:
            text += f"[{quoted(step)}]"
    return text


def quoted(text: str) -> str:
    """A text of the file as messages repeat it: short, in ASCII, in quotes."""
    return json.dumps(text if len(text) <= _LONGEST else text[:_LONGEST] + "...")
