"""Entries to put on a ledger, as room 2 writes them."""

import json
from typing import Any

from licet.ledger import chain
from licet.model.entry import Draft, Entry


def packed(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def draft(kind: str, call: str | None = None, *, run: str = "run-1", at_us: int = 1, **fields: Any) -> Draft:
    body = fields if call is None else {"call": call, **fields}
    return Draft(run, kind, "fortune-teller", packed(body), packed({"at_us": at_us}))


def requested(call: str, **fields: Any) -> Draft:
    return draft("tool.requested", call, arguments={"seed": "owl"}, tool="local/oracle", **fields)


def completed(call: str, **fields: Any) -> Draft:
    return draft("tool.completed", call, output={"omen": "a fox"}, **fields)


def linked(*drafts: Draft) -> list[Entry]:
    """The drafts as a chain from the beginning."""
    return [Entry(*fields) for fields in chain.linked(chain.START, drafts)]


A_STORY = (
    draft("run.started", run="", at_us=10, tools=3),
    requested("c1", at_us=20),
    completed("c1", at_us=30),
    draft("tool.refused", "c2", at_us=40, code="not_granted", tool="local/launch"),
    requested("c3", run="run-2", at_us=50),
    draft("tool.failed", "c3", run="run-2", at_us=60, code="tool_failed", effect="unknown"),
    requested("c4", run="run-2", at_us=70),
    draft("oracle.spoke", run="run-2", at_us=80, omen="ein Käuzchen, 🦉"),
)
"""Two runs: a call that came to its end, one refused, one failed, one that nobody knows the end of."""
