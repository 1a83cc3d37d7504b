"""A conversation, step by step, in the pieces that one dialect sends: every call answered once, in its place."""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from ..errors import ConfigurationError
from ..model.result import ToolResult
from .call import Call, called
from .offer import Offer
from .turn import Asked, CallIds, Turn

if TYPE_CHECKING:
    from ..ports import Message

Answered = tuple[Asked, ToolResult]


class Step(NamedTuple):
    """``content`` is text of the system or the user, a turn's own content, or the messages that answer a turn."""

    kind: Literal["system", "user", "turn", "results"]
    content: Any


class Speech(NamedTuple):
    """How one dialect writes a history.

    ``spoken`` makes a turn's content of text and calls (None if there is neither), ``renamed`` puts other ids into
    one, and ``answers`` makes the messages that answer a turn. ``ids`` is None where the wire has none.
    """

    dialect: str
    spoken: Callable[[str, Sequence[Call]], Any]
    answers: Callable[[Sequence[Answered]], list[dict[str, Any]]]
    renamed: Callable[[Any, Sequence[str]], Any] | None = None
    ids: Callable[[], CallIds] | None = None


def steps(speech: Speech, offer: Offer, conversation: "Sequence[Message]") -> Iterator[Step]:
    """What is sent, in order.

    Raises:
        ConfigurationError: a call has no result, or a result no call; or the role of a message is none.
    """
    ids = None if speech.ids is None else speech.ids()
    waiting: Turn | None = None
    for message in conversation:
        if message.role == "tool":
            yield Step("results", speech.answers(answered(waiting, message.results)))
            waiting = None
            continue
        _refuse_unanswered(waiting)
        waiting = None
        if message.role == "assistant":
            turn = turn_of(speech, offer, message, ids)
            if turn.content is not None:
                yield Step("turn", turn.content)
            waiting = turn if turn.asked else None
        elif message.role in ("system", "user"):
            yield Step("system" if message.role == "system" else "user", message.text)
        else:
            raise ConfigurationError(f"{message.role!r} is no role; use system, user, assistant or tool")
    _refuse_unanswered(waiting)


def turn_of(speech: Speech, offer: Offer, message: "Message", ids: CallIds | None) -> Turn:
    """An assistant's message as its own dialect said it, or made of its text and calls. No id in it was had before."""
    turn = message.turn
    if not isinstance(turn, Turn) or turn.dialect != speech.dialect:
        calls = [called(request, offer.names, ids) for request in message.calls]
        return Turn(speech.dialect, speech.spoken(message.text, calls), tuple(call.asked for call in calls))
    if ids is None or speech.renamed is None:
        return turn
    fitting = [ids.fit(asked.id) for asked in turn.asked]
    if fitting == [asked.id for asked in turn.asked]:
        return turn
    renamed = (asked._replace(id=own) for asked, own in zip(turn.asked, fitting, strict=True))
    return turn._replace(content=speech.renamed(turn.content, fitting), asked=tuple(renamed))


def answered(turn: Turn | None, results: Sequence[ToolResult]) -> list[Answered]:
    """Each call with its result. Raises ConfigurationError: there are more of one than of the other."""
    asked = () if turn is None else turn.asked
    if len(asked) != len(results):
        raise ConfigurationError(
            f"{len(results)} results for {len(asked)} calls; a provider wants exactly one for each, in the same order"
        )
    return list(zip(asked, results, strict=True))


def _refuse_unanswered(turn: Turn | None) -> None:
    if turn is not None:
        answered(turn, ())


__all__ = ["Answered", "Speech", "Step", "answered", "steps", "turn_of"]
