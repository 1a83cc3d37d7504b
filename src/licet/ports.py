"""The Protocols that you may implement. No port has a base class; none is asked for more than it names."""

from collections.abc import Awaitable, Generator, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol, runtime_checkable

from .model.call import Request, ToolCall
from .model.context import CallContext
from .model.entry import CallRecord, Draft, Entry
from .model.result import ToolResult
from .model.said import Ended, HostedItem, Said, Usage
from .model.tool import Offered, ToolSpec
from .model.verdict import Deny


class Transport(Protocol):
    """How a call reaches code. It gets arguments and never the ticket.

    A transport may also have ``kind`` (a word for the ledger's trace) and ``wants_context`` (False: it gets None).
    """

    def call(self, arguments: dict[str, Any], context: CallContext, /) -> Awaitable[Any]:
        """The tool's JSON value, once awaited. Whatever is raised becomes a failed result."""
        ...


@runtime_checkable
class Checkpointing(Protocol):
    """A transport whose effects can be undone. The token is JSON and is durable before the effect."""

    async def checkpoint(self, arguments: dict[str, Any], context: CallContext, /) -> Any: ...

    async def restore(self, token: Any, context: CallContext, /) -> None: ...


@runtime_checkable
class Fresh(Protocol):
    """A transport that can tell whether its tool is still the one that was registered. Asked last before dispatch."""

    async def check_fresh(self, context: CallContext, /) -> None:
        """Raises RefusedError: it is not, or cannot be reached. Nothing was sent to the tool."""
        ...


@runtime_checkable
class Blocking(Protocol):
    """A transport that answers on the thread it is called on: the caller's for inline tools, else one of licet's."""

    def call_blocking(self, arguments: dict[str, Any], context: CallContext, /) -> Any: ...


class ToolSource(Protocol):
    """The thing that lists tools. Sources are combined at the edge, at registration."""

    def tools(self) -> Iterable["Sourced"]: ...


class Sourced(Protocol):
    """A declaration with the way to it."""

    @property
    def spec(self) -> ToolSpec: ...

    @property
    def transport(self) -> Transport | None: ...


class Line(NamedTuple):
    """What a listing says of one server or one tool: nothing is left out without a line.

    ``state`` is ``ready``, ``unavailable``, ``drifted``, ``not_pinned``, ``first_use`` or ``quarantined``; ``reason``
    is a finer stable word or empty, ``told`` is for people.
    """

    server: str
    state: str
    tool: str = ""
    reason: str = ""
    told: str = ""


class Listing(NamedTuple):
    """What a source that is reached over a transport has to offer."""

    tools: tuple["Sourced", ...]
    withheld: Mapping[str, Deny] = MappingProxyType({})
    """Canonical names that the source knows and does not offer, and what is said to whoever calls them."""
    report: tuple[Line, ...] = ()


class RemoteSource(Protocol):
    """A place outside this process where tools come from: what ``Runtime.connect`` takes.

    ``name`` is ``plugin/server``, with which the names of all its tools begin.
    """

    @property
    def name(self) -> str: ...

    async def list(self) -> Listing:
        """Everything it offers, and a line for everything that it does not.

        Raises:
            ServerUnavailableError: it cannot be reached, or is none.
        """
        ...

    async def close(self) -> None:
        """Let go of processes and connections. Safe to call twice."""
        ...


class ToolResolver(Protocol):
    """Tools outside this process under their granted names; asked only for granted names that are not registered."""

    def has(self, tool: str, /) -> bool: ...

    def describe(self, tool: str, /) -> str: ...

    def call(self, tool: str, params: Mapping[str, Any], /) -> Any: ...


class FindingResolver(ToolResolver, Protocol):
    """A resolver that hands over the tool itself, so that its own schema, pin and capabilities govern the call."""

    def find(self, tool: str, /) -> "Sourced | Awaitable[Sourced | None] | None":
        """The tool behind a granted name: the same object as long as it is the same tool. None: there is none.

        Raises:
            RefusedError: there may be one, and it cannot be had now.
        """
        ...


class ApprovalRequest(NamedTuple):
    """What somebody is asked to say yes to: ``arguments`` is the canonical JSON that will run."""

    call_id: str
    run_id: str
    principal: str
    mode: str
    tool: str
    pin: str
    description: str
    arguments: str
    reasons: tuple[str, ...]
    expires_s: float


class Approver(Protocol):
    """Who says yes. An approver cannot edit a call."""

    name: str

    async def approve(self, request: ApprovalRequest, /) -> bool: ...


class Receipt(Protocol):
    """Ends when an entry is acknowledged; raises LedgerUnavailableError when it cannot be. Waited for once."""

    def __await__(self) -> Generator[Any, None, None]: ...

    def wait(self) -> None:
        """The same for a thread without a loop."""
        ...


class Ledger(Protocol):
    """An append-only chain. Anything raised or failed here is a LedgerUnavailableError, and then nothing runs."""

    def append(self, draft: Draft, /, *, durable: bool) -> Receipt | None:
        """Give the entry its place in line. None: there is nothing to wait for.

        With ``durable`` the entry is on stable storage when the wait ends.
        """
        ...

    def find(self, call_id: str, /) -> CallRecord:
        """What is known of a call id, whatever is still in line included."""
        ...

    def entries(self, run_id: str | None = None, /) -> Iterable[Entry]:
        """Entries in order, of one run or all, after everything in line was written."""
        ...

    @property
    def head(self) -> bytes:
        """The last digest of the chain, after everything in line was written."""
        ...

    def flush(self) -> None:
        """Wait until everything in line is acknowledged."""
        ...

    def close(self) -> None: ...


class Clock(Protocol):
    """Nanoseconds: ``time_ns`` since 1970, ``monotonic_ns`` since some moment, and never back."""

    def time_ns(self) -> int: ...

    def monotonic_ns(self) -> int: ...


class Message(NamedTuple):
    """One turn of a conversation. ``results`` answer the calls of the message before, one each, in their order.

    ``turn``, ``hosted``, ``ended`` and ``usage`` of an assistant's message are those of what it said (``Said``).
    ``lost`` is what answers used that came before it and were none, as far as their provider told.
    """

    role: str
    text: str = ""
    calls: tuple[Request, ...] = ()
    results: tuple[ToolResult, ...] = ()
    turn: Any = None
    hosted: tuple[HostedItem, ...] = ()
    ended: Ended = "done"
    usage: Usage = Usage()
    lost: Usage = Usage()

    @classmethod
    def of(cls, said: Said) -> "Message":
        """The assistant's message of what a provider's dialect read."""
        return cls("assistant", said.text, said.calls, (), said.turn, said.hosted, said.ended, said.usage)


class Model(Protocol):
    """What decides the next calls: a language model, or a script that stands in for one."""

    name: str

    async def respond(self, conversation: Sequence[Message], tools: Sequence[Offered], /) -> Message:
        """The next message. One without calls ends the loop."""
        ...


class Observer(Protocol):
    """Called with each closed entry, off the call path. What it raises is logged and changes nothing."""

    def __call__(self, entry: Draft, /) -> None: ...


__all__ = [
    "ApprovalRequest",
    "Approver",
    "Blocking",
    "Checkpointing",
    "Clock",
    "FindingResolver",
    "Fresh",
    "Ledger",
    "Line",
    "Listing",
    "Message",
    "Model",
    "Observer",
    "Receipt",
    "RemoteSource",
    "Sourced",
    "ToolCall",
    "ToolResolver",
    "ToolSource",
    "Transport",
]
