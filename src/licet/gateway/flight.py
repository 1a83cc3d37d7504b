"""One call of a client, over as many of its requests as it takes."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from ..model.context import PROGRESS
from ..ports import ApprovalRequest
from .asking import ASKER, question
from .news import News

if TYPE_CHECKING:
    from ..model.result import ToolResult
    from .surface import Session

Report = Callable[[float, float | None, str | None], Awaitable[None]]

Elicit = Callable[[str], Awaitable[bool]]
"""Shows a text to the client's user and brings back whether it was accepted."""


class Question(NamedTuple):
    """What has to be asked before the call goes on; ``call_id`` names the call."""

    call_id: str
    text: str


class Flight:
    """A call on its way through the corridor, in a task of its own: it outlives a request that ends with a question.

    ``elicit`` asks the client's user at once. Without it, a question is handed to whoever waits, and ``answer`` brings
    the word back with a later request.
    """

    def __init__(
        self,
        session: "Session",
        line: asyncio.Semaphore,
        name: str,
        arguments: Any,
        *,
        client: str,
        elicit: Elicit | None,
    ) -> None:
        self.session = session
        self.name = name
        self.arguments = arguments
        self.client = client
        self._line = line
        self._in_line = False
        self._elicit = elicit
        self._news = News()
        self._question: Question | None = None
        self._answer: asyncio.Future[bool] | None = None
        self.task = asyncio.create_task(self._walk())
        self.task.add_done_callback(lambda _: self._news.stir())

    async def outcome(self, report: Report) -> "ToolResult | Question":
        """The result, or what has to be asked first. Progress goes to ``report``, in order, and before the result.

        Whoever is cancelled here takes the call along.
        """
        try:
            while True:
                await self._news.come()
                for progress in self._news.reports():
                    await report(*progress)
                if self.task.done():
                    return self.task.result()
                if self._question is not None:
                    asked, self._question = self._question, None
                    return asked
        except BaseException:
            self.task.cancel()  # whoever waited is gone
            raise

    def is_of(self, name: str, arguments: Any) -> bool:
        """Whether a request speaks of this very call."""
        return name == self.name and bool(arguments == self.arguments)

    def answer(self, *, accepted: bool) -> None:
        """The word of the client's user."""
        if self._answer is not None and not self._answer.done():
            self._answer.set_result(accepted)
        self._news.stir()

    async def ask(self, request: ApprovalRequest, /) -> bool:
        """From the corridor, in this call's own task. While somebody thinks, others may pass."""
        text = question(request)
        self._leave_line()
        if self._elicit is not None:
            accepted = await self._elicit(text)
        else:
            self._question = Question(request.call_id, text)
            self._answer = asyncio.get_running_loop().create_future()
            self._news.stir()
            accepted = await self._answer
        await self._enter_line()
        return accepted

    async def _walk(self) -> "ToolResult":
        ASKER.set(self)
        PROGRESS.set(self._news.report)
        await self._enter_line()
        turns = self.session.turns
        turns.call_begins()
        try:
            return await self.session.run.call(self.session.meant(self.name), self.arguments)
        finally:
            turns.call_ends()
            self._leave_line()

    async def _enter_line(self) -> None:
        await self._line.acquire()
        self._in_line = True

    def _leave_line(self) -> None:
        if self._in_line:
            self._in_line = False
            self._line.release()


__all__ = ["Elicit", "Flight", "Question"]
