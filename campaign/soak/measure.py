"""What a process holds: memory over time, and descriptors, threads and children before and after."""

import ctypes
import gc
import os
import statistics
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, Self

EVERY_S = 0.5
WARM = 1 / 3
"""The share of the time that does not count: caches fill, and the allocator finds its size."""
WINDOW = 1 / 5
"""The share of the rest that is compared, at its beginning and at its end."""
PATIENCE_S = 10.0
"""How long threads that were told to go may take to go."""

_C = ctypes.CDLL(None)
_TRIM: Callable[[int], int] = getattr(_C, "malloc_trim", lambda _: 0)
_TUNE: Callable[[int, int], int] = getattr(_C, "mallopt", lambda *_: 0)
_MMAP_THRESHOLD, _ARENA_MAX = -3, -8
_PAGE = os.sysconf("SC_PAGE_SIZE")


def give_back() -> None:
    """Let the allocator give back at once what is freed, so that resident memory is what somebody holds."""
    _TUNE(_ARENA_MAX, 1)
    _TUNE(_MMAP_THRESHOLD, 128 << 10)


def memory() -> int:
    """Resident bytes, without what waits to be collected and what the allocator only keeps at hand."""
    gc.collect()
    _TRIM(0)
    return int(Path("/proc/self/statm").read_text().split()[1]) * _PAGE


class Held(NamedTuple):
    """Descriptors by what they lead to, threads by name, and the number of children."""

    descriptors: Counter[str]
    threads: Counter[str]
    children: int

    @classmethod
    def now(cls) -> Self:
        gc.collect()
        leads_to: Counter[str] = Counter()
        for descriptor in os.listdir("/proc/self/fd"):
            try:
                leads_to[os.readlink(f"/proc/self/fd/{descriptor}")] += 1
            except FileNotFoundError:
                continue  # the one that listed them
        threads = Counter(thread.name for thread in threading.enumerate())
        return cls(leads_to, threads, _children())


def _children() -> int:
    """The dead ones that nobody asked about included."""
    tasks = Path("/proc/self/task").iterdir()
    return sum(len((task / "children").read_text().split()) for task in tasks if (task / "children").exists())


def left_behind(before: Held, patience_s: float = PATIENCE_S) -> list[str]:
    """What is held now and was not before, once everybody had time to go."""
    until = time.monotonic() + patience_s
    while True:
        now = Held.now()
        kinds = (("descriptor", now.descriptors - before.descriptors), ("thread", now.threads - before.threads))
        left = [f"{count} {kind}s left: {name}" for kind, names in kinds for name, count in names.most_common(5)]
        if now.children > before.children:
            left.append(f"{now.children - before.children} processes left")
        if not left or time.monotonic() > until:
            return left
        time.sleep(EVERY_S)


class Memory:
    """Samples resident memory while it is entered."""

    def __init__(self) -> None:
        self.samples: list[tuple[float, int]] = []
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._sample, name="campaign-memory", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._over.set()
        self._thread.join()

    def _sample(self) -> None:
        while not self._over.wait(EVERY_S):
            self.samples.append((time.monotonic(), memory()))

    @property
    def growth(self) -> tuple[float, int, int]:
        """The share, and the median of the first and of the last window, in bytes."""
        counted = [size for _, size in self.samples[int(len(self.samples) * WARM) :]]
        window = max(1, int(len(counted) * WINDOW))
        first, last = (int(statistics.median(part)) for part in (counted[:window], counted[-window:]))
        return last / first - 1, first, last
