"""What belongs to one event loop: the calls in flight on it and the one timer that watches their deadlines."""

import asyncio
from typing import Literal

from ..catalog import Bound
from ..model.call import ToolCall
from ..ports import Clock

SWEEP_S = 0.05
"""Deadlines are kept to this resolution. One timer for all calls: a timer each would cost more than all checks."""

Why = Literal["", "timeout", "aborted"]


class Flight:
    """One call on its way. ``why`` is set once somebody ends it; a late answer is then dropped."""

    __slots__ = ("abortable", "call", "deadline_ns", "started", "task", "why")

    def __init__(self, call: ToolCall, task: "asyncio.Task[object] | None", deadline_ns: int, abortable: bool) -> None:
        self.call = call
        self.task = task
        self.deadline_ns = deadline_ns
        self.abortable = abortable
        self.started = True
        """False while the call waits for a thread: if it ends then, nothing happened."""
        self.why: Why = ""

    def end(self, why: Why) -> None:
        if not self.why:
            self.why = why
            if self.task is not None:
                self.task.cancel()


class Lane:
    """Single-threaded by nature: only its loop touches it."""

    def __init__(self, loop: asyncio.AbstractEventLoop, clock: Clock) -> None:
        self.loop = loop
        self._now_ns = clock.monotonic_ns
        self._flights: dict[str, Flight] = {}
        self._timer: asyncio.TimerHandle | None = None

    def is_full(self, principal: str, most: int) -> bool:
        """Whether this principal has ``most`` calls in flight. Nobody is counted while the whole lane has fewer."""
        flights = self._flights
        return len(flights) >= most and sum(f.call.principal.name == principal for f in flights.values()) >= most

    def depart(self, call: ToolCall, tool: Bound) -> Flight:
        """Arm the deadline of a call that is about to reach its transport."""
        task = asyncio.current_task(self.loop)
        flight = Flight(call, task, self._now_ns() + tool.timeout_ns, tool.spec.execution.abortable)
        self._flights[call.id] = flight
        if self._timer is None:
            self._timer = self.loop.call_later(SWEEP_S, self._sweep)
        return flight

    def arrive(self, flight: Flight) -> None:
        del self._flights[flight.call.id]

    def abort(self, run_id: str, call_id: str) -> bool:
        """End a call of an abortable tool. False: it is not in flight here, or cannot be aborted."""
        flight = self._flights.get(call_id)
        if flight is None or flight.call.run_id != run_id or not flight.abortable or flight.why:
            return False
        flight.end("aborted")
        return True

    def _sweep(self) -> None:
        now = self._now_ns()
        for flight in list(self._flights.values()):
            if flight.deadline_ns <= now:
                flight.end("timeout")
        self._timer = self.loop.call_later(SWEEP_S, self._sweep) if self._flights else None
