"""What nobody waits for gathers; who waits is not kept. The pause is an hour here, so that only haste ends it."""

import threading
from collections.abc import Iterator

import pytest

from licet.ledger import committer
from licet.ledger.committer import Committer


class Written:
    """What a committer wrote, batch by batch."""

    def __init__(self) -> None:
        self.batches: list[list[int]] = []

    def __call__(self, items: list[int]) -> None:
        self.batches.append(list(items))


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> Written:
    monkeypatch.setattr(committer, "GATHER_S", 3600.0)
    return Written()


@pytest.fixture
def line(written: Written) -> Iterator[Committer[int, list[int]]]:
    made = Committer(list, written, "a line of a test")
    yield made
    made.close("the test is over")


def test_items_that_nobody_waits_for_are_written_together(line: Committer[int, list[int]], written: Written) -> None:
    assert [line.put(number, 1, wait=False) for number in range(100)] == [None] * 100
    assert written.batches == []
    line.flush()
    assert written.batches == [list(range(100))]


def test_who_waits_takes_along_what_gathered(line: Committer[int, list[int]], written: Written) -> None:
    line.put(1, 1, wait=False)
    receipt = line.put(2, 1, wait=True)
    assert receipt is not None
    receipt.wait(30)
    assert written.batches == [[1, 2]]


def test_gathering_begins_again_after_somebody_waited(line: Committer[int, list[int]], written: Written) -> None:
    receipt = line.put(1, 1, wait=True)
    assert receipt is not None
    receipt.wait(30)
    line.put(2, 1, wait=False)
    line.put(3, 1, wait=False)
    assert written.batches == [[1]]
    line.flush()
    assert written.batches == [[1], [2, 3]]


def test_a_full_batch_is_not_kept(
    line: Committer[int, list[int]], written: Written, monkeypatch: pytest.MonkeyPatch
) -> None:
    came = threading.Event()
    monkeypatch.setattr(line, "_write", lambda items: (written(items), came.set()))
    for number in range(committer.BATCH_ITEMS):
        line.put(number, 1, wait=False)
    assert came.wait(30)
    assert sum(map(len, written.batches)) == committer.BATCH_ITEMS


def test_closing_writes_what_gathered(written: Written) -> None:
    line: Committer[int, list[int]] = Committer(list, written, "a line of a test")
    line.put(1, 1, wait=False)
    line.close("closed")
    assert written.batches == [[1]]
