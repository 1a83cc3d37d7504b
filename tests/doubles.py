"""Stand-ins that the tests of several rooms share. ``licet.testing`` holds those that users need too."""

import asyncio
import threading
from collections.abc import Callable, Generator, Mapping, Sequence
from typing import Any

from licet import Runtime
from licet.catalog import Tool
from licet.errors import LedgerUnavailableError
from licet.ledger.memory import MemoryLedger
from licet.model.context import CallContext
from licet.model.entry import Draft
from licet.model.principal import Principal
from licet.model.result import ToolResult
from licet.model.tool import ModelTool, ToolCapability, ToolSpec
from licet.ports import ApprovalRequest, Message
from licet.runtime.limits import Limits
from licet.testing import FakeTransport, fake_tool

READS = ToolCapability(read_only=True, idempotent=True)
WRITES = ToolCapability(writes=True)


def holder(*grants: Any, mode: Any = "workspace_write", name: str = "alice", **rest: Any) -> Principal:
    """A principal that may write, with these grants."""
    return Principal(name, grants=grants, mode=mode, **rest)


def over(transport: Any, name: str = "t", **spec: Any) -> Tool:
    """A tool over a transport of the test's own."""
    return Tool(ToolSpec(name=name, **spec), transport)


async def until(condition: Callable[[], object]) -> None:
    """Give the loop turns until something holds, which another thread or task brings about."""
    while not condition():  # noqa: ASYNC110 - a thread sets no event of a loop
        await asyncio.sleep(0)


class Blocked(FakeTransport):
    """Answers only when told to. ``entered`` is set once a call arrived; ``stubborn`` swallows its cancellation."""

    def __init__(self, answer: Any = None, *, stubborn: bool = False) -> None:
        super().__init__(answer)
        self.entered = asyncio.Event()
        self.released = asyncio.Event()
        self.stubborn = stubborn
        self.cancelled = 0

    async def call(self, arguments: dict[str, Any], context: CallContext, /) -> Any:
        self.entered.set()
        while not self.released.is_set():
            try:
                await self.released.wait()
            except asyncio.CancelledError:
                self.cancelled += 1
                if not self.stubborn:
                    raise
                break
        return await super().call(arguments, context)


class Threaded:
    """A synchronous transport that runs ``work`` on whatever thread it is called on, and remembers which."""

    kind = "threaded"
    wants_context = False

    def __init__(self, work: Callable[[dict[str, Any]], Any]) -> None:
        self.work = work
        self.threads: list[str] = []

    async def call(self, arguments: dict[str, Any], context: CallContext, /) -> Any:
        raise AssertionError("a blocking transport is never awaited")

    def call_blocking(self, arguments: dict[str, Any], context: CallContext, /) -> Any:
        self.threads.append(threading.current_thread().name)
        return self.work(arguments)


class Waited:
    """A receipt that ends when the ledger says so; a thread that waits for it ends it."""

    def __init__(self, log: list[str], kind: str, refusal: str | None) -> None:
        self._log, self._kind, self._refusal = log, kind, refusal
        self.acknowledged: asyncio.Event | None = None

    def __await__(self) -> Generator[Any, None, None]:
        if self.acknowledged is not None:
            yield from self.acknowledged.wait().__await__()
        self.wait()

    def wait(self) -> None:
        if self._refusal is not None:
            raise LedgerUnavailableError(self._refusal)
        self._log.append(f"durable {self._kind}")


class WatchedLedger(MemoryLedger):
    """Says in ``log`` when each entry was appended and when its wait ended.

    ``refuse_append`` and ``refuse_wait`` are kinds that fail at the one or at the other; the receipts of the kinds in
    ``held`` do not end before ``release``.
    """

    def __init__(self) -> None:
        super().__init__()
        self.log: list[str] = []
        self.refuse_append: set[str] = set()
        self.refuse_wait: set[str] = set()
        self.held: set[str] = set()
        self.appended = asyncio.Event()
        self._waiting: list[asyncio.Event] = []

    def append(self, draft: Draft, /, *, durable: bool) -> Waited | None:  # type: ignore[override]
        if draft.kind in self.refuse_append:
            raise LedgerUnavailableError(f"the disk is full for {draft.kind}")
        super().append(draft, durable=durable)
        self.log.append(f"append {draft.kind}")
        self.appended.set()
        if not durable:
            return None
        receipt = Waited(self.log, draft.kind, "the disk broke" if draft.kind in self.refuse_wait else None)
        if draft.kind in self.held:
            receipt.acknowledged = asyncio.Event()
            self._waiting.append(receipt.acknowledged)
        return receipt

    def release(self) -> None:
        for event in self._waiting:
            event.set()

    @property
    def kinds(self) -> list[str]:
        return [entry.kind for entry in self.entries()]


class Says:
    """An approver that answers ``word`` (a value, an exception to raise, a function of the request)."""

    def __init__(self, word: Any, name: str = "bob") -> None:
        self.name = name
        self.word = word
        self.asked: list[ApprovalRequest] = []

    async def approve(self, request: ApprovalRequest, /) -> Any:
        self.asked.append(request)
        if isinstance(self.word, BaseException):
            raise self.word
        return self.word(request) if callable(self.word) else self.word


class Spy:
    """A resolver that notes everything that it is asked."""

    def __init__(self, **tools: Callable[..., Any]) -> None:
        self.tools = tools
        self.seen: list[tuple[Any, ...]] = []

    def has(self, tool: str, /) -> bool:
        self.seen.append(("has", tool))
        return tool in self.tools

    def describe(self, tool: str, /) -> str:
        self.seen.append(("describe", tool))
        return f"{tool} from afar"

    def call(self, tool: str, params: Mapping[str, Any], /) -> Any:
        self.seen.append(("call", tool, params))
        return self.tools[tool](**params)


class Script:
    """A model that says one message after the other, and keeps what it was shown."""

    name = "script"

    def __init__(self, *messages: Message) -> None:
        self.messages = list(messages)
        self.shown: list[tuple[tuple[Message, ...], tuple[ModelTool, ...]]] = []

    async def respond(self, conversation: Sequence[Message], tools: Sequence[ModelTool], /) -> Message:
        self.shown.append((tuple(conversation), tuple(tools)))
        return self.messages.pop(0) if self.messages else Message("assistant", "done")


async def given(answer: Any, *, limits: Limits = Limits(), **spec: Any) -> ToolResult:  # noqa: B008 - frozen
    """The result of one call of a tool that answers so."""
    fake, _ = fake_tool("t", answer, **spec)
    async with Runtime([fake], limits=limits) as runtime:
        return await runtime.call(holder("t"), "t", {"a": 1})
