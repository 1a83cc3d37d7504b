"""The committer's thread: who is told when, a batch that is announced twice, and what stands behind one that fails."""

from collections.abc import Callable
from threading import Event

import pytest

from licet.errors import LedgerUnavailableError
from licet.ledger import committer
from licet.ledger.batch import Batch
from licet.ledger.committer import BATCH_ITEMS, Committer

PATIENCE_S = 20.0

Line = Committer[int, list[int]]


class Steps:
    """What a committer does, in order; each batch is written when the test lets it go."""

    def __init__(self) -> None:
        self.told: list[tuple[str, int]] = []
        self.reached, self.go = Event(), Event()
        self.watched: dict[int, Batch[int]] = {}

    def prepare(self, items: list[int]) -> list[int]:
        self.told.append(("prepared", items[0]))
        return list(items)

    def write(self, items: list[int]) -> None:
        self.told += [("acknowledged", first) for first, batch in self.watched.items() if batch.settled]
        self.reached.set()
        assert self.go.wait(PATIENCE_S)
        self.told.append(("written", items[0]))


def waited(line: Line, item: int) -> Batch[int]:
    batch = line.put(item, 1, wait=True)
    assert batch is not None
    return batch


def test_who_waited_for_a_batch_is_told_when_the_next_is_prepared_and_goes_on_while_it_is_written() -> None:
    steps = Steps()
    line: Line = Committer(steps.prepare, steps.write, "a line of a test")
    steps.watched[0] = waited(line, 0)
    assert steps.reached.wait(PATIENCE_S)
    last = [waited(line, item) for item in range(1, 2 * BATCH_ITEMS)][-1]
    steps.go.set()
    last.wait(PATIENCE_S)
    line.close("closed")
    assert steps.told == [
        ("prepared", 0),
        ("written", 0),
        ("prepared", 1),
        ("acknowledged", 0),
        ("written", 1),
        ("prepared", 1 + BATCH_ITEMS),
        ("acknowledged", 0),
        ("written", 1 + BATCH_ITEMS),
    ]


def test_who_waited_for_a_batch_does_not_wait_for_what_gathers_behind_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(committer, "GATHER_S", 3600.0)
    steps = Steps()
    line: Line = Committer(steps.prepare, steps.write, "a line of a test")
    first = waited(line, 0)
    assert steps.reached.wait(PATIENCE_S)
    assert line.put(1, 1, wait=False) is None
    steps.go.set()
    first.wait(PATIENCE_S)
    assert steps.told == [("prepared", 0), ("written", 0)]
    line.close("closed")
    assert steps.told[2:] == [("prepared", 1), ("written", 1)]


def test_a_batch_takes_no_more_than_it_may_and_nothing_gets_lost_between_two() -> None:
    written: list[list[int]] = []
    line: Line = Committer(list, written.append, "a line of a test")
    for item in range(5 * BATCH_ITEMS + 7):
        line.put(item, 1, wait=False)
    line.flush()
    assert [item for batch in written for item in batch] == list(range(5 * BATCH_ITEMS + 7))
    assert max(map(len, written)) <= BATCH_ITEMS
    line.close("closed")


@pytest.mark.parametrize("is_begun", [True, False])
@pytest.mark.parametrize("is_announced", [True, False])
def test_a_batch_that_an_interrupt_left_empty_is_filled_by_the_next_and_waited_for_by_nobody(
    is_begun: bool, is_announced: bool
) -> None:
    written: list[list[int]] = []
    line: Line = Committer(list, written.append, "a line of a test")
    if is_begun:
        line._line.append(Batch(line._lock))
    if is_announced:
        line._announced.put(True)
    line.flush()
    for item in range(3):
        waited(line, item).wait(PATIENCE_S)
    line.close("closed")
    assert written == [[0], [1], [2]]


def fails_to_prepare(fail: Callable[[list[int]], None]) -> Line:
    return Committer(fail, lambda ready: None, "failing")  # type: ignore[arg-type]


def fails_to_write(fail: Callable[[list[int]], None]) -> Line:
    return Committer(list, fail, "failing")


@pytest.mark.parametrize("failing", [fails_to_prepare, fails_to_write])
def test_what_stands_in_line_behind_a_batch_that_fails_is_refused_with_it(
    failing: Callable[[Callable[[list[int]], None]], Line],
) -> None:
    reached, go = Event(), Event()

    def fail(items: list[int]) -> None:
        if items[0] == 0:
            return
        reached.set()
        assert go.wait(PATIENCE_S)
        raise OSError("the disk is gone")

    line = failing(fail)
    waited(line, 0).wait(PATIENCE_S)
    refused = [waited(line, 1)]
    assert reached.wait(PATIENCE_S)
    refused += [waited(line, item) for item in range(2, 2 * BATCH_ITEMS)]
    go.set()
    for batch in refused:
        with pytest.raises(LedgerUnavailableError, match="the disk is gone"):
            batch.wait(PATIENCE_S)
    with pytest.raises(LedgerUnavailableError, match="the disk is gone"):
        line.put(9, 1, wait=False)


def test_what_was_written_is_acknowledged_although_the_next_batch_cannot_be_prepared() -> None:
    reached, go = Event(), Event()

    def prepare(items: list[int]) -> list[int]:
        if items[0] != 0:
            raise OSError("the file was replaced")
        return items

    def write(items: list[int]) -> None:
        reached.set()
        assert go.wait(PATIENCE_S)

    line: Line = Committer(prepare, write, "a line of a test")
    first = waited(line, 0)
    assert reached.wait(PATIENCE_S)
    second = waited(line, 1)
    go.set()
    first.wait(PATIENCE_S)
    with pytest.raises(LedgerUnavailableError, match="the file was replaced"):
        second.wait(PATIENCE_S)
