"""What every dialect makes of some tools: the wire of requests, the reading of answers, and the answers to calls."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from ..errors import AnswerError
from ..model.result import ToolResult
from ..model.said import Ended, HostedItem, Said, Usage
from ..model.tool import Offered, ToolSpec
from .call import Calls
from .foreign import sendable
from .history import Speech, Step, answered, steps, turn_of
from .loss import Loss
from .names import WireNames
from .offer import Offer, Wire, offer
from .turn import Turn

if TYPE_CHECKING:
    from ..ports import Message

NONE_CHOSEN: Mapping[str, str] = MappingProxyType({})


class Pieces(Protocol):
    """Puts the pieces of a streamed answer together."""

    def feed(self, event: Mapping[str, Any]) -> str:
        """The text that this piece adds. Raises AnswerError: it contradicts those before it, or is none."""
        ...

    def whole(self) -> Mapping[str, Any]:
        """The answer as if it had not been streamed. Raises AnswerError: pieces are missing."""
        ...


class Dialect(NamedTuple):
    """One provider's wire. ``body`` puts the steps of a conversation together, ``decode`` reads a whole answer."""

    wire: Wire
    speech: Speech
    body: Callable[[Offer, Sequence[Step]], dict[str, Any]]
    decode: Callable[[Offer, Mapping[str, Any]], Said]
    pieces: Callable[[], Pieces]


class Compiled:
    """The tools of one request in one dialect. It cannot be changed; the same serves every turn of a conversation."""

    __slots__ = ("_dialect", "_offer")

    def __init__(self, dialect: Dialect, offer: Offer) -> None:
        self._dialect = dialect
        self._offer = offer

    @property
    def dialect(self) -> str:
        return self._offer.dialect

    @property
    def tools(self) -> list[dict[str, Any]]:
        """The wire JSON of the tools, exactly what the provider takes; empty if none is offered."""
        return self._offer.tools

    @property
    def names(self) -> WireNames:
        """The names of this request."""
        return self._offer.names

    @property
    def losses(self) -> tuple[Loss, ...]:
        """What of the registered schemas the wire does not hold as it was written, sorted."""
        return self._offer.losses

    @property
    def refused(self) -> Mapping[str, str]:
        """Why a tool is not offered here, by canonical name."""
        return self._offer.refused

    def body(self, conversation: "Sequence[Message]") -> dict[str, Any]:
        """The parts of a request that are the dialect's: the conversation, and the tools if there are any.

        The model's name, limits and the like are the caller's.

        Raises:
            ConfigurationError: a call of the conversation has no result, or a result no call.
        """
        return self._dialect.body(self._offer, list(steps(self._dialect.speech, self._offer, conversation)))

    def decode(self, response: Mapping[str, Any]) -> Said:
        """One whole answer. Whatever a model wrote is read: what is wrong with it is refused in the corridor.

        Raises:
            AnswerError: this is no answer of this provider.
        """
        return self._dialect.decode(self._offer, response)

    def stream(self) -> "Stream":
        """Reads one streamed answer."""
        return Stream(self._dialect, self._offer)

    def encode(self, turn: "Message", results: Sequence[ToolResult]) -> list[dict[str, Any]]:
        """The messages that answer the calls of an assistant's message, each once, in its order.

        Raises:
            ConfigurationError: there are more or fewer results than calls.
        """
        speech = self._dialect.speech
        ids = None if speech.ids is None else speech.ids()
        asked = turn_of(speech, self._offer, turn, ids)
        return speech.answers(answered(asked, results)) if asked.asked or results else []


class Stream:
    """One streamed answer. Nothing of it is a call before all of it is there."""

    __slots__ = ("_dialect", "_offer", "_pieces", "_problem")

    def __init__(self, dialect: Dialect, offer: Offer) -> None:
        self._dialect = dialect
        self._offer = offer
        self._pieces = dialect.pieces()
        self._problem: AnswerError | None = None

    def feed(self, event: Mapping[str, Any]) -> str:
        """The text to show now, or an empty one.

        Raises:
            AnswerError: the piece is none, or contradicts those before it.
        """
        if self._problem is not None:
            raise self._problem
        try:
            return self._pieces.feed(event)
        except AnswerError as problem:
            self._problem = problem
            raise

    def said(self) -> Said:
        """What was said.

        Raises:
            AnswerError: the stream was cut, or its pieces contradict each other.
        """
        if self._problem is not None:
            raise self._problem
        return self._dialect.decode(self._offer, self._pieces.whole())


def compiled(dialect: Dialect, tools: Iterable[ToolSpec | Offered], chosen: Mapping[str, str]) -> Compiled:
    """What a dialect makes of some tools.

    Raises:
        ConfigurationError: a chosen name is not legal, or looks like another that was chosen.
    """
    return Compiled(dialect, offer(dialect.wire, tools, chosen=chosen))


def said(
    speech: Speech,
    text: str,
    calls: Calls,
    *,
    content: Any,
    ended: Ended,
    hosted: Sequence[HostedItem] = (),
    usage: Usage = Usage(),  # noqa: B008 - a frozen fact
    within_call: bool = False,
) -> Said:
    """An answer. A refused one asks for nothing, and only its text is sent back.

    ``within_call`` says that an answer which ended at a limit ended in its last call.
    """
    text = sendable(text)
    if ended == "refused":
        return Said(text, (), Turn(speech.dialect, speech.spoken(text, ())), tuple(hosted), ended, usage)
    if ended == "length" and within_call:
        calls.cut_last()
    elif calls.requests and ended != "length":
        ended = "calls"
    turn = Turn(speech.dialect, sendable(content), tuple(calls.asked))
    return Said(text, tuple(calls.requests), turn, tuple(hosted), ended, usage)


__all__ = ["NONE_CHOSEN", "Compiled", "Dialect", "Pieces", "Stream", "compiled", "said"]
