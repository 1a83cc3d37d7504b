"""usage: python -m campaign.soak.check LEDGER: whether the chain is whole and every call has one end, as JSON.

A process of its own: what it needs to know of a million calls is no growth of the process under load.
"""

import json
import sqlite3
import sys
from contextlib import closing
from typing import Any

from licet.ledger.call import CLOSES
from licet.ledger.verify import verify_file


def checked(path: str) -> dict[str, Any]:
    """``problems`` must not be; ``ends`` counts the ends of calls, ``replayed`` the answers from the ledger."""
    verified = verify_file(path)
    problems = [] if verified.ok else [f"entry {verified.seq}: {verified.problem}"]
    problems += [f"the call {call} has no end" for call in verified.unknown[:5]]
    kinds = ", ".join(f"'{kind}'" for kind in sorted(CLOSES))
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        several = f"SELECT call, count(*) FROM entry WHERE kind IN ({kinds}) GROUP BY call HAVING count(*) > 1 LIMIT 5"
        problems += [f"the call {call} has {count} ends" for call, count in connection.execute(several)]
        (ends,) = connection.execute(f"SELECT count(*) FROM entry WHERE kind IN ({kinds})").fetchone()
        (replayed,) = connection.execute("SELECT count(*) FROM entry WHERE kind = 'tool.replayed'").fetchone()
    return {"problems": problems, "entries": verified.count, "ends": ends, "replayed": replayed}


if __name__ == "__main__":
    json.dump(checked(sys.argv[1]), sys.stdout)
