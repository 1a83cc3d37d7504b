"""A conversation that fits into the context of a small model: the oldest results go first, and leave a mark."""

from collections.abc import Callable, Sequence

from ...dialects.grammar import Compiled
from ...errors import ProviderError
from ...ports import Message

MOST_SHOWN_BYTES = 2_000
"""Of one result."""

_LEAST_SHOWN_BYTES = 600
LEFT_OUT = "(this older result was left out: there is no room for it)"
FORGOTTEN = "(older turns were left out: there is no room for them)"

Turn = list[dict[str, str]]


def fitted(
    conversation: Sequence[Message], compiled: Compiled, count: Callable[[Turn], int], room: int, *, brief: bool
) -> Turn:
    """The messages for a model, ``room`` tokens at most.

    What gives way, in this order: results, from the oldest on; the beginning of the latest is kept; whole turns, from
    the oldest on. What the system and the task say, and the latest turn, stay.

    Raises:
        ProviderError: what stays has no room.
    """
    results = sum(len(message.results) for message in conversation)
    latest = next((len(message.results) for message in reversed(conversation) if message.role == "tool"), 0)
    for left_out in range(results - latest + 1):
        messages = _told(conversation, compiled, left_out, MOST_SHOWN_BYTES, brief)
        if count(messages) <= room:
            return messages
    older = results - latest
    messages = _told(conversation, compiled, older, _LEAST_SHOWN_BYTES, brief)
    head = next((at + 1 for at, message in enumerate(messages) if message["role"] == "user"), len(messages))
    mark = [{"role": "user", "content": FORGOTTEN}]
    tail = messages[head:]
    while True:
        kept = [*messages[:head], *(mark if len(tail) < len(messages) - head else []), *tail]
        if count(kept) <= room:
            return kept
        if len(tail) <= latest + 1:
            break
        tail = tail[1:]
    told = f"the tools and the latest turn take {count(kept)} tokens, and this model has room for {room}"
    raise ProviderError(f"{told}; grant fewer tools, or use a larger model", reason="bad_request")


def _told(conversation: Sequence[Message], compiled: Compiled, left_out: int, limit_bytes: int, brief: bool) -> Turn:
    told = compiled.messages([message for message in conversation if message.role == "system"], brief=brief)
    for message in conversation:
        if message.role == "tool":
            for one in compiled.encode(message, message.results, limit_bytes=limit_bytes):
                told.append({"role": "user", "content": LEFT_OUT} if left_out > 0 else one)
                left_out -= 1
        elif message.role != "system":
            told += [one for one in compiled.messages([message], brief=brief) if one["role"] != "system"]
    return told


__all__ = ["FORGOTTEN", "LEFT_OUT", "MOST_SHOWN_BYTES", "fitted"]
