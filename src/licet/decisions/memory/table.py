"""What a memory's file holds, to the letter: a file with any other schema is not opened.

No line is ever changed, deleted or put in another's place. The triggers stop accidents and every statement of this
package that would be a fault; whoever may write the file may also drop them.
"""

FORMAT = 1
"""The version of this layout."""

_TABLES = {
    "meta": "format INTEGER NOT NULL, created_at TEXT NOT NULL",
    "snapshot": "digest TEXT NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL",
    "run": (
        "run_id TEXT NOT NULL, tenant TEXT NOT NULL, key_id TEXT NOT NULL, digest TEXT NOT NULL,"
        " document TEXT NOT NULL, created_at TEXT NOT NULL"
    ),
    "decision": (
        "decision_id TEXT NOT NULL, tenant TEXT NOT NULL, key_id TEXT NOT NULL, chosen_action TEXT NOT NULL,"
        " run_id TEXT, rationale TEXT, confidence REAL, risk_p5 REAL, created_at TEXT NOT NULL"
    ),
    "execution": (
        "execution_id TEXT NOT NULL, decision_id TEXT NOT NULL, tenant TEXT NOT NULL, actor TEXT NOT NULL,"
        " body TEXT NOT NULL, started_at TEXT NOT NULL"
    ),
    "outcome": (
        "execution INTEGER NOT NULL, state TEXT NOT NULL CHECK (state IN ('delivered', 'failed', 'unknown')),"
        " receipt TEXT NOT NULL"
    ),
    "plan": (
        "plan_hash TEXT NOT NULL, nonce_digest TEXT NOT NULL, body TEXT NOT NULL, expires_at_us INTEGER NOT NULL,"
        " created_at TEXT NOT NULL"
    ),
    "plan_answer": (
        "plan_hash TEXT NOT NULL, state TEXT NOT NULL CHECK (state IN ('approved', 'rejected', 'executed')),"
        " at TEXT NOT NULL"
    ),
    "enablement": "key_id TEXT NOT NULL, enabled INTEGER NOT NULL, at TEXT NOT NULL",
}
"""Each has a ``number`` before these, which counts its lines from 1."""

_NAMED_BY = {
    "meta": "format",
    "snapshot": "digest",
    "run": "run_id",
    "decision": "decision_id",
    "execution": "execution_id",
    "outcome": "execution",
    "plan": "plan_hash",
}
"""What no two lines of a table have in common."""


def _statements(table: str, columns: str) -> dict[str, str]:
    named = _NAMED_BY.get(table)
    double = "" if named is None else f" OR EXISTS (SELECT 1 FROM {table} WHERE {named} IS NEW.{named})"
    stop = "BEGIN SELECT RAISE(ABORT, 'a memory only grows'); END"
    made = {
        table: f"CREATE TABLE {table}(number INTEGER PRIMARY KEY, {columns}) STRICT",
        f"{table}_in_order": (
            f"CREATE TRIGGER {table}_in_order BEFORE INSERT ON {table}"
            f" WHEN NEW.number IS NOT (SELECT coalesce(max(number), 0) + 1 FROM {table}){double} {stop}"
        ),
        f"{table}_kept": f"CREATE TRIGGER {table}_kept BEFORE DELETE ON {table} {stop}",
        f"{table}_unchanged": f"CREATE TRIGGER {table}_unchanged BEFORE UPDATE ON {table} {stop}",
    }
    if named is not None:
        made[f"{table}_by_name"] = f"CREATE UNIQUE INDEX {table}_by_name ON {table}({named})"
    return made


SCHEMA: dict[str, str] = {
    name: sql for table, columns in _TABLES.items() for name, sql in _statements(table, columns).items()
} | {
    "execution_by_decision": "CREATE INDEX execution_by_decision ON execution(decision_id)",
    "plan_answer_by_plan": "CREATE INDEX plan_answer_by_plan ON plan_answer(plan_hash)",
    "enablement_by_key": "CREATE INDEX enablement_by_key ON enablement(key_id)",
}
"""Name and statement of everything that a memory's file consists of."""


def insert(table: str, columns: int) -> str:
    """The statement that adds one line of so many columns; the number comes by itself."""
    places = ", ".join("?" * columns)
    return f"INSERT INTO {table} SELECT coalesce(max(number), 0) + 1, {places} FROM {table} RETURNING number"


__all__ = ["FORMAT", "SCHEMA", "insert"]
