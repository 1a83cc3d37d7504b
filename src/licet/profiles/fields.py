"""Names of arguments that no model may see or set, and what else such a name may be written like."""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple
from unicodedata import category, normalize

_SENTENCES = re.compile(r"(?<=[.!?;])[ \t\r\n]+|[ \t]*[\r\n]+[ \t\r\n]*")


@lru_cache(maxsize=1024)
def fold(name: str) -> str:
    """What is left of a name by its letters and digits, whatever its case, its width and what joins its words.

    ``Force``, ``ｆｏｒｃｅ`` and ``override-Safety`` fold to ``force`` and ``overridesafety`` (NFKC of Unicode Standard
    Annex 15, full case mappings, then letters and digits only).
    """
    whole = normalize("NFKC", normalize("NFKC", name).upper().casefold())
    return "".join(sign for sign in whole if sign.isalnum())


class Fields(NamedTuple):
    """``names`` as the contract writes them. ``free`` are top-level arguments whose content is payload: whatever stands
    in there is no argument of the tool, and stays.
    """

    names: frozenset[str]
    folded: frozenset[str]
    mentioned: "re.Pattern[str]"
    free: frozenset[str] = frozenset()

    def is_one(self, name: str) -> bool:
        """Whether it is one of the names, or is written like one."""
        return name in self.names or fold(name) in self.folded

    def is_mentioned(self, text: str) -> bool:
        """Whether a text holds one of them as a word of its own."""
        return self.mentioned.search(_plain(text)) is not None

    def unmentioned(self, text: str) -> str:
        """The text without the sentences and lines that mention one."""
        if not self.is_mentioned(text):
            return text
        kept = (part for part in _SENTENCES.split(text) if part and not self.is_mentioned(part))
        told = " ".join(kept)
        return "" if self.is_mentioned(told) else told


@lru_cache(maxsize=64)
def fields(names: Iterable[str], free: Iterable[str] = ()) -> Fields:
    """The names of a tool's arguments, ready to be looked for. Both are tuples, or another hashable of texts."""
    held = frozenset(names)
    words = sorted(r"[\W_]{0,3}".join(re.findall(r"[a-z0-9]+", name.lower())) for name in held)
    mentioned = re.compile(rf"(?<![a-z0-9_])(?:{'|'.join(words)})(?![a-z0-9_])" if words else r"(?!)", re.ASCII)
    return Fields(held, frozenset(map(fold, held)), mentioned, frozenset(free))


def _plain(text: str) -> str:
    """A text with one case and one width, without marks and signs that nobody sees."""
    if text.isascii():
        return text.lower()
    whole = normalize("NFKC", normalize("NFKC", text).upper().casefold())
    return "".join(sign for sign in whole if category(sign) not in ("Cf", "Mn"))


__all__ = ["Fields", "fields", "fold"]
