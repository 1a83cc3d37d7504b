"""What agents tell each other: a kind, and a payload that is JSON."""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

LONGEST_KIND = 128

OURS = frozenset(
    (
        "grant",
        "ledger",
        "licet",
        "mcp",
        "model",
        "person",
        "pin",
        "run",
        "scenario",
        "server",
        "skill",
        "tool",
        "workflow",
    )
)
"""First words of what licet itself puts on a ledger: no agent emits under them."""

_KIND = re.compile(r"[a-z][a-z0-9]*(\.[a-z][a-z0-9_]*)+", re.ASCII)


class Event(NamedTuple):
    """``kind`` is a dotted name, ``oracle.spoke``. ``actor`` is the agent that emitted it, and ``id`` its name in the
    run; an agent that makes one leaves both empty.
    """

    kind: str
    payload: Mapping[str, Any]
    actor: str = ""
    id: str = ""


def problem_of_kind(kind: str) -> str:
    """Why there is no event of this kind, and what instead; an empty text if there may be."""
    if len(kind) > LONGEST_KIND or not _KIND.fullmatch(kind):
        return "is no kind of event; write one such as world.observed: lower-case words with dots between"
    if is_ours(kind):
        return f"is a word of licet's own records; begin with another one than {kind.partition('.')[0]}"
    return ""


def is_ours(kind: str) -> bool:
    """Whether licet itself records such an event, and no agent emits one."""
    return kind.partition(".")[0] in OURS


__all__ = ["LONGEST_KIND", "OURS", "Event", "is_ours", "problem_of_kind"]
