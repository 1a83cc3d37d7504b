"""What belongs to one event loop: the calls in flight on it and the one timer that watches their deadlines."""

import asyncio
import sys
from typing import Literal

from ..catalog import Bound
from ..errors import CallAbortedError, ToolTimeoutError
from ..model.call import ToolCall
from ..ports import Clock

SWEEP_S = 0.05
"""Deadlines are kept to this resolution. One timer for all calls: a timer each would cost more than all checks."""

Why = Literal["", "timeout", "aborted"]


class Flight:
    """One call on its way. ``why`` is set once somebody ends it; a late answer is then dropped.

    ``cancelled_before`` is how many cancellations its task had been delivered: what comes on top of them, and is not
    ours, is somebody's wish to end the task. ``started`` is False while the call waits for its first thread.
    """

    __slots__ = ("abortable", "call", "cancelled_before", "deadline_ns", "id", "line", "started", "task", "why")

    def __init__(
        self,
        call: ToolCall,
        deadline_ns: int,
        task: "asyncio.Task[object] | None" = None,
        cancelled_before: int = 0,
        abortable: bool = False,
        started: bool = False,
    ) -> None:
        self.id = call.id
        self.call = call
        self.task = task
        self.cancelled_before = cancelled_before
        self.deadline_ns = deadline_ns
        self.abortable = abortable
        self.started = started
        self.line: list[None] | None = None
        """Holds one item while the call waits for a thread: who takes it out decides whether it starts."""
        self.why: Why = ""

    def begin(self) -> bool:
        """For the thread that has come to it: whether the call may still start."""
        if not self._taken_out():
            return False
        self.started = True
        return True

    def stop(self) -> bool:
        """What waits for a thread does not start any more. True: so nothing of the call ever started."""
        return self._taken_out() and not self.started

    def _taken_out(self) -> bool:
        if self.line is None:
            return False
        try:
            self.line.pop()
        except IndexError:
            return False
        return True

    def end(self, why: Why) -> None:
        if not self.why:
            self.why = why
            if self.task is not None:
                self.task.cancel()


class Ended(Exception):  # noqa: N818 - it says what happened to a flight
    """A flight was ended, and this is the error that its call ends with; ``nothing_started``: so nothing happened."""

    def __init__(self, error: ToolTimeoutError | CallAbortedError, nothing_started: bool) -> None:
        super().__init__(str(error))
        self.error = error
        self.nothing_started = nothing_started


class Lane:
    """Single-threaded by nature: only its loop touches it."""

    def __init__(self, loop: asyncio.AbstractEventLoop, clock: Clock) -> None:
        self.loop = loop
        self._now_ns = clock.monotonic_ns
        self.flights: dict[str, Flight] = {}
        self._timer: asyncio.TimerHandle | None = None

    def is_full(self, principal: str, most: int) -> bool:
        """Whether this principal has ``most`` calls in flight. Nobody is counted while the whole lane has fewer."""
        flights = self.flights
        return len(flights) >= most and sum(f.call.principal.name == principal for f in flights.values()) >= most

    def depart(self, call: ToolCall, tool: Bound, task: "asyncio.Task[object] | None", cancelled_before: int) -> Flight:
        """Arm the deadline of a call that is about to reach its transport."""
        now_ns = self._now_ns
        deadline_ns = now_ns() + tool.timeout_ns
        flight = Flight(call, deadline_ns, task, cancelled_before, tool.abortable, not tool.blocking)
        self.flights[flight.id] = flight
        if self._timer is None:
            self._timer = self.loop.call_later(SWEEP_S, self._sweep)
        return flight

    def hold(self, call: ToolCall) -> Flight:
        """Count a call whose intent is not yet durable: it has no deadline, and arrives before it departs."""
        held = self.flights[call.id] = Flight(call, sys.maxsize)
        return held

    def extend(self, flight: Flight, by_ns: int, until_ns: int) -> float:
        """Its deadline anew, in seconds: this much from now, not after ``until_ns``, and never earlier than it was."""
        flight.deadline_ns = max(flight.deadline_ns, min(self._now_ns() + by_ns, until_ns))
        return flight.deadline_ns / 1e9

    def left_s(self, flight: Flight) -> float:
        """Seconds until its deadline."""
        return (flight.deadline_ns - self._now_ns()) / 1e9

    def arrive(self, flight: Flight) -> None:
        del self.flights[flight.id]

    def abort(self, run_id: str, call_id: str) -> bool:
        """End a call of an abortable tool, from any thread. False: it is not in flight here, or cannot be aborted."""
        flight = self.flights.get(call_id)
        if flight is None or flight.call.run_id != run_id or not flight.abortable or flight.why:
            return False
        if asyncio._get_running_loop() is self.loop:
            flight.end("aborted")
            return True
        try:
            self.loop.call_soon_threadsafe(self._abort, flight)
        except RuntimeError:
            return False  # the loop is closed, and its calls with it
        return True

    def _abort(self, flight: Flight) -> None:
        if self.flights.get(flight.id) is flight:
            flight.end("aborted")

    def _sweep(self) -> None:
        now = self._now_ns()
        for flight in list(self.flights.values()):
            if flight.deadline_ns <= now:
                flight.end("timeout")
        self._timer = self.loop.call_later(SWEEP_S, self._sweep) if self.flights else None
