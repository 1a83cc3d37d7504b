"""Asks the person at the controlling terminal, never standard input; without a terminal the answer is no."""

import asyncio
import threading
from contextlib import suppress

from ..dialects.untrusted import escaped
from ..ports import ApprovalRequest
from .typed import typed_yes


class TerminalApprover:
    """Shows every argument, escaped, and takes only the word ``yes``."""

    def __init__(self, device: str = "/dev/tty", *, name: str = "terminal") -> None:
        self.name = name
        self._device = device
        self._one_at_a_time = threading.Lock()

    async def approve(self, request: ApprovalRequest, /) -> bool:
        """Waits on a thread of its own, so that the loop goes on and an unanswered question never holds exit."""
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[bool] = loop.create_future()

        def settle(said: bool) -> None:
            if not answer.done():
                answer.set_result(said)

        def ask() -> None:
            said = self._ask(request)
            with suppress(RuntimeError):  # the loop is closed: nobody waits any more
                loop.call_soon_threadsafe(settle, said)

        threading.Thread(target=ask, name="licet-terminal", daemon=True).start()
        return await answer

    def _ask(self, request: ApprovalRequest) -> bool:
        with self._one_at_a_time:
            return typed_yes(question(request), self._device) is True


def question(request: ApprovalRequest) -> str:
    """What the person reads: all of it, and nothing that acts on a terminal."""
    return (
        f"\nlicet: {escaped(request.principal)} asks to run {escaped(request.tool)} ({request.mode})\n"
        f"  why it asks: {escaped('; '.join(request.reasons))}\n"
        f"  it is:       {escaped(request.description)}\n"
        f"  definition:  {request.pin}\n"
        f"  arguments:   {escaped(request.arguments)}\n"
        f"Type yes to run exactly this, anything else to refuse: "
    )
