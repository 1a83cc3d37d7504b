"""A plan with its last answer."""

import sqlite3

from .facts import Plan

_PLAN = "SELECT plan_hash, nonce_digest, body, expires_at_us FROM plan WHERE plan_hash = ?"
_ANSWER = "SELECT state FROM plan_answer WHERE plan_hash = ? ORDER BY number DESC LIMIT 1"


def find(connection: sqlite3.Connection, plan_hash: str) -> Plan | None:
    """None: there is no such plan."""
    row = connection.execute(_PLAN, (plan_hash,)).fetchone()
    if row is None:
        return None
    answer = connection.execute(_ANSWER, (plan_hash,)).fetchone()
    name, nonce_digest, body, expires_at_us = row
    return Plan(name, nonce_digest, body, expires_at_us, "proposed" if answer is None else answer[0])


__all__ = ["find"]
