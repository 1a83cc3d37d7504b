"""llama.cpp with one model: tokens in, tokens out. Blocks; one thread at a time, which whoever calls sees to.

The most likely token is tried first and the grammar asked about that one alone: to ask about all 49,000, as the
sampler of llama.cpp does, takes longer than the model.
"""

import os
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ...errors import ProviderError, ProviderSetupError
from ..key import sdk

CONTEXT = 4096
"""Tokens of a conversation, where the model can hold so many."""

_BATCH = 256
"""Tokens that are read at once: between two batches somebody may say stop."""

_TRIED = (1, 64, 1024)
"""How many of the likeliest tokens the grammar is asked about, one after the other; then all."""

_RECENT = 64
_EXTRA = "local"


class Written(NamedTuple):
    """What was generated. ``cut`` says that the limit of tokens ended it, ``stopped`` that somebody did."""

    text: str
    tokens: int
    cut: bool
    stopped: bool


class Engine:
    """``threads`` is how many cores it may use, half of them if None: its threads spin while they wait, and what they
    wait for is often another program.

    Raises:
        ProviderSetupError: the file holds no model that llama.cpp reads.
    """

    def __init__(self, file: Path, *, context: int = CONTEXT, threads: int | None = None) -> None:
        self._library = sdk("llama_cpp", extra=_EXTRA)
        self._numpy = sdk("numpy", extra=_EXTRA)
        threads = threads or max((os.cpu_count() or 2) // 2, 1)
        try:
            self._llama = self._loaded(file, context, threads)
            most = int(self._library.llama_model_n_ctx_train(self._llama.model))
            if 0 < most < context:
                self._llama.close()
                self._llama = self._loaded(file, most, threads)
        except (ValueError, OSError, RuntimeError) as exc:
            problem = f"{file.name} is no model that llama.cpp reads ({type(exc).__name__}); name another GGUF file"
            raise ProviderSetupError(problem) from None
        self.context = int(self._llama.n_ctx())
        self.metadata: dict[str, str] = dict(self._llama.metadata)
        self._vocabulary = self._library.llama_model_get_vocab(self._llama.model)
        self._size = int(self._library.llama_vocab_n_tokens(self._vocabulary))

    def _loaded(self, file: Path, context: int, threads: int) -> Any:
        return self._library.Llama(
            str(file), n_ctx=context, n_batch=_BATCH, n_threads=threads, n_threads_batch=threads, verbose=False
        )

    def tokens(self, text: str, *, special: bool) -> list[int]:
        """``special``: whether ``<|im_end|>`` and its like are the tokens of that name, or letters like any other."""
        found: list[int] = self._llama.tokenize(text.encode("utf-8", "replace"), add_bos=False, special=special)
        return found

    def word(self, token: int) -> str:
        """How a special token is written."""
        raw: bytes = self._llama.detokenize([token], special=True)
        return raw.decode("utf-8", "replace")

    @property
    def begin(self) -> int:
        return int(self._llama.token_bos())

    @property
    def end(self) -> int:
        return int(self._llama.token_eos())

    def generate(
        self,
        prompt: Sequence[int],
        grammar: str | None,
        *,
        most: int,
        temperature: float,
        seed: int,
        penalty: float,
        stop: threading.Event,
    ) -> Written:
        """At most ``most`` tokens after a prompt. With a temperature of 0 always the same.

        Raises:
            ProviderError: llama.cpp cannot go on, or refuses the grammar.
        """
        rules = None if grammar is None else _Rules(self._library, self._vocabulary, grammar)
        draw = self._numpy.random.default_rng(seed)
        written: list[int] = []
        try:
            if not self._read(list(prompt), stop):
                return Written("", 0, False, True)
            while len(written) < most:
                if stop.is_set():
                    return Written(self._text(written), len(written), False, True)
                token = self._next(rules, written, temperature, draw, penalty)
                if self._library.llama_vocab_is_eog(self._vocabulary, token):
                    return Written(self._text(written), len(written), False, False)
                if rules is not None:
                    rules.accept(token)
                written.append(token)
                self._llama.eval([token])
        except (RuntimeError, ValueError) as exc:
            self._llama.reset()
            raise ProviderError(f"llama.cpp stopped ({type(exc).__name__})") from exc
        finally:
            if rules is not None:
                rules.close()
        return Written(self._text(written), len(written), True, False)

    def _read(self, prompt: list[int], stop: threading.Event) -> bool:
        """Take in a prompt, but for what it has in common with the last one. False: somebody said stop."""
        known = self._llama.input_ids[: self._llama.n_tokens].tolist()
        same = next((at for at, (one, other) in enumerate(zip(known, prompt, strict=False)) if one != other), None)
        kept = min(len(known), len(prompt) - 1) if same is None else min(same, len(prompt) - 1)
        if kept:
            self._llama.n_tokens = kept
        else:
            self._llama.reset()
        for at in range(kept, len(prompt), _BATCH):
            if stop.is_set():
                return False
            self._llama.eval(prompt[at : at + _BATCH])
        return True

    def _next(self, rules: "_Rules | None", written: list[int], temperature: float, draw: Any, penalty: float) -> int:
        """The token of the greatest logit among those that the grammar allows; or one by chance, warmer."""
        numpy = self._numpy
        raw = self._library.llama_get_logits_ith(self._llama.ctx, -1)
        logits = numpy.ctypeslib.as_array(raw, shape=(self._size,)).astype(numpy.float64)
        if penalty != 1.0 and written:
            recent = numpy.unique(numpy.asarray(written[-_RECENT:]))
            had = logits[recent]
            logits[recent] = numpy.where(had > 0, had / penalty, had * penalty)
        if temperature > 0:
            logits = logits / temperature + draw.gumbel(size=self._size)  # the greatest of these is a fair draw
        for count in (*_TRIED, self._size):
            if count == 1:
                likeliest = numpy.asarray([int(numpy.argmax(logits))])
            elif count < self._size:
                likeliest = numpy.argpartition(logits, -count)[-count:]
            else:
                likeliest = numpy.arange(self._size)
            allowed = likeliest if rules is None else likeliest[rules.allowed(likeliest)]
            if len(allowed):
                return int(allowed[numpy.argmax(logits[allowed])])
        raise ProviderError("llama.cpp finds no token that its grammar allows")

    def _text(self, tokens: list[int]) -> str:
        raw: bytes = self._llama.detokenize(tokens)
        return raw.decode("utf-8", "replace")

    def close(self) -> None:
        self._llama.close()


class _Rules:
    """llama.cpp's state in a grammar."""

    def __init__(self, library: Any, vocabulary: Any, grammar: str) -> None:
        self._library = library
        self._sampler = library.llama_sampler_init_grammar(vocabulary, grammar.encode(), b"root")
        if not self._sampler:
            raise ProviderError("llama.cpp refuses the grammar of these tools")

    def allowed(self, tokens: Any) -> Any:
        """For each token whether it may come next."""
        import ctypes

        library = self._library
        count = len(tokens)
        data = (library.llama_token_data * count)()
        for place, token in enumerate(tokens.tolist()):
            data[place].id = token
        array = library.llama_token_data_array(data=data, size=count, selected=-1, sorted=False)
        library.llama_sampler_apply(self._sampler, ctypes.byref(array))
        return [data[place].logit == 0.0 for place in range(count)]

    def accept(self, token: int) -> None:
        self._library.llama_sampler_accept(self._sampler, token)

    def close(self) -> None:
        self._library.llama_sampler_free(self._sampler)


__all__ = ["CONTEXT", "Engine", "Written"]
