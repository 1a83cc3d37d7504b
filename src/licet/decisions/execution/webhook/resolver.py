"""The resolver of the machine, with a bound: it knows none of its own."""

import socket
from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as LateError

_THREADS = 8


class Resolver:
    """Asks ``getaddrinfo`` in threads of its own. A name that takes longer has no address now."""

    def __init__(self, patience_s: float) -> None:
        self._patience_s = patience_s
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="licet names")

    def __call__(self, host: str, port: int) -> Collection[str]:
        """Raises OSError: there is none, or none in time."""
        asked = self._threads.submit(socket.getaddrinfo, host, port, 0, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        try:
            found = asked.result(self._patience_s)
        except LateError:
            asked.cancel()
            raise OSError("no answer in time") from None
        return [str(sockaddr[0]) for *_, sockaddr in found]

    def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)


__all__ = ["Resolver"]
