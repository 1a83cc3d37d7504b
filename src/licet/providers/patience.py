"""How often and how long a provider is asked again. Its SDK's own attempts are switched off: these are all."""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from typing import NamedTuple, TypeVar

from ..errors import LicetError, ProviderError
from .failure import Failure

T = TypeVar("T")

_JITTER = 0.25


class Patience(NamedTuple):
    """Bounds on one answer: ``attempts`` in all, and ``total_s`` seconds from the first until the last one begins.

    Between two of them passes what the provider asks for, else ``first_s`` doubled each time up to ``longest_s``, less
    a quarter of chance. ``now_s`` never goes back.
    """

    attempts: int = 10
    total_s: float = 60.0
    first_s: float = 0.5
    longest_s: float = 8.0
    now_s: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep
    chance: Callable[[], float] = random.random

    async def ask(self, name: str, once: Callable[[], Awaitable[T]], failure: Callable[[Exception], Failure]) -> T:
        """The first whole answer.

        Raises:
            ProviderError: there was none, or asking again makes no sense. It holds nothing of what the SDK raised.
        """
        began, attempt = self.now_s(), 1
        while True:
            try:
                return await once()
            except LicetError:
                raise
            except Exception as exc:
                failed = failure(exc)
            # Out of the except block: what an SDK raises holds its request, and with it the key.
            wait = self._wait_s(failed, attempt, self.now_s() - began)
            if wait is None:
                tried = "" if attempt == 1 else f", the last of {attempt} attempts"
                raise ProviderError(f"{name} gave no answer{tried}: {failed.told}", reason=failed.reason)
            await self.sleep(wait)
            attempt += 1

    def _wait_s(self, failed: Failure, attempt: int, passed_s: float) -> float | None:
        most = self.attempts if failed.attempts is None else min(self.attempts, failed.attempts)
        if not failed.again or attempt >= most:
            return None
        wait = failed.after_s
        if wait is None:
            wait = min(self.first_s * 2.0 ** min(attempt - 1, 30), self.longest_s) * (1 - _JITTER * self.chance())
        return wait if passed_s + wait <= self.total_s else None


__all__ = ["Patience"]
