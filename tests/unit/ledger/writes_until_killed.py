"""Appends durable entries from several threads and says each call once it is acknowledged. To be killed.

``writes_until_killed.py PATH NAME [careless]``: ``careless`` acknowledges without a commit, which a test must notice.
"""

import os
import sys
import threading

from campaign.lying import Careless, lying

from licet.ledger import file
from licet.ledger.sqlite import SqliteLedger
from licet.model.entry import Draft

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
    ledger = SqliteLedger(path, connect=lying(Careless, file.connect) if how else None)
    for thread in range(THREADS):
        threading.Thread(target=write, args=(ledger, f"{name}.{thread}")).start()


main(*sys.argv[1:])
