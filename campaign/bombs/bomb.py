"""What a bomb is, and what it may do."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, NamedTuple

TIME_S = 0.1
STALL_S = 0.05
GROWTH_BYTES = 64 * 1024 * 1024
REFUSAL_S = 1.0
"""A refusal may come later than an answer, but nobody waits for it."""

PATIENCE_S = 10.0
"""After so long it hangs."""

DONE, REFUSED = "done", "refused"


class Place(NamedTuple):
    """Where a bomb goes off: an empty project, a web server that counts who comes, a pipe that nobody writes to."""

    project: Path
    url: str
    pipe: Path


class Fuse(NamedTuple):
    """What was made ready: ``first`` happens on the caller's thread, then ``call`` on a loop that is watched.

    What either gives is a ToolResult, or nothing. A LicetError is a refusal, and so is a failed result. The block of a
    result is read at the end, as whoever shows it to a model does.
    """

    first: Callable[[], Any] | None = None
    call: Callable[[], Awaitable[Any]] | None = None


Lay = Callable[[Place], Fuse]


class Bomb(NamedTuple):
    """``expects`` are the outcomes that are right; ``lay`` makes everything ready, and is not measured."""

    kind: str
    name: str
    lay: Lay
    expects: tuple[str, ...] = (DONE,)


class Seen(NamedTuple):
    """What one bomb did. ``outcome`` is ``done``, ``refused`` with its code, or what it should not be."""

    outcome: str
    seconds: float = 0.0
    stall_s: float = 0.0
    growth_bytes: int = 0
    fetches: tuple[str, ...] = ()

    def problems(self, expects: tuple[str, ...]) -> list[str]:
        """All that it may not do."""
        word, _, told = self.outcome.partition(" ")
        found = [f"fetched {fetch}" for fetch in self.fetches]
        if word not in expects:
            found.append(f"was to be {' or '.join(expects)}, and {self.outcome}")
        if word == DONE and self.seconds > TIME_S:
            found.append(f"took {self.seconds * 1000:.0f} ms")
        if word == REFUSED and (self.seconds > REFUSAL_S or not told):
            found.append(f"was refused after {self.seconds * 1000:.0f} ms, with the code {told!r}")
        if self.stall_s > STALL_S:
            found.append(f"held up the loop for {self.stall_s * 1000:.0f} ms")
        if self.growth_bytes > GROWTH_BYTES:
            found.append(f"took {self.growth_bytes / 1e6:.0f} MB")
        return found

    def better(self, other: "Seen") -> "Seen":
        """The best of two tries: a busy machine makes one look worse than it is, and none look better."""
        if other.outcome.partition(" ")[0] not in (DONE, REFUSED):
            return other
        return self._replace(
            seconds=min(self.seconds, other.seconds),
            stall_s=min(self.stall_s, other.stall_s),
            growth_bytes=min(self.growth_bytes, other.growth_bytes),
            fetches=tuple(dict.fromkeys((*self.fetches, *other.fetches))),
        )
