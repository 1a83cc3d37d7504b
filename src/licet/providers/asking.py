"""What all providers have in common: a dialect says what goes over, a wire carries it, patience asks again."""

import asyncio
from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from contextlib import aclosing
from functools import reduce
from typing import Any, Protocol

from ..errors import AnswerError, ProviderError
from ..model.said import Said, Usage
from ..model.tool import Offered
from ..ports import Message
from .failure import Failure, cut, unreachable
from .listener import Listener
from .patience import Patience
from .used import both, larger, used

TIMEOUT_S = 600.0
"""For one answer, from the request to its last byte."""

CONNECT_S = 10.0
SILENCE_S = 120.0
"""Between two pieces of an answer."""

MAX_OUTPUT_TOKENS = 8_192
"""Of one answer, where the caller says nothing."""


class Stream(Protocol):
    """Puts an answer together from its pieces."""

    def feed(self, event: Mapping[str, Any], /) -> str: ...

    def said(self) -> Said: ...


class Compiled(Protocol):
    """The tools of one request in a dialect."""

    @property
    def refused(self) -> Mapping[str, str]: ...

    def body(self, conversation: Sequence[Message], /) -> dict[str, Any]: ...

    def decode(self, response: Mapping[str, Any], /) -> Said: ...

    def stream(self) -> Stream: ...


class Dialect(Protocol):
    """A dialect's module."""

    def compile(self, tools: Iterable[Offered], /) -> Compiled: ...


class Wire(Protocol):
    """An SDK that carries bodies to one provider and answers back, once each and as plain JSON."""

    async def answer(self, body: dict[str, Any], /) -> Mapping[str, Any]: ...

    def events(self, body: dict[str, Any], /) -> AsyncGenerator[Mapping[str, Any], None]: ...

    def failure(self, exc: Exception, /) -> Failure | None:
        """What an exception of the SDK says. None: it is none of the SDK's."""
        ...

    async def close(self) -> None: ...


class Asking:
    """One model of a provider, a ``Model``. With a ``listener`` answers are streamed."""

    recorded = True
    """What it says stands on the ledger: nobody could ask for the same words again."""
    whole_tasks = True
    """It is large enough to be given a task as it is; a small model is helped."""

    def __init__(
        self,
        name: str,
        dialect: Dialect,
        wire: Wire,
        *,
        max_output_tokens: int | None = None,
        listener: Listener | None = None,
        patience: Patience = Patience(),  # noqa: B008 - immutable
        timeout_s: float = TIMEOUT_S,
    ) -> None:
        self.name = name
        self.max_output_tokens = max_output_tokens
        self.listener = listener
        self._dialect = dialect
        self._wire = wire
        self._patience = patience
        self._timeout_s = timeout_s
        self._tools: Sequence[Offered] | None = None
        self._compiled: Compiled | None = None

    async def respond(self, conversation: Sequence[Message], tools: Sequence[Offered], /) -> Message:
        """The next message.

        Raises:
            ProviderError: there is none, for as long as was waited; or what came is none, each time.
        """
        compiled = self._compile(tools)
        body = compiled.body(conversation)
        tries: list[Usage] = []
        try:
            said = await self._patience.ask(self.name, lambda: self._once(compiled, body, tries), self._failure)
        except ProviderError as exc:
            lost = reduce(both, tries, Usage())
            exc.tokens = (lost.input_tokens, lost.output_tokens)
            raise
        return Message.of(said)._replace(lost=reduce(both, tries[:-1], Usage()))

    def withheld(self, tools: Sequence[Offered]) -> Mapping[str, str]:
        """Which of them it is not offered, and why, by canonical name."""
        return self._compile(tools).refused

    async def close(self) -> None:
        """Let go of connections. It can be asked again, unless its class says otherwise."""
        await self._wire.close()

    def _compile(self, tools: Sequence[Offered]) -> Compiled:
        if self._compiled is None or (tools is not self._tools and tools != self._tools):
            self._compiled = self._dialect.compile(tools)
        self._tools = tools
        return self._compiled

    async def _once(self, compiled: Compiled, body: dict[str, Any], tries: list[Usage]) -> Said:
        """One answer; ``tries`` gets what it used. Raises _Broken: what came is none, or not all of one."""
        tries.append(Usage())
        try:
            async with asyncio.timeout(self._timeout_s):
                if self.listener is None:
                    answer = await self._wire.answer(body)
                    tries[-1] = used(answer)
                    return compiled.decode(answer)
                return await self._heard(compiled.stream(), body, self.listener, tries)
        except AnswerError as exc:
            broken = str(exc)
        raise _Broken(broken)

    async def _heard(self, stream: Stream, body: dict[str, Any], listener: Listener, tries: list[Usage]) -> Said:
        told = False
        try:
            async with aclosing(self._wire.events(body)) as events:
                async for event in events:
                    tries[-1] = larger(tries[-1], used(event))
                    text = stream.feed(event)
                    if text:
                        told = True
                        listener.piece(text)
            return stream.said()
        except BaseException:
            if told:
                listener.void()
            raise

    def _failure(self, exc: Exception) -> Failure:
        if isinstance(exc, _Broken):
            return cut(str(exc))
        if isinstance(exc, TimeoutError):
            return unreachable(f"no whole answer in {self._timeout_s:g} seconds")
        found = self._wire.failure(exc)
        if found is None:  # a fault of the SDK or of ours: its text may hold anything
            return Failure("", f"{type(exc).__name__} in its SDK")
        return found


class _Broken(Exception):  # noqa: N818 - it says what happened to a stream
    """What came is no answer, or not all of one."""


__all__ = [
    "CONNECT_S", "MAX_OUTPUT_TOKENS", "SILENCE_S", "TIMEOUT_S", "Asking", "Compiled", "Dialect", "Stream", "Wire",
]  # fmt: skip
