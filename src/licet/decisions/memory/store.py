"""The memory of one engine. Several processes may share one file."""

import json
import secrets
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from threading import RLock
from typing import Any, TypeVar

from ...schema.canonical import digest, freeze
from . import plans, standing
from .facts import Decision, Execution, Outcome, Plan, Standing
from .file import open_memory, unavailable, writing
from .flight import Flights
from .moment import written
from .table import insert

T = TypeVar("T")

MOST_BYTES = 1 << 20
"""Of one line's JSON."""

Judge = Callable[[Decision, Standing], T]


class Memory:
    """Opens the memory at ``path``, or begins one there. One object serves all threads of a process.

    ``now`` gives seconds since 1970. Every method raises DecisionError ``memory_unavailable`` (503) when the file
    cannot be used; then nothing of the call is remembered.
    """

    def __init__(self, path: Path, *, now: Callable[[], float] = time.time) -> None:
        self._now = now
        self._lock = RLock()
        with unavailable():
            self._connection = open_memory(path, written(now()))
            self._flights = Flights(path)

    def snapshot(self, kind: str, value: Mapping[str, Any]) -> str:
        """Keep a value under the digest of its canonical JSON, once. Gives the digest, ``sha256:...``."""
        body, _ = freeze(value, limit_bytes=MOST_BYTES)
        name = digest(body)
        with self._writing() as connection:
            if connection.execute("SELECT 1 FROM snapshot WHERE digest = ?", (name,)).fetchone() is None:
                connection.execute(insert("snapshot", 3), (name, kind, body.decode())).fetchall()
        return name

    def snapshot_of(self, name: str) -> Any:
        """The value behind a digest; None: there is none."""
        row = self._one("SELECT body FROM snapshot WHERE digest = ?", (name,))
        return None if row is None else json.loads(row[0])

    def keep_run(self, tenant: str, key_id: str, run_digest: str, document: Mapping[str, Any]) -> str:
        """Keep what a simulation came to. Gives its id, 128 random bits."""
        run_id = f"run_{secrets.token_hex(16)}"
        body, _ = freeze(document, limit_bytes=MOST_BYTES)
        self._add("run", (run_id, tenant, key_id, run_digest, body.decode(), written(self._now())))
        return run_id

    def run(self, tenant: str, run_id: str) -> dict[str, Any] | None:
        """The document that was kept; None: this tenant has none of this id."""
        row = self._one("SELECT document FROM run WHERE run_id = ? AND tenant = ?", (run_id, tenant))
        return None if row is None else dict(json.loads(row[0]))

    def log(
        self,
        tenant: str,
        key_id: str,
        chosen_action: str,
        *,
        run_id: str | None = None,
        rationale: str | None = None,
        confidence: float | None = None,
        risk_p5: float | None = None,
    ) -> Decision:
        """Keep a decision. Its id is 128 random bits. Where the numbers come from is for the caller to see to."""
        decision_id, at = f"dec_{secrets.token_hex(16)}", written(self._now())
        line = (decision_id, tenant, key_id, chosen_action, run_id, rationale, confidence, risk_p5, at)
        self._add("decision", line)
        return Decision(decision_id, tenant, chosen_action, run_id, rationale, confidence, risk_p5, at)

    def decision(self, tenant: str, decision_id: str) -> Decision | None:
        """None: this tenant has none of this id."""
        row = self._one(
            "SELECT decision_id, tenant, chosen_action, run_id, rationale, confidence, risk_p5, created_at"
            " FROM decision WHERE decision_id = ? AND tenant = ?",
            (decision_id, tenant),
        )
        return None if row is None else Decision(*row)

    def standing(self, decision: Decision) -> Standing:
        """How its executions stand now; what ends meanwhile waits."""
        with self._writing() as connection:
            return standing.of(connection, self._flights, decision.decision_id)

    def begin(
        self, decision: Decision, actor: str, body: Mapping[str, Any], judge: "Judge[T]"
    ) -> tuple[Execution | None, T]:
        """Judge a decision as it stands, and begin its execution unless the judgement is true: then it blocks.

        Nobody else judges or begins at the same time. Once an execution is given, its beginning is on stable storage,
        and it is under way until ``end``, or until this process is gone.
        """
        text, _ = freeze(body, limit_bytes=MOST_BYTES)
        begun: Execution | None = None
        try:
            with self._writing() as connection:
                judged = judge(decision, standing.of(connection, self._flights, decision.decision_id))
                if judged:
                    return None, judged
                name = f"exe_{secrets.token_hex(16)}"
                line = (name, decision.decision_id, decision.tenant, actor, text.decode(), written(self._now()))
                begun = Execution(self._insert("execution", line), name)
                self._flights.begin(begun.number)
        except BaseException:
            if begun is not None:
                self._flights.end(begun.number)
            raise
        return begun, judged

    def end(self, execution: Execution, state: Outcome, receipt: Mapping[str, Any]) -> None:
        """Keep what an execution came to. It is under way no more, even if that cannot be kept."""
        body, _ = freeze(receipt, limit_bytes=MOST_BYTES)
        try:
            self._add("outcome", (execution.number, state, body.decode()))
        finally:
            with self._lock:
                self._flights.end(execution.number)

    def propose(self, plan_hash: str, nonce: str, body: str, expires_at_us: int) -> None:
        """Keep what a person is asked. Of the nonce only the digest is kept."""
        line = (plan_hash, sha256(nonce.encode()).hexdigest(), body, expires_at_us, written(self._now()))
        self._add("plan", line)

    def plan(self, plan_hash: str) -> Plan | None:
        with self._reading() as connection:
            return plans.find(connection, plan_hash)

    def answer(self, plan_hash: str, judge: Callable[[Plan | None], T], state: str) -> T:
        """Judge a plan as it stands, and keep the answer unless that raises. Nobody answers at the same time."""
        with self._writing() as connection:
            judged = judge(plans.find(connection, plan_hash))
            self._insert("plan_answer", (plan_hash, state, written(self._now())))
        return judged

    def enable(self, key_id: str, enabled: bool) -> None:
        """Keep that executing is switched on or off for a key."""
        self._add("enablement", (key_id, int(enabled), written(self._now())))

    def enabled(self, key_id: str) -> bool | None:
        """The last switch of a key; None: nobody has touched it."""
        row = self._one("SELECT enabled FROM enablement WHERE key_id = ? ORDER BY number DESC LIMIT 1", (key_id,))
        return None if row is None else bool(row[0])

    def close(self) -> None:
        """Let go of the file. What is under way in this process counts as unknown from here on. Twice is fine."""
        with self._lock:
            self._connection.close()
            self._flights.close()

    def _add(self, table: str, line: tuple[Any, ...]) -> None:
        with self._writing():
            self._insert(table, line)

    def _insert(self, table: str, line: tuple[Any, ...]) -> int:
        rows = self._connection.execute(insert(table, len(line)), line).fetchall()
        return int(rows[0][0])

    def _one(self, sql: str, values: tuple[Any, ...]) -> Any:
        with self._reading() as connection:
            return connection.execute(sql, values).fetchone()

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        with unavailable(), self._lock:
            yield self._connection

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with unavailable(), self._lock, writing(self._connection):
            yield self._connection


__all__ = ["Memory"]
