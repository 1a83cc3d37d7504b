"""What an attack is, what was seen of it, and the one judgement that both columns get."""

from collections.abc import Callable
from typing import Literal, NamedTuple

from ...model.paths import RunMode
from ...model.result import ToolResult
from ...policy.protected import why_unwritable
from ...ports import Message
from .playground import PAYLOAD

Move = Message | Callable[[str], Message]
"""What the model says next; a function is given what it read last."""

Holds = Literal["refused", "contained"]
"""``refused``: nothing happens and the ledger says so. ``contained``: it may run, and does no harm."""


class Script(NamedTuple):
    """One way to try. Its first ``answered`` calls are honest: they have to succeed, and each enters a handler.

    ``may_enter`` calls may enter a handler besides, and have to be stopped in there. ``may_change`` are the paths that
    the honest calls write.
    """

    moves: tuple[Move, ...]
    answered: int = 0
    may_enter: int = 0
    may_change: tuple[str, ...] = ()


class Seen(NamedTuple):
    """What one script brought about. ``read`` is what the model was shown, ``leaked`` whether a secret reached it.

    ``entered`` names the handlers that were entered, ``changed`` the paths that are not as before, below the
    playground. ``raised`` is the class of the exception that a call or the loop ended with.
    """

    entered: tuple[str, ...]
    changed: tuple[str, ...]
    read: tuple[str, ...]
    leaked: bool
    raised: str = ""
    hung: bool = False
    results: tuple[ToolResult, ...] = ()


class Attack(NamedTuple):
    """One line of the table. ``contained`` looks closer at what a contained attack did; ``how`` says it held."""

    name: str
    mode: RunMode
    scripts: tuple[Script, ...]
    holds: Holds = "refused"
    contained: Callable[[Seen], bool] = lambda seen: True
    how: str = ""


def harm(script: Script, seen: Seen) -> str:
    """What happened that must not, in a few words; empty if nothing did."""
    if seen.hung:
        return "hangs"
    if seen.leaked:
        return "read the secret"
    unasked = [path for path in seen.changed if path.removeprefix("project/") not in script.may_change]
    if any(path.partition("/")[0] != "project" for path in unasked):
        return "wrote outside"
    inside = [path.removeprefix("project/") for path in unasked]
    guarded = [path for path in inside if why_unwritable(path.split("/"))]
    if guarded:
        return f"wrote {guarded[-1]}"  # the folders that were made come before the file in them
    if inside:
        return f"wrote {inside[0].rpartition('/')[2]}"
    if any(line.strip() == PAYLOAD for text in seen.read for line in text.splitlines()):
        return "closed the block"
    if len(seen.entered) > script.answered + script.may_enter:
        if script.answered:
            return "ran twice"
        return f"{'entered' if seen.raised else 'ran'} {seen.entered[-1]}"
    return ""
