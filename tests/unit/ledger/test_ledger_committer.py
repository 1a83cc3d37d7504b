"""The committer's thread: a batch that is announced twice, and what stands in line behind one that fails."""

from threading import Event

import pytest

from licet.errors import LedgerUnavailableError
from licet.ledger.committer import Committer

PATIENCE_S = 20.0


def test_a_batch_that_was_announced_twice_is_written_once_and_the_next_one_too() -> None:
    written: list[list[str]] = []
    committer: Committer[str] = Committer(lambda items: written.append(list(items)), "twice")
    committer._queue.put(committer._line)  # as an interrupt between announcing and filling leaves it
    for item in ("one", "two", "three"):
        line = committer.put(item, 1, wait=True)
        assert line is not None
        line.wait(PATIENCE_S)
    committer.close("closed")
    assert [item for batch in written for item in batch] == ["one", "two", "three"]


def test_what_stands_in_line_behind_a_batch_that_fails_is_refused_with_it() -> None:
    reached, go = Event(), Event()

    def fail(items: list[str]) -> None:
        reached.set()
        assert go.wait(PATIENCE_S)
        raise OSError("the disk is gone")

    committer: Committer[str] = Committer(fail, "failing")
    first = committer.put("first", 1, wait=True)
    assert reached.wait(PATIENCE_S)
    second = committer.put("second", 1, wait=True)
    go.set()
    for line in (first, second):
        assert line is not None
        with pytest.raises(LedgerUnavailableError, match="the disk is gone"):
            line.wait(PATIENCE_S)
    with pytest.raises(LedgerUnavailableError, match="the disk is gone"):
        committer.put("third", 1, wait=False)
