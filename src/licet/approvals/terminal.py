"""Asks the person at the controlling terminal, never standard input; without a terminal the answer is no."""

import asyncio
import os
import termios
import threading
from contextlib import suppress

from ..dialects.untrusted import escaped
from ..ports import ApprovalRequest


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
        try:
            terminal = os.open(self._device, os.O_RDWR | os.O_NOCTTY)
        except OSError:
            return False
        try:
            with self._one_at_a_time, os.fdopen(terminal, "r+b", buffering=0) as tty:
                if not tty.isatty():
                    return False
                termios.tcflush(tty, termios.TCIFLUSH)  # what was typed before is no answer to this
                left = memoryview(question(request).encode())
                while left:  # all of it, or there is no answer: a terminal may take less than it is given
                    left = left[tty.write(left) or 0 :]
                return tty.readline(64).strip() == b"yes"
        except (OSError, termios.error):
            return False


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
