"""What is fuzzed, and the inputs that once reached something new."""

import base64
from collections.abc import Iterable
from pathlib import Path

TARGETS = ("names", "receive", "paths")

_CORPUS = Path(__file__).parents[1] / "corpus"
"""For each target a file of inputs, one a line, in base64."""


def kept_inputs(target: str) -> list[bytes]:
    """The corpus of a target."""
    file = _CORPUS / f"{target}.txt"
    return [base64.b64decode(line) for line in file.read_text().split()] if file.exists() else []


def keep(target: str, grown: Iterable[bytes]) -> None:
    """Add to the corpus of a target."""
    lines = sorted({base64.b64encode(one).decode() for one in (*kept_inputs(target), *grown) if one})
    _CORPUS.mkdir(exist_ok=True)
    (_CORPUS / f"{target}.txt").write_text("".join(f"{line}\n" for line in lines))
