"""Models over the SDK of OpenAI: OpenAI's own, and every server that speaks its wire (vLLM, Ollama, llama.cpp).

The extra ``openai``. Environment: ``OPENAI_API_KEY``; ``OPENAI_BASE_URL`` names another server, which may want no key.
"""

import os
import time
from collections.abc import AsyncGenerator, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal

from ..dialects import openai_chat, openai_responses
from ..model.tool import Offered
from .asking import CONNECT_S, MAX_OUTPUT_TOKENS, SILENCE_S, TIMEOUT_S, Asking, Compiled
from .failure import Failure, of_status, unreachable
from .key import Key, key_from, sdk
from .listener import Listener
from .patience import Patience
from .per_loop import PerLoop
from .transport import of_connection, of_transport
from .whole import whole

if TYPE_CHECKING:
    from openai import AsyncOpenAI

Api = Literal["chat", "responses"]

KEY, BASE_URL = "OPENAI_API_KEY", "OPENAI_BASE_URL"
_NO_KEY = "none"


class OpenAI(Asking):
    """One model. ``api`` is the wire that it is spoken to over; compatible servers know ``chat``.

    ``options`` go into each request as they are (``{"temperature": 0}``). With ``listener`` answers are streamed.
    Without ``max_output_tokens`` OpenAI's own models are asked for at most ``MAX_OUTPUT_TOKENS``, others for whatever
    their server does.
    """

    def __init__(
        self,
        model: str,
        *,
        api: Api = "chat",
        base_url: str | None = None,
        api_key: str | None = None,
        max_output_tokens: int | None = None,
        options: Mapping[str, Any] | None = None,
        listener: Listener | None = None,
        patience: Patience = Patience(),  # noqa: B008 - immutable
        timeout_s: float = TIMEOUT_S,
        environ: Mapping[str, str] = os.environ,
    ) -> None:
        """Raises ProviderSetupError: the SDK or the key is missing."""
        sdk("openai", extra="openai")
        url = base_url or environ.get(BASE_URL, "").strip() or None
        if api_key is not None:
            key = Key(api_key)
        elif url is not None and not environ.get(KEY):
            key = Key(_NO_KEY)
        else:
            key = key_from(environ, KEY, extra="openai")
        if max_output_tokens is None and url is None:
            max_output_tokens = MAX_OUTPUT_TOKENS
        fixed: dict[str, Any] = {"model": model, **(options or {})}
        if max_output_tokens is not None:
            named = (
                "max_output_tokens" if api == "responses" else "max_completion_tokens" if url is None else "max_tokens"
            )
            fixed.setdefault(named, max_output_tokens)
        wire = _Wire(api, fixed, key, url, timeout_s)
        dialect = (openai_responses if api == "responses" else openai_chat) if url is None else _Compatible(api)
        super().__init__(
            f"openai:{model}",
            dialect,
            wire,
            max_output_tokens=max_output_tokens,
            listener=listener,
            patience=patience,
            timeout_s=timeout_s,
        )


class _Compatible:
    """A server of another maker: how many tools it takes is its own affair, and it says so itself."""

    def __init__(self, api: Api) -> None:
        self._api = api

    def compile(self, tools: Iterable[Offered]) -> Compiled:
        if self._api == "responses":
            return openai_responses.compile(tools, most_tools=None)
        return openai_chat.compile(tools, most_tools=None)


class _Wire:
    def __init__(self, api: Api, fixed: dict[str, Any], key: Key, base_url: str | None, timeout_s: float) -> None:
        self._api = api
        self._fixed = fixed
        self._key = key
        self._base_url = base_url
        self._timeout_s = timeout_s
        self._clients = PerLoop(self._made)

    def _made(self) -> "AsyncOpenAI":
        import httpx2
        from openai import AsyncOpenAI, DefaultAsyncHttpxClient

        timeout = httpx2.Timeout(min(self._timeout_s, SILENCE_S), connect=CONNECT_S)
        return AsyncOpenAI(
            api_key=self._key.reveal(),
            base_url=self._base_url,
            max_retries=0,
            timeout=timeout,
            http_client=DefaultAsyncHttpxClient(follow_redirects=False, timeout=timeout),
        )

    def _endpoint(self) -> Any:
        client = self._clients.now()
        return client.responses if self._api == "responses" else client.chat.completions

    def _asked(self, body: dict[str, Any]) -> dict[str, Any]:
        """A request whose body goes over as the dialect wrote it: to look through it, the SDK takes a second for each
        thousand calls of a conversation.
        """
        known: dict[str, Any] = {} if self._api == "responses" else {"messages": []}
        return {**self._fixed, **known, "extra_body": {**self._fixed.get("extra_body", {}), **body}}

    async def answer(self, body: dict[str, Any]) -> Mapping[str, Any]:
        raw = await self._endpoint().with_raw_response.create(**self._asked(body))
        return whole(raw.content)

    async def events(self, body: dict[str, Any]) -> AsyncGenerator[Mapping[str, Any], None]:
        asked = {**self._asked(body), "stream": True}
        if self._api == "chat":
            asked.setdefault("stream_options", {"include_usage": True})
        async with await self._endpoint().create(**asked) as stream:
            async for event in stream:
                yield event.to_dict(mode="json", warnings=False)

    def failure(self, exc: Exception) -> Failure | None:
        import openai

        if isinstance(exc, openai.APITimeoutError):
            return unreachable("no answer in time")
        if isinstance(exc, openai.APIConnectionError):
            return of_connection(exc)
        if not isinstance(exc, openai.APIError):
            return of_transport(exc)
        word = str(exc.code or exc.type or "")
        told = exc.body.get("message") if isinstance(exc.body, dict) else None
        said = self._key.hidden_in(told if isinstance(told, str) else exc.message)
        if not isinstance(exc, openai.APIStatusError):
            return of_status(200, word=word, said=said)
        return of_status(exc.status_code, headers=exc.response.headers, word=word, said=said, now_s=time.time())

    async def close(self) -> None:
        client = self._clients.taken()
        if client is not None:
            await client.close()


__all__ = ["Api", "OpenAI"]
