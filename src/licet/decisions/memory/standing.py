"""How the executions of a decision stand, read from what was begun, what was ended, and what is under way."""

import sqlite3

from .facts import Standing
from .flight import Flights

_ALL = (
    "SELECT execution.number, outcome.state FROM execution"
    " LEFT JOIN outcome ON outcome.execution = execution.number WHERE execution.decision_id = ?"
)


def of(connection: sqlite3.Connection, flights: Flights, decision_id: str) -> Standing:
    """One under way outweighs all; then one that was delivered, then one whose effect nobody knows."""
    states = set()
    for number, state in connection.execute(_ALL, (decision_id,)).fetchall():
        if state is None:
            states.add("in_flight" if flights.under_way(number) else "unknown")
        else:
            states.add(state)
    if "in_flight" in states:
        return "in_flight"
    if "delivered" in states:
        return "delivered"
    return "unknown" if "unknown" in states else "fresh"


__all__ = ["of"]
