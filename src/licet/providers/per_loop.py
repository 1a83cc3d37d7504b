"""Connections belong to one event loop: a client that is used on another one is made anew."""

import asyncio
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class PerLoop(Generic[T]):
    """The client of the running loop. Only the latest loop's is kept; that of a loop that ended holds nothing open."""

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._loop: asyncio.AbstractEventLoop | None = None
        self._client: T | None = None

    def now(self) -> T:
        loop = asyncio.get_running_loop()
        if self._client is None or self._loop is not loop:
            self._client, self._loop = self._make(), loop
        return self._client

    def taken(self) -> T | None:
        """The client of this loop, for whoever closes it; None: there is none."""
        client, self._client = self._client, None
        return client if self._loop is asyncio.get_running_loop() else None


__all__ = ["PerLoop"]
