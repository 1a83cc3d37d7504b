"""What one transaction writes, and whoever waits for it."""

import sys
from collections.abc import Generator
from threading import Event, Lock
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from ..errors import LedgerUnavailableError

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop, Future

Item = TypeVar("Item")


class Batch(Generic[Item]):
    """Items in line that are committed together. Awaiting it ends when they are acknowledged.

    Every wait has a future of its own: one that is cancelled, or whose loop is closed, touches neither the entries nor
    the other waits. Once it is settled, a wait ends at once.

    Raises, in every wait, LedgerUnavailableError: the items were not acknowledged.
    """

    __slots__ = ("_event", "_futures", "items", "lock", "refusal", "settled", "size_bytes")

    def __init__(self, lock: Lock) -> None:
        self.lock = lock
        self.items: list[Item] = []
        self.size_bytes = 0
        self.settled = False
        self.refusal: str | None = None
        self._futures: dict[AbstractEventLoop, list[Future[None]]] = {}
        self._event: Event | None = None

    def __await__(self) -> Generator[Any, None, None]:
        loop = sys.modules["asyncio"].get_running_loop()  # whoever awaits has loaded it
        with self.lock:
            if not self.settled:
                future: Future[None] = loop.create_future()
                self._futures.setdefault(loop, []).append(future)
                return future.__await__()
        self._raise_if_refused()
        return _ended()

    def wait(self, timeout_s: float | None = None) -> None:
        """The same for a thread without a loop; at most ``timeout_s`` seconds, after which it is not acknowledged."""
        with self.lock:
            if not self.settled and self._event is None:
                self._event = Event()
            event = self._event
        if event is not None and not event.wait(timeout_s):
            raise LedgerUnavailableError(f"the ledger did not acknowledge the entry within {timeout_s:g} s")
        self._raise_if_refused()

    def settle(self, refusal: str | None = None) -> None:
        """End every wait: acknowledged, or refused with this reason."""
        with self.lock:
            self.settle_quietly(refusal)
            futures, self._futures = self._futures, {}
        if self._event is not None:
            self._event.set()
        for loop, waiting in futures.items():
            try:
                loop.call_soon_threadsafe(_end, waiting, refusal)
            except RuntimeError:  # the loop was closed: nobody waits any more
                continue

    def settle_quietly(self, refusal: str | None) -> None:
        """Settle without waking anybody: who came through a fork shares the loop's wires with its parent."""
        self.settled = True
        self.refusal = refusal
        self.items = []

    def _raise_if_refused(self) -> None:
        if self.refusal is not None:
            raise LedgerUnavailableError(self.refusal)


def _end(futures: list["Future[None]"], refusal: str | None) -> None:
    for future in futures:
        if future.done():
            continue
        if refusal is None:
            future.set_result(None)
        else:
            future.set_exception(LedgerUnavailableError(refusal))
            future.exception()  # who is cancelled just now never asks for it, and then asyncio would complain


def _ended() -> Generator[Any, None, None]:
    """A wait that ends at once."""
    return
    yield


__all__ = ["Batch"]
