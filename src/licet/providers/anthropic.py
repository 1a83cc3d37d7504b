"""Models over the SDK of Anthropic. The extra ``anthropic``.

Environment: ``ANTHROPIC_API_KEY``; ``ANTHROPIC_BASE_URL`` names another server.
"""

import os
import time
from collections.abc import AsyncGenerator, Mapping
from typing import TYPE_CHECKING, Any

from ..dialects import anthropic as dialect
from .asking import CONNECT_S, MAX_OUTPUT_TOKENS, SILENCE_S, TIMEOUT_S, Asking
from .failure import Failure, of_status, unreachable
from .key import Key, key_from, sdk
from .listener import Listener
from .patience import Patience
from .per_loop import PerLoop
from .transport import of_connection, of_transport
from .whole import whole

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic

KEY, BASE_URL = "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"


class Anthropic(Asking):
    """One model. ``options`` go into each request as they are. With ``listener`` answers are streamed."""

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        max_output_tokens: int = MAX_OUTPUT_TOKENS,
        options: Mapping[str, Any] | None = None,
        listener: Listener | None = None,
        patience: Patience = Patience(),  # noqa: B008 - immutable
        timeout_s: float = TIMEOUT_S,
        environ: Mapping[str, str] = os.environ,
    ) -> None:
        """Raises ProviderSetupError: the SDK or the key is missing."""
        sdk("anthropic", extra="anthropic")
        key = Key(api_key) if api_key is not None else key_from(environ, KEY, extra="anthropic")
        url = base_url or environ.get(BASE_URL, "").strip() or None
        fixed = {"model": model, "max_tokens": max_output_tokens, **(options or {})}
        wire = _Wire(fixed, key, url, timeout_s)
        super().__init__(
            f"anthropic:{model}",
            dialect,
            wire,
            max_output_tokens=max_output_tokens,
            listener=listener,
            patience=patience,
            timeout_s=timeout_s,
        )


class _Wire:
    def __init__(self, fixed: dict[str, Any], key: Key, base_url: str | None, timeout_s: float) -> None:
        self._fixed = fixed
        self._key = key
        self._base_url = base_url
        self._timeout_s = timeout_s
        self._clients = PerLoop(self._made)

    def _made(self) -> "AsyncAnthropic":
        import httpx2
        from anthropic import AsyncAnthropic, DefaultAsyncHttpxClient

        timeout = httpx2.Timeout(min(self._timeout_s, SILENCE_S), connect=CONNECT_S)
        return AsyncAnthropic(
            api_key=self._key.reveal(),
            base_url=self._base_url,
            max_retries=0,
            timeout=timeout,
            http_client=DefaultAsyncHttpxClient(follow_redirects=False, timeout=timeout),
        )

    async def answer(self, body: dict[str, Any]) -> Mapping[str, Any]:
        raw = await self._clients.now().messages.with_raw_response.create(**self._fixed, **body)
        return whole(await raw.read())

    async def events(self, body: dict[str, Any]) -> AsyncGenerator[Mapping[str, Any], None]:
        asked = {**self._fixed, **body, "stream": True}
        stream: Any = await self._clients.now().messages.create(**asked)
        async with stream:
            async for event in stream:
                yield event.to_dict(mode="json", warnings=False)

    def failure(self, exc: Exception) -> Failure | None:
        import anthropic

        if isinstance(exc, anthropic.APITimeoutError):
            return unreachable("no answer in time")
        if isinstance(exc, anthropic.APIConnectionError):
            return of_connection(exc)
        if not isinstance(exc, anthropic.APIStatusError):
            return of_transport(exc)
        kind, said = _told(exc.body)
        said = self._key.hidden_in(said)
        return of_status(exc.status_code, headers=exc.response.headers, word=kind, said=said, now_s=time.time())

    async def close(self) -> None:
        client = self._clients.taken()
        if client is not None:
            await client.close()


def _told(body: object) -> tuple[str, str]:
    """Kind and words of an error (``{"type": "error", "error": {"type": ..., "message": ...}}``)."""
    error = body.get("error", body) if isinstance(body, dict) else None
    return (str(error.get("type", "")), str(error.get("message", ""))) if isinstance(error, dict) else ("", "")


__all__ = ["Anthropic"]
