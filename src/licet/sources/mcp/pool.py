"""The connections to one server: as many as are asked on at once, and some that are kept for what comes next."""

import asyncio
import contextlib
from collections.abc import Mapping
from typing import Any

from .wire import Wire

MOST = 100
"""At once; whoever comes later waits for one."""
KEPT = 32
"""Of those that nobody asks on."""
KEPT_S = 4.0
"""So long after a request one takes another: servers commonly close theirs five seconds after they answered."""
_NEXT_ADDRESS_S = 0.25
"""Until the next address of a host is tried beside the first, on asyncio's own loop; others know no such thing."""

Patience = Mapping[str, float | None]
"""Seconds to ``connect``, ``read``, ``write`` and for the ``pool``. None: whoever asks ends it."""


class Pool:
    """For the loop on which it is used first."""

    def __init__(self, host: str, port: int) -> None:
        self._host = host
        self._port = port
        self._places = asyncio.Semaphore(MOST)
        self._free: dict[Wire, float] = {}
        """When each was taken; the one given back last is the last."""
        self._taken: dict[Wire, float] = {}

    async def take(self, patience: Patience) -> Wire:
        """One that is free, or a new one. Give it back.

        Raises:
            httpx2.TransportError: there is none. Nothing was sent.
        """
        if self._places.locked():
            await self._place(patience.get("pool"))
        else:
            await self._places.acquire()  # at once
        try:
            wire = self._kept() or await self._new(patience.get("connect"))
        except BaseException:
            self._places.release()
            raise
        self._taken[wire] = asyncio.get_running_loop().time()
        return wire

    def give(self, wire: Wire) -> None:
        """Kept if it was read to its end, and closed if not."""
        taken = self._taken.pop(wire)
        self._places.release()
        if wire.release():
            self._free[wire] = taken
            if len(self._free) > KEPT:
                next(iter(self._free)).close()

    async def close(self) -> None:
        """All of them, and what they held is given back."""
        wires = [*self._free, *self._taken]
        for wire in wires:
            wire.close()
        if wires:
            await asyncio.wait([wire.ended for wire in wires])

    def _kept(self) -> Wire | None:
        since = asyncio.get_running_loop().time() - KEPT_S
        while self._free:
            wire, taken = self._free.popitem()
            if taken >= since and wire.is_free:
                return wire
            wire.close()
        return None

    async def _place(self, within_s: float | None) -> None:
        import httpx2

        try:
            async with asyncio.timeout(within_s):
                await self._places.acquire()
        except TimeoutError:
            raise httpx2.PoolTimeout(f"{MOST} are under way") from None

    async def _new(self, within_s: float | None) -> Wire:
        import httpx2

        loop = asyncio.get_running_loop()
        eager: dict[str, Any] = {}
        if isinstance(loop, asyncio.BaseEventLoop):
            eager["happy_eyeballs_delay"] = _NEXT_ADDRESS_S
        try:
            async with asyncio.timeout(within_s):
                wire: Wire
                _, wire = await loop.create_connection(lambda: Wire(self._gone), self._host, self._port, **eager)
        except TimeoutError:
            raise httpx2.ConnectTimeout("nobody answers") from None
        except OSError as exc:
            raise httpx2.ConnectError(str(exc)) from None
        return wire

    def _gone(self, wire: Wire) -> None:
        with contextlib.suppress(KeyError):
            del self._free[wire]
