"""Findings about the contract file that a project keeps in ``contracts/``: other tools read it, licet has its own."""

from pathlib import Path

from ...errors import ConfigurationError
from ...profiles.document import MAX_BYTES
from ...profiles.terms import FILE, load, shipped
from ..config import shown_path
from ..whole_file import contents
from .finding import Finding
from .inspect import Inspection

FOLDER = "contracts"


def inspect_contract(folder: Path) -> list[Inspection]:
    """Of the contract beside a configuration; nothing where there is none."""
    path = folder / FOLDER / FILE
    try:
        content = contents(path, MAX_BYTES)
    except OSError as exc:
        return [_one(path, f"it cannot be read: {exc.strerror}")]
    if content is None:
        return []
    name = shown_path(path)
    try:
        held = load(content, name)
    except ConfigurationError as exc:
        return [_one(path, str(exc).removeprefix(f"{name}: "))]
    if held != shipped():
        return [_one(path, f"it is not the contract in force, which is version {shipped().version} of licet's own")]
    return [Inspection(name, (), ())]


def _one(path: Path, text: str) -> Inspection:
    return Inspection(shown_path(path), (Finding(1, "contract", text),), ())


__all__ = ["inspect_contract"]
