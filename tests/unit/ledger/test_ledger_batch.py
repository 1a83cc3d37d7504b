"""One transaction's items, and everybody who waits for them."""

import asyncio
import threading
from threading import Lock
from typing import Any

import pytest

from licet.errors import LedgerUnavailableError
from licet.ledger.batch import Batch
from licet.ledger.beside import blobs_of, files_of


async def waits_for(batch: Batch[Any]) -> None:
    await batch


def test_a_new_batch_holds_nothing_and_a_settled_one_lets_go_of_all() -> None:
    batch: Batch[str] = Batch(Lock())
    assert (batch.items, batch.size_bytes, batch.settled, batch.refusal) == ([], 0, False, None)
    batch.items += ["a", "b"]
    batch.settle()
    assert (batch.items, batch.settled, batch.refusal) == ([], True, None)
    batch.wait()
    asyncio.run(waits_for(batch))


def test_a_loop_that_was_closed_keeps_nobody_on_another_loop_waiting() -> None:
    batch: Batch[str] = Batch(Lock())
    closed = asyncio.new_event_loop()
    left = closed.create_task(waits_for(batch))
    closed.run_until_complete(asyncio.sleep(0))
    ended = threading.Event()

    async def waiting(entered: threading.Event) -> None:
        asking = asyncio.ensure_future(waits_for(batch))
        await asyncio.sleep(0)
        entered.set()
        await asking

    def elsewhere(entered: threading.Event) -> None:
        asyncio.run(waiting(entered))
        ended.set()

    entered = threading.Event()
    thread = threading.Thread(target=elsewhere, args=(entered,))
    thread.start()
    entered.wait()
    left.cancel()
    with pytest.raises(asyncio.CancelledError):
        closed.run_until_complete(left)
    closed.close()
    batch.settle()
    thread.join()
    assert ended.is_set()


async def test_a_wait_that_was_cancelled_takes_nothing_from_the_others() -> None:
    batch: Batch[str] = Batch(Lock())
    one, other = (asyncio.ensure_future(waits_for(batch)) for _ in range(2))
    await asyncio.sleep(0)
    one.cancel()
    batch.settle()
    await other
    with pytest.raises(asyncio.CancelledError):
        await one


async def test_a_refusal_reaches_every_wait_on_loops_and_threads_early_and_late() -> None:
    batch: Batch[str] = Batch(Lock())
    early = asyncio.ensure_future(waits_for(batch))
    blocked = asyncio.ensure_future(asyncio.to_thread(batch.wait, 20.0))
    while batch._event is None:  # noqa: ASYNC110 - a thread sets it
        await asyncio.sleep(0)
    batch.settle("the disk is full")
    for waiting in (early, blocked, asyncio.ensure_future(waits_for(batch)), asyncio.to_thread(batch.wait)):
        with pytest.raises(LedgerUnavailableError, match="the disk is full"):
            await waiting


def test_a_thread_waits_no_longer_than_it_was_told() -> None:
    batch: Batch[str] = Batch(Lock())
    with pytest.raises(LedgerUnavailableError, match=r"did not acknowledge the entry within 0\.01 s"):
        batch.wait(0.01)
    batch.settle()
    batch.wait(0.01)


def test_what_lies_beside_a_ledger_is_all_that_it_owns() -> None:
    assert blobs_of("/a/b.licet") == "/a/b.licet.blobs"
    ends = ("", "-wal", "-shm", "-journal", ".lock", ".blobs")
    assert files_of("/a/b.licet") == tuple(f"/a/b.licet{end}" for end in ends)
