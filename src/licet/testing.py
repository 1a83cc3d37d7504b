"""Doubles for your tests and ours: a transport that records, a ledger that can fail, a clock that stands still."""

from typing import Any

from .catalog import Tool
from .errors import LedgerUnavailableError
from .ledger.memory import MemoryLedger
from .model.context import CallContext
from .model.entry import Draft
from .model.tool import ToolCapability, ToolSpec
from .ports import Receipt


class FakeTransport:
    """Answers with ``answer`` (a value, an exception to raise, a function of the arguments) and records each call."""

    kind = "fake"

    def __init__(self, answer: Any = None) -> None:
        self.answer = {} if answer is None else answer
        self.calls: list[dict[str, Any]] = []

    async def call(self, arguments: dict[str, Any], context: CallContext, /) -> Any:
        self.calls.append(dict(arguments))
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer(arguments) if callable(self.answer) else self.answer


def fake_tool(name: str, answer: Any = None, **spec: Any) -> tuple[Tool, FakeTransport]:
    """A tool over a FakeTransport; ``spec`` are fields of ToolSpec, ``read_only=True`` is shorthand for the flag."""
    if spec.pop("read_only", False):
        spec["capabilities"] = ToolCapability(read_only=True, idempotent=True)
    transport = FakeTransport(answer)
    return Tool(ToolSpec(name=name, **spec), transport), transport


class RecordingLedger(MemoryLedger):
    """A ledger in memory that a test can read at a glance, and break."""

    def __init__(self) -> None:
        super().__init__()
        self.broken = False
        """Refuse every entry from now on, as a full disk does."""

    def append(self, draft: Draft, /, *, durable: bool) -> Receipt | None:
        if self.broken:
            raise LedgerUnavailableError("the ledger was broken by a test")
        return super().append(draft, durable=durable)

    @property
    def kinds(self) -> list[str]:
        """What happened, in order."""
        return [entry.kind for entry in self.entries()]


class FixedClock:
    """Goes on only when told to. ``advance`` takes seconds."""

    def __init__(self, at_s: int = 1_700_000_000) -> None:
        self._since_1970 = at_s * 1_000_000_000
        self._passed = 0

    def time_ns(self) -> int:
        return self._since_1970 + self._passed

    def monotonic_ns(self) -> int:
        return self._passed

    def advance(self, seconds: float) -> None:
        self._passed += int(seconds * 1e9)
