"""What a loop may use. Everything is taken before it is used, and what was not needed is given back."""

import time
from collections.abc import Callable, Iterable, Sequence
from typing import Literal, NamedTuple

from ...errors import ConfigurationError
from ...model.said import Usage
from ...model.tool import HostedTool, Offered
from ...ports import Message, Model

BYTES_PER_TOKEN = 3
"""Providers count fewer tokens than this of most text; where they say how many, that counts."""

ANSWER_TOKENS = 8_192
"""Kept free for an answer of a model that does not say how long one may be (``max_output_tokens``)."""

BLOCK_BYTES = 256
"""Of a result, beside what the tool gave."""

MOST_SHOWN_BYTES = 50 * 1024
"""Of a result, to a model."""

Used = Literal["max_calls", "max_tokens", "max_seconds", "max_money"]


class Price(NamedTuple):
    """Money for a million tokens, in whatever the caller counts it."""

    input: float
    output: float

    def of(self, usage: Usage) -> float:
        return (usage.input_tokens * self.input + usage.output_tokens * self.output) / 1e6


class Bounds(NamedTuple):
    """The most that a loop may use; None is no bound. ``money`` needs a ``price``."""

    calls: int | None = None
    tokens: int | None = None
    seconds: float | None = None
    money: float | None = None
    price: Price | None = None

    def checked(self) -> "Bounds":
        """Raises ConfigurationError: a bound lets nothing through, or there is no price to count money by."""
        for name in ("calls", "tokens", "seconds", "money"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise ConfigurationError(f"the bound {name} is above 0, not {value!r}; leave it out for no bound")
        if self.money is not None and self.price is None:
            raise ConfigurationError("a bound on money needs a price: Bounds(money=..., price=Price(input, output))")
        return self


class Spending:
    """Counts against ``bounds``. ``usage`` is what the provider counted, or was estimated where it did not."""

    def __init__(self, bounds: Bounds, *, now_s: Callable[[], float] = time.monotonic) -> None:
        """Raises ConfigurationError."""
        self.bounds = bounds.checked()
        self.usage = Usage()
        self.calls = 0
        self._now_s = now_s
        self._until_s = None if bounds.seconds is None else now_s() + bounds.seconds
        self._known = 0
        """Tokens of the conversation as far as the provider counted it."""
        self._seen = 0
        """Messages of it."""
        self._reserved = Usage()

    @property
    def money(self) -> float | None:
        price = self.bounds.price
        return None if price is None else price.of(self.usage)

    @property
    def left_s(self) -> float | None:
        """Seconds until the time is over; None: there is no such bound."""
        return None if self._until_s is None else max(0.0, self._until_s - self._now_s())

    def calls_left(self, most: int) -> int:
        """How many of a turn's calls may run."""
        return most if self.bounds.calls is None else min(most, self.bounds.calls - self.calls)

    def reserve(self, model: Model, conversation: Sequence[Message], tools: Sequence[Offered]) -> Used | None:
        """Take what the next answer may use. Not None: so much is not left, and nothing was taken."""
        bounds = self.bounds
        if self._until_s is not None and self._now_s() >= self._until_s:
            return "max_seconds"
        if bounds.calls is not None and self.calls >= bounds.calls:
            return "max_calls"
        said = sum(map(_bytes_of, conversation[self._seen :])) + (0 if self._seen else _bytes_of_tools(tools))
        most = getattr(model, "max_output_tokens", None) or ANSWER_TOKENS
        wanted = Usage(self._known + -(-said // BYTES_PER_TOKEN), most)
        total = Usage(*map(sum, zip(self.usage, wanted, strict=True)))
        if bounds.tokens is not None and sum(total) > bounds.tokens:
            return "max_tokens"
        if bounds.money is not None and bounds.price is not None and bounds.price.of(total) > bounds.money:
            return "max_money"
        self._reserved = wanted
        self.usage = total
        return None

    def settle(self, said: Message, conversation: Sequence[Message]) -> None:
        """Put what the answer used in the place of what was taken for it; ``conversation`` ends with it."""
        used, taken = said.usage, self._reserved
        answer = used.output_tokens or min(taken.output_tokens, -(-_bytes_of(said) // BYTES_PER_TOKEN))
        counted = Usage(used.input_tokens or taken.input_tokens, answer)
        self._give_back(taken, Usage(*map(sum, zip(counted, said.lost, strict=True))))
        self._known, self._seen = sum(counted), len(conversation)

    def release(self, lost: Usage = Usage()) -> None:  # noqa: B008 - a frozen fact
        """Give back what was taken for an answer that never came, but what was ``lost`` on the way."""
        self._give_back(self._reserved, lost)

    def _give_back(self, taken: Usage, used: Usage) -> None:
        before = self.usage
        self.usage = Usage(
            before.input_tokens - taken.input_tokens + used.input_tokens,
            before.output_tokens - taken.output_tokens + used.output_tokens,
        )
        self._reserved = Usage()


def _bytes_of(message: Message) -> int:
    size = len(message.text.encode("utf-8", "replace"))
    size += sum(BLOCK_BYTES + min(len(result.json), MOST_SHOWN_BYTES) for result in message.results)
    return size + sum(BLOCK_BYTES + len(str(request.arguments)) for request in message.calls)


def _bytes_of_tools(tools: Iterable[Offered]) -> int:
    sizes = (
        len(tool.declared.json) if isinstance(tool, HostedTool) else len(tool.description) + len(tool.input_schema.json)
        for tool in tools
    )
    return sum(sizes)


__all__ = ["ANSWER_TOKENS", "BYTES_PER_TOKEN", "Bounds", "Price", "Spending", "Used"]
