"""Appends durable entries from several threads and says each call once it is acknowledged. To be killed.

``writes_until_killed.py PATH NAME [careless]``: ``careless`` acknowledges without a commit, which a test must notice.
"""

import os
import sys
import threading
from collections.abc import Sequence
from typing import Any

from licet.ledger import file
from licet.ledger.sqlite import SqliteLedger
from licet.ledger.table import Connection, Cursor
from licet.model.entry import Draft


class Careless:
    """Commits every seventh time only; the others look as if they had."""

    def __init__(self, inner: Connection) -> None:
        self._inner = inner
        self._open = False
        self._commits = 0

    def execute(self, sql: str, values: Sequence[Any] = (), /) -> Cursor:
        if sql == "BEGIN IMMEDIATE":
            if self._open:
                sql = "SELECT 1"
            self._open = True
        elif sql == "COMMIT":
            self._commits += 1
            if self._commits % 7:
                sql = "SELECT 1"
            else:
                self._open = False
        return self._inner.execute(sql, values)

    def close(self) -> None:
        self._inner.close()


def careless(uri: str) -> Connection:
    return Careless(file.connect(uri))


THREADS = 8


def write(ledger: SqliteLedger, name: str) -> None:
    number = 0
    while True:
        call = f"{name}.{number}".encode()
        receipt = ledger.append(Draft("run", "tool.requested", name, b'{"call":"%b"}' % call, b"{}"), durable=True)
        assert receipt is not None
        receipt.wait()
        os.write(1, call + b"\n")
        number += 1


def main(path: str, name: str, *how: str) -> None:
    ledger = SqliteLedger(path, connect=careless if how else file.connect)
    for thread in range(THREADS):
        threading.Thread(target=write, args=(ledger, f"{name}.{thread}")).start()


main(*sys.argv[1:])
