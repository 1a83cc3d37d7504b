"""The loop itself: the model is asked, its calls walk the corridor, it reads what came back."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import Literal

from ...errors import ConfigurationError, LedgerUnavailableError, ProviderError
from ...model.call import Request
from ...model.result import ToolResult
from ...model.said import Usage
from ...model.tool import Offered
from ...ports import Message, Model
from ...runtime.run import Run
from .call_id import call_id_of
from .outcome import Drive, Outcome, Stop
from .record import Record
from .spending import Spending
from .unanswered import beyond_the_cap, not_started, rest

CALLS_PER_TURN = 256
"""Of one answer; every further one is answered, and not even looked at."""

_WHY_NOT = {
    "length": "the answer was cut at its limit, so none of its calls was started",
    "refused": "the model or its provider declined, so none of its calls was started",
    "hosted": "something was run that was not offered, so none of these calls was started",
}


async def loop(
    model: Model,
    run: Run,
    tools: Sequence[Offered],
    task: str | None,
    *,
    max_turns: int = 64,
    calls_per_turn: int = CALLS_PER_TURN,
    refusals_per_turn: int = 100,
    drive: Drive | None = None,
    before: Sequence[Message] = (),
    keep: list[Message] | None = None,
    spending: Spending | None = None,
    record: Record | None = None,
    progress: Callable[[int, ToolResult], None] | None = None,
) -> Outcome:
    """Let the model work on a task. Only ``Message.calls`` are calls: text that looks like one starts nothing.

    A model's own call ids are kept apart from the ledger's: the same id twice in an answer is the same call, and is
    answered from its record or refused; in another answer it is another call. A turn with more than
    ``refusals_per_turn`` refusals ends the loop; of one with more than ``calls_per_turn`` calls the others are answered
    without being looked at. With ``drive`` the commands of a turn are applied at its end, and a question to somebody
    pauses the loop; ``before`` is what was said until then. If that ends with calls, they are made first; without a
    ``task`` nothing is added to it.

    ``keep`` is filled with the conversation as it goes: whatever is raised, cancellation included, each call in it is
    answered. ``spending`` bounds what is used, ``record`` puts it on the ledger.

    Raises:
        ConfigurationError: ``max_turns`` or ``calls_per_turn`` is below 1.
        ProviderError: the model gave no answer.
        AnswerError: what it gave is none.
        LedgerUnavailableError: no ledger, no work.
    """
    if max_turns < 1 or calls_per_turn < 1:
        raise ConfigurationError(f"max_turns and calls_per_turn are at least 1, not {max_turns} and {calls_per_turn}")
    conversation = [] if keep is None else keep
    conversation += before
    told = [] if task is None else [Message("user", task)]
    conversation += told
    going = _Loop(model, run, tools, conversation, calls_per_turn, drive, spending, record, progress)
    if record is None:
        return going.outcome(await going.turns(max_turns, refusals_per_turn))
    ended = "failed"
    try:
        known = record.goes_on or any(message.role == "assistant" for message in before)
        await record.begun(model, told if known else [*before, *told], tools)
        stop = await going.turns(max_turns, refusals_per_turn)
        ended = stop
    except asyncio.CancelledError:
        ended = "cancelled"
        raise
    finally:
        with suppress(LedgerUnavailableError):  # what is raised already says so
            await record.ended(ended, turns=going.turn, calls=going.calls)
    return going.outcome(stop)


class _Loop:
    """One loop under way."""

    __slots__ = (
        "calls", "calls_per_turn", "conversation", "drive", "failed", "model", "progress", "record", "refused", "run",
        "spending", "text", "tools", "turn",
    )  # fmt: skip

    def __init__(
        self,
        model: Model,
        run: Run,
        tools: Sequence[Offered],
        conversation: list[Message],
        calls_per_turn: int,
        drive: Drive | None,
        spending: Spending | None,
        record: Record | None,
        progress: Callable[[int, ToolResult], None] | None,
    ) -> None:
        self.model = model
        self.run = run
        self.tools = tools
        self.conversation = conversation
        self.calls_per_turn = calls_per_turn
        self.drive = drive
        self.spending = spending
        self.record = record
        self.progress = progress
        self.turn = self.calls = self.refused = self.failed = 0
        self.text = ""

    def outcome(self, stop: Stop) -> Outcome:
        spending = self.spending
        counts = (self.turn, self.calls, self.refused, self.failed, tuple(self.conversation))
        if spending is None:
            return Outcome(self.text, stop, *counts)
        return Outcome(self.text, stop, *counts, spending.usage, spending.money)

    async def turns(self, max_turns: int, refusals_per_turn: int) -> Stop:
        """Turn after turn; why there is no further one."""
        for _ in range(max_turns):
            said = await self._ask()
            if not isinstance(said, Message):
                return said
            stop = await self._act(said, refusals_per_turn)
            if stop is not None:
                return stop
        return "max_turns"

    async def _ask(self) -> Message | Stop:
        """What the model says next, as an assistant's message; or the bound that is used up."""
        conversation, spending = self.conversation, self.spending
        if spending is not None:
            used_up = spending.reserve(self.model, conversation, self.tools)
            if used_up is not None:
                return used_up
        if self.record is not None:
            await self.record.asked(_unseen(conversation))
        if spending is None:
            said = await self.model.respond(conversation, self.tools)
        else:
            try:
                async with asyncio.timeout(spending.left_s) as scope:
                    said = await self.model.respond(conversation, self.tools)
            except BaseException as exc:
                spending.release(Usage(*exc.tokens) if isinstance(exc, ProviderError) else Usage())
                if isinstance(exc, TimeoutError) and scope.expired():
                    return "max_seconds"
                raise
        if said.role != "assistant" or said.results:
            said = said._replace(role="assistant", results=())
        conversation.append(said)
        self.text = said.text
        if spending is not None:
            spending.settle(said, conversation)
        return said

    async def _act(self, said: Message, refusals_per_turn: int) -> Stop | None:
        """Answer the calls of a message. Whatever is raised meanwhile, each has its result in the conversation."""
        run = self.run
        run.answers += 1
        requests = [self._own(request, run.answers) for request in said.calls]
        results: list[ToolResult | None] = [None] * len(requests)
        begun: set[int] = set()
        try:
            stop = await self._unfit(said, requests)
            if stop is not None or not requests:
                if stop is not None and requests:
                    self._answer([not_started(run, request, _WHY_NOT[stop]) for request in requests])
                return stop or (None if said.ended == "paused" else "done")
            self.turn += 1
            async with run.turn() as turn:
                answers = await self._made(requests, results, begun)
            if self.drive is not None:
                self.drive.apply(answers)
                answers = list(self.drive.corrected(answers))
        except BaseException as exc:
            if requests:
                self._answer(rest(run, requests, results, begun, "the run was ended before this call was started"))
            if isinstance(exc, _TimeIsUp):
                return "max_seconds"
            raise
        self._answer(answers)
        if self.progress is not None:
            for number, result in enumerate(answers, self.calls - len(answers) + 1):
                self.progress(number, result)
        if turn.refusals >= refusals_per_turn:
            return "refusals"
        return "input_required" if self.drive is not None and self.drive.waits_for is not None else None

    async def _unfit(self, said: Message, requests: list[Request]) -> "Literal['hosted', 'length', 'refused'] | None":
        """Why nothing of a message is acted on. What its provider ran itself is put on the ledger first."""
        if self.record is not None:
            await self.record.answered(said, requests)
        if said.hosted and not all([await self.run.hosted(item) for item in said.hosted]):
            return "hosted"
        return said.ended if said.ended == "length" or said.ended == "refused" else None

    async def _made(
        self, requests: list[Request], results: list[ToolResult | None], begun: set[int]
    ) -> list[ToolResult]:
        """The results of a turn's calls; those beyond the cap are not looked at. ``results`` and ``begun`` tell how far
        it came.
        """
        run, spending = self.run, self.spending
        most = self.calls_per_turn
        if spending is not None:
            most = spending.calls_left(most)
            spending.calls += min(most, len(requests))
        if len(requests) > most:
            results[most:] = [beyond_the_cap(run, request, most) for request in requests[most:]]
            over = [result for result in results[most:] if result is not None]
        else:
            over = []

        def tell(place: int, result: ToolResult | None) -> None:
            begun.add(place)
            results[place] = result

        made = run.batch(requests[:most], told=tell)
        if spending is None or spending.left_s is None:
            return await made + over
        try:
            async with asyncio.timeout(spending.left_s) as scope:
                return await made + over
        except TimeoutError:
            if scope.expired():
                raise _TimeIsUp from None
            raise

    def _answer(self, results: Iterable[ToolResult]) -> None:
        answers = tuple(results)
        self.conversation.append(Message("tool", results=answers))
        self.calls += len(answers)
        for result in answers:
            if not result.success:
                if result.effect == "none":
                    self.refused += 1
                else:
                    self.failed += 1

    def _own(self, request: Request, answer: int) -> Request:
        """A model chooses ids of its own answer; on the ledger they are the run's, spelt as its ids are."""
        said = request.call_id
        if said is None:
            return request if self.record is None else request._replace(call_id=self.record.own_id())
        return request._replace(call_id=call_id_of(self.run, answer, said))


def _unseen(conversation: Sequence[Message]) -> list[ToolResult]:
    """The results that no answer has followed yet."""
    results: list[ToolResult] = []
    for message in reversed(conversation):
        if message.role == "assistant":
            break
        results[:0] = message.results
    return results


class _TimeIsUp(Exception):  # noqa: N818 - it says why a batch was ended
    """The bound on seconds was reached while calls were under way."""
