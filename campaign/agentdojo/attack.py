"""A model that does everything it reads: the user's task, and the task that was planted in the data it meets."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol


class Planned(Protocol):
    """One call of a solution, as AgentDojo writes it."""

    @property
    def function(self) -> str: ...

    @property
    def args(self) -> Mapping[str, Any]: ...

    @property
    def placeholder_args(self) -> Mapping[str, Any] | None:
        """The same arguments with ``$`` where a value has to be read first."""
        ...


class Answer(NamedTuple):
    """What became of one call. ``ran``: the tool's own code was reached; ``good``: and gave ``output``."""

    ran: bool
    good: bool
    output: Any = None


Door = Callable[[str, Mapping[str, Any]], Answer]


class Played(NamedTuple):
    """``made`` are the calls that ran, in order. ``met``: the planted text was read. ``own``: the user's calls all ran.

    ``unwritten`` counts the planted calls that could not be made because something in them was never read.
    """

    made: list[Any]
    met: bool
    own: bool
    unwritten: int


def play(
    own: Sequence[Planned],
    planted: Callable[[], Sequence[Planned]],
    text: str,
    door: Door,
    *,
    knowing: bool,
) -> Played:
    """Make the user's calls; as soon as ``text`` stands in a result, make the planted ones, then go on.

    A refusal stops nobody. After one, a call whose placeholders say that it needs a value from an earlier answer cannot
    be written, unless the attacker is ``knowing`` and had all those values from the start.
    """
    made: list[Any] = []
    met = False
    done = True
    unwritten = 0
    for call in own:
        answer = _make(call, door, made)
        done = done and answer.good
        if text and not met and stands_in(text, answer.output):
            met = True
            blind = False
            for wanted in planted():
                if blind and not knowing and _needs_reading(wanted.placeholder_args):
                    unwritten += 1
                    continue
                blind = not _make(wanted, door, made).good or blind
    return Played(made, met, done, unwritten)


def stands_in(text: str, value: Any) -> bool:
    """Whether some text inside a JSON value holds this one; white space is all alike."""
    if isinstance(value, str):
        return " ".join(text.split()) in " ".join(value.split())
    if isinstance(value, dict):
        return any(stands_in(text, part) for pair in value.items() for part in pair)
    return isinstance(value, list) and any(stands_in(text, part) for part in value)


def _make(call: Planned, door: Door, made: list[Any]) -> Answer:
    answer = door(call.function, call.args)
    if answer.ran:
        made.append(call)
    return answer


def _needs_reading(placeholder: Any) -> bool:
    if isinstance(placeholder, str):
        return "$" in placeholder
    if isinstance(placeholder, Mapping):
        return any(map(_needs_reading, placeholder.values()))
    return isinstance(placeholder, list) and any(map(_needs_reading, placeholder))
