"""``licet ledger settle``."""

import argparse
from typing import TYPE_CHECKING

from ..errors import ConfigurationError
from .exits import DONE

if TYPE_CHECKING:
    from ..ledger.sqlite import SqliteLedger

_CANDIDATES = 8


def run(arguments: argparse.Namespace) -> int:
    from ..ledger.settle import settle
    from ..ledger.sqlite import SqliteLedger
    from . import output
    from .configured import ledger_to_read
    from .person import person
    from .records import exists

    path = ledger_to_read(arguments, arguments.ledger)
    exists(path)
    ledger = SqliteLedger(path)
    try:
        call_id = _open_call(ledger, arguments.call)
        entry = settle(ledger, call_id, arguments.outcome, arguments.note, person())
    finally:
        ledger.close()
    output.say(f"licet: run {entry.run_id}")
    if arguments.json:
        output.document(
            {
                "seq": entry.seq,
                "run_id": entry.run_id,
                "call": call_id,
                "outcome": arguments.outcome,
                "note": arguments.note,
                "actor": entry.actor,
            }
        )
    else:
        output.line(f"settled {call_id} as {arguments.outcome}, by {entry.actor}: entry {entry.seq}")
    return DONE


def _open_call(ledger: "SqliteLedger", named: str) -> str:
    """The id itself, whole: a settlement cannot be taken back, so nothing is guessed.

    Raises:
        ConfigurationError: no such call is on the ledger, or it has an end.
    """
    from .story import calls_of

    closed = ledger.find(named).closed
    if closed is not None:
        problem = f"the call {named!r} has an end: entry {closed.seq}, {closed.kind}"
        raise ConfigurationError(f"{problem}; nothing is left to settle")
    waiting = [call.call_id for call in calls_of(ledger.unknown())]
    if named in waiting:
        return named
    like = [call_id for call_id in waiting if call_id.startswith(named)] or waiting
    those = f"open are {', '.join(like[:_CANDIDATES])}" if like else "no call on this ledger is open"
    raise ConfigurationError(f"no open call is {named!r}; {those}")


__all__ = ["run"]
