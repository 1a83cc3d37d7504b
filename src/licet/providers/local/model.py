"""A model on this machine, over llama.cpp: no network, no key. The extra ``local`` brings it and its weights."""

import asyncio
import threading
from collections.abc import Sequence
from contextlib import suppress

from ...dialects import grammar
from ...model.said import Usage
from ...model.tool import Offered
from ...ports import Message
from ..thread import on_thread
from .engine import CONTEXT, Engine, Written
from .template import Template
from .weights import weights
from .window import fitted

MOST_BYTES = 1024
"""Of one call or answer."""

_WAIT_S = 0.05
"""How often one that waits for the machine looks whether it is still waited for."""


class Local:
    """One model, loaded when it is first asked, on a thread; it answers one question at a time.

    ``path`` is a GGUF file of one's own. With a ``temperature`` of 0 the same conversation gives the same answer; above
    it ``seed`` says which. ``guided`` holds what it writes to the grammar of the tools it was offered; without that it
    may write anything. With ``answers`` it may also end by an answer, without only call. What it writes has at most
    ``most_bytes``, and with ``most_tokens`` is cut there, whole or not. A token that it wrote lately counts ``penalty``
    times less. ``brief`` leaves descriptions of arguments out of what it reads.
    """

    def __init__(
        self,
        path: str | None = None,
        *,
        context: int = CONTEXT,
        most_bytes: int = MOST_BYTES,
        most_tokens: int | None = None,
        temperature: float = 0.0,
        seed: int = 0,
        penalty: float = 1.1,
        threads: int | None = None,
        guided: bool = True,
        answers: bool = True,
        brief: bool = True,
    ) -> None:
        """Raises ProviderSetupError: the packages or the weights are missing."""
        self._file = weights(path)
        self.name = f"local:{self._file.stem}"
        self.loaded = False
        self._context = context
        self._most_bytes = most_bytes
        self._most_tokens = most_tokens
        self._temperature = temperature
        self._seed = seed
        self._penalty = penalty
        self._threads = threads
        self._guided = guided
        self._answers = answers
        self._brief = brief
        self._busy = threading.Lock()
        self._engine: Engine | None = None
        self._template: Template | None = None

    async def respond(self, conversation: Sequence[Message], tools: Sequence[Offered], /) -> Message:
        """The next message. Cancelled, it ends once the model has stopped, within a token or a batch of its prompt.

        Raises:
            ProviderSetupError: the file holds no model.
            ProviderError: the tools and the latest turn have no room in its context, or llama.cpp fails.
        """
        compiled = grammar.compile(tools, most_bytes=self._most_bytes, answers=self._answers)
        stop = threading.Event()
        answer = asyncio.ensure_future(on_thread(lambda: self._answer(conversation, compiled, stop)))
        try:
            prompt, written = await asyncio.shield(answer)
        except asyncio.CancelledError:
            stop.set()
            await asyncio.wait([answer])
            with suppress(Exception):
                answer.result()
            raise
        usage = Usage(prompt, written.tokens)
        return Message.of(compiled.decode(written.text, usage=usage, cut=written.cut))

    @property
    def busy(self) -> bool:
        """Whether it reads or writes just now."""
        return self._busy.locked()

    async def close(self) -> None:
        """Let go of the model. Asked again, it is loaded again."""
        await on_thread(self._unload)

    def _answer(
        self, conversation: Sequence[Message], compiled: grammar.Compiled, stop: threading.Event
    ) -> tuple[int, Written]:
        while not self._busy.acquire(timeout=_WAIT_S):
            if stop.is_set():
                return 0, Written("", 0, False, True)
        try:
            engine, template = self._ready()
            most = compiled.budget if self._most_tokens is None else min(self._most_tokens, compiled.budget)
            guided = self._guided and bool(compiled.names.offered)
            room = engine.context - most
            messages = fitted(conversation, compiled, lambda told: len(template.tokens(told)), room, brief=self._brief)
            prompt = template.tokens(messages)
            written = engine.generate(
                prompt,
                compiled.gbnf if guided else None,
                most=most,
                temperature=self._temperature,
                seed=self._seed + len(conversation),
                penalty=self._penalty,
                stop=stop,
            )
            return len(prompt), written
        finally:
            self._busy.release()

    def _ready(self) -> tuple[Engine, Template]:
        if self._engine is None or self._template is None:
            self._engine = Engine(self._file, context=self._context, threads=self._threads)
            self._template = Template(self._engine)
            self.loaded = True
        return self._engine, self._template

    def _unload(self) -> None:
        with self._busy:
            engine, self._engine, self._template, self.loaded = self._engine, None, None, False
            if engine is not None:
                engine.close()


__all__ = ["MOST_BYTES", "Local"]
