"""What a model said in one answer, read out of its provider's words."""

from typing import Any, Literal, NamedTuple

from .call import Request

Ended = Literal["done", "calls", "length", "refused", "paused"]
"""Why an answer ends: it is complete; it asks for calls; it was cut at its limit; the provider or the model declined;
the provider stopped in the middle of its own work and wants the conversation back as it is."""


class Usage(NamedTuple):
    """Tokens as the provider counted them; zero where it did not say."""

    input_tokens: int = 0
    output_tokens: int = 0


class HostedItem(NamedTuple):
    """Something that the provider ran itself. ``tool`` is the canonical name of what was offered, None: nothing was.

    ``kind`` is the provider's own word for it and ``id`` the provider's own id, or empty.
    """

    tool: str | None
    kind: str
    id: str = ""


class Said(NamedTuple):
    """One answer. ``calls`` are what it asks for, in order; one that names nothing offered is no tool's name.

    ``turn`` is the answer in the provider's own words, mended where the provider would not take it back: what goes
    into the conversation. Only the dialect that read it understands it.
    """

    text: str
    calls: tuple[Request, ...] = ()
    turn: Any = None
    hosted: tuple[HostedItem, ...] = ()
    ended: Ended = "done"
    usage: Usage = Usage()


__all__ = ["Ended", "HostedItem", "Said", "Usage"]
