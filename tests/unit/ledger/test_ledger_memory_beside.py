"""An entry in memory that cannot be hashed takes nothing of what stood beside it."""

import pytest

from chained import requested
from licet.errors import LedgerUnavailableError
from licet.ledger.memory import MemoryLedger


@pytest.mark.parametrize("before", [0, 1, 3])
@pytest.mark.parametrize("after", [0, 1, 2])
def test_what_stood_beside_an_entry_without_a_place_keeps_its_own(before: int, after: int) -> None:
    ledger = MemoryLedger()
    for number in range(before):
        ledger.append(requested(f"before-{number}"), durable=False)
    ledger.append(requested("bad")._replace(run_id="run-\ud800"), durable=False)
    for number in range(after):
        ledger.append(requested(f"after-{number}"), durable=False)
    with pytest.raises(LedgerUnavailableError, match="UTF-8"):
        ledger.flush()
    assert len(list(ledger.entries())) == before + after
    with pytest.raises(LedgerUnavailableError, match="closed"):
        ledger.append(requested("later"), durable=False)
