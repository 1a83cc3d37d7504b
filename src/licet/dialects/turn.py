"""An assistant's turn in the words of its provider, and the calls in it that want an answer."""

import re
from collections.abc import Callable
from hashlib import sha256
from typing import Any, NamedTuple


class Asked(NamedTuple):
    """One call of a turn, as its provider finds it again: ``id`` is empty where the wire has none.

    ``kind`` is the wire's own word for the sort of call, where it has several.
    """

    id: str
    name: str
    kind: str = ""


class Turn(NamedTuple):
    """What goes back to a provider of one answer. ``content`` is the dialect's own, None: there is nothing to send.

    ``asked`` are its calls in order: the results of a turn answer them by their place.
    """

    dialect: str
    content: Any
    asked: tuple[Asked, ...] = ()


ANY_ID = re.compile(r"[\x21-\x7e]{1,4096}", re.ASCII)
"""Servers that speak like another provider make longer ids than that one, some with a signature in them."""


class CallIds:
    """The ids of one conversation's calls on one wire: every one of them legal there, and none twice."""

    __slots__ = ("_legal", "_made", "_own", "_spelt", "_taken")

    def __init__(
        self,
        legal: re.Pattern[str],
        spelt: Callable[[str], str] = "call_{:.24}".format,
        *,
        own: re.Pattern[str] | None = None,
    ) -> None:
        """``legal`` matches a whole id, ``own`` one that the provider made itself, where it takes more of those back.

        ``spelt`` makes an id of hexadecimal digits.
        """
        self._legal = legal
        self._own = legal if own is None else own
        self._spelt = spelt
        self._taken: set[str] = set()
        self._made: dict[str, int] = {}

    def fit(self, said: object, *, own: bool = True) -> str:
        """The id as it was said, if it can stand; else one made of it, the same whenever the same was said before.

        ``own`` says that the provider said it.
        """
        legal = self._own if own else self._legal
        if isinstance(said, str) and said not in self._taken and legal.fullmatch(said):
            self._taken.add(said)
            return said
        seed = said if isinstance(said, str) else ""
        while True:
            time = self._made[seed] = self._made.get(seed, 0) + 1
            made = self._spelt(sha256(f"{time} {seed}".encode("utf-8", "surrogatepass")).hexdigest())
            if made not in self._taken:
                self._taken.add(made)
                return made


__all__ = ["ANY_ID", "Asked", "CallIds", "Turn"]
