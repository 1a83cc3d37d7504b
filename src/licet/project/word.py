"""The operator's words: which holds for a tool that a name and several patterns match."""

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

from ..errors import ConfigurationError
from ..model.names import canonical
from ..model.principal import GrantSet
from ..policy.grants import matches
from ..policy.operator import Word
from .declared import Tell
from .place import Place, quoted

Words: TypeAlias = tuple[tuple[str, Word], ...]
"""Exact canonical names and patterns of them, each with what was said."""

_STRICTNESS: Mapping[str, tuple[Any, ...]] = {
    "read_only": (False, "hinted", True),
    "approval": ("ask", True, "client", False),
    "idempotent": (False, True),
    "withheld": (),
}
"""The strictest first."""


def is_pattern(name: str) -> bool:
    """Whether an entry is about more than one tool."""
    return "*" in name or "?" in name


def word_for(words: Words, tool: str) -> Word | None:
    """What was said of a tool by its canonical name; None where nothing was.

    Each part on its own: what its exact name says holds; else the strictest of what the matching patterns say,
    whatever their order.
    """
    exact = next((word for name, word in words if name == tool), None)
    general = [word for name, word in words if is_pattern(name) and matches(name, tool)]
    if exact is None and not general:
        return None
    said = {part: _said(part, exact, general) for part in Word._fields}
    return Word(**said)


def _said(part: str, exact: Word | None, general: Iterable[Word]) -> Any:
    named = None if exact is None else getattr(exact, part)
    if named is not None:
        return named
    told = [value for word in general if (value := getattr(word, part)) is not None]
    if part == "timeout_s":
        return min(told, default=None)
    return next((value for value in _STRICTNESS[part] if value in told), None)


def words(entries: Mapping[str, Mapping[str, Any]], tell: Tell) -> Words:
    """The words of a file whose shape is right. ``tell`` is told what is wrong with them."""
    found: dict[str, Word] = {}
    for text, said in entries.items():
        place: Place = ("tools", text)
        try:
            name = GrantSet.glob(text).value if is_pattern(text) else canonical(text)
        except ConfigurationError as exc:
            tell(place, str(exc))
            continue
        if name in found:
            tell(place, f"{quoted(name)} has a word already under another spelling; write one entry")
            continue
        found[name] = Word(**said)
    return tuple(found.items())
