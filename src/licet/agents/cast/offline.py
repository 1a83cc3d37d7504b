"""A model without a network: words out of a small grammar, drawn by the digest of what it reads."""

import hashlib
from collections.abc import Sequence

from ...dialects.untrusted import without_markers
from ...model.tool import Offered
from ...ports import Message

_TIMES = (
    "at dusk|before the rain|after the bell|in the third hour|at first light|while nobody looks|past midnight|today"
)
_THINGS = (
    "the path|the well|a lantern|the old gate|a far bell|the river|an owl|the moss|a single door|the wind|the hearth"
    "|a white stone|the mist|the orchard|a thin smoke|the stair"
)
_DEEDS = (
    "grows quiet|bends towards the hill|answers twice|lets the light in|keeps still|opens a little|turns to silver"
    "|remembers its name|waits for a step|goes out|comes nearer|gathers dew|holds its breath|sounds like a promise"
    "|casts two shadows|begins to hum"
)
_JOINTS = ", and |; |, but |, until "
_ENDS = (
    "Somebody will come.|Nothing is lost yet.|It is a beginning.|The rest is patience.|Listen once more."
    "|That is all that can be seen.|So it was said.|Let it be so."
)

_SENTENCE = tuple(tuple(words.split("|")) for words in (_TIMES, _THINGS, _DEEDS, _JOINTS, _THINGS, _DEEDS, _ENDS))


class OfflineModel:
    """Says two sentences and asks for no call. The same conversation gives the same words in every process.

    The markers of blocks are no part of what is read: runs that differ in their secret alone get the same words.
    """

    name = "offline"

    async def respond(self, conversation: Sequence[Message], tools: Sequence[Offered], /) -> Message:
        """The words that its grammar draws for what was said so far."""
        return Message("assistant", words(told(conversation)))


def told(conversation: Sequence[Message]) -> str:
    """All that a model would read of a conversation."""
    said = ((message.text, *(result.content for result in message.results)) for message in conversation)
    return "\n".join(text for texts in said for text in texts)


def words(prompt: str) -> str:
    """What is drawn by SHA-256 of a prompt. Words that are added or moved change what somebody has on a ledger."""
    lot = int.from_bytes(hashlib.sha256(without_markers(prompt).encode("utf-8", "surrogatepass")).digest(), "big")
    drawn: list[str] = []
    for choices in _SENTENCE:
        left = [word for word in choices if word not in drawn]
        lot, place = divmod(lot, len(left))
        drawn.append(left[place])
    time, thing, deed, joint, other, also, end = drawn
    return f"{time.capitalize()}, {thing} {deed}{joint}{other} {also}. {end}"


__all__ = ["OfflineModel", "told", "words"]
