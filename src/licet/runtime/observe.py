"""Observers see each closed entry, off the call path, on a thread of their own."""

import threading
from queue import SimpleQueue

from ..model.entry import Draft
from ..ports import Observer


class Observers:
    """What an observer raises is logged and changes nothing."""

    def __init__(self, observers: tuple[Observer, ...]) -> None:
        self._observers = observers
        self._queue: SimpleQueue[Draft | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._serve, name="licet-observers", daemon=True)
        self._thread.start()

    def see(self, draft: Draft) -> None:
        self._queue.put(draft)

    def close(self) -> None:
        """Wait until everything was seen."""
        self._queue.put(None)
        if threading.current_thread() is not self._thread:
            self._thread.join()

    def _serve(self) -> None:
        while (draft := self._queue.get()) is not None:
            for observer in self._observers:
                try:
                    observer(draft)
                except BaseException:  # whatever it is, it ends no thread of ours
                    import logging

                    kind = type(observer).__name__
                    logging.getLogger("licet.observe").exception("an observer, a %s, raised", kind)
