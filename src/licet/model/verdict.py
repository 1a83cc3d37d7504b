"""What a check says: a closed sum of three."""

from dataclasses import dataclass
from typing import NamedTuple, TypeAlias


@dataclass(frozen=True, slots=True)
class Permit:
    """The call may go on."""


@dataclass(frozen=True, slots=True)
class Ask:
    """The call may go on once somebody approves it."""

    reason: str


class Deny(NamedTuple):
    """The call stops here. A NamedTuple, because refusing is to be as cheap as asking.

    ``code`` is stable (an error's code, or your own), ``message`` is for people, ``reason`` is a finer stable word,
    ``remedy`` tells the developer what would let the call through.
    """

    code: str
    message: str
    reason: str = ""
    remedy: str = ""


Verdict: TypeAlias = Permit | Ask | Deny

PERMIT = Permit()
