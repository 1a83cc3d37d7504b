"""Gemini models over the SDK of Google. The extra ``google``.

Environment: ``GOOGLE_API_KEY`` or ``GEMINI_API_KEY``; ``GOOGLE_GEMINI_BASE_URL`` names another server.
"""

import os
import time
from collections.abc import AsyncGenerator, Mapping
from typing import TYPE_CHECKING, Any

from ..dialects import gemini
from ..errors import ProviderError
from .asking import CONNECT_S, MAX_OUTPUT_TOKENS, SILENCE_S, TIMEOUT_S, Asking
from .failure import Failure, of_status
from .key import Key, key_from, sdk
from .listener import Listener
from .patience import Patience
from .per_loop import PerLoop
from .transport import of_transport, unreadable

if TYPE_CHECKING:
    from google.genai import Client

KEYS, BASE_URL = ("GOOGLE_API_KEY", "GEMINI_API_KEY"), "GOOGLE_GEMINI_BASE_URL"


class Google(Asking):
    """One model. ``options`` go into each request's configuration. With ``listener`` answers are streamed."""

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
        sdk("google.genai", extra="google")
        key = Key(api_key) if api_key is not None else key_from(environ, *KEYS, extra="google")
        url = base_url or environ.get(BASE_URL, "").strip() or None
        wire = _Wire(model, {"maxOutputTokens": max_output_tokens, **(options or {})}, key, url, timeout_s)
        super().__init__(
            f"google:{model}",
            gemini,
            wire,
            max_output_tokens=max_output_tokens,
            listener=listener,
            patience=patience,
            timeout_s=timeout_s,
        )


class _Wire:
    def __init__(self, model: str, fixed: dict[str, Any], key: Key, base_url: str | None, timeout_s: float) -> None:
        self._model = model
        self._fixed = fixed
        self._key = key
        self._base_url = base_url
        self._timeout_s = timeout_s
        self._clients = PerLoop(self._made)

    def _made(self) -> "tuple[Client, Any]":
        import httpx2
        from google.genai import Client, types

        timeout = httpx2.Timeout(min(self._timeout_s, SILENCE_S), connect=CONNECT_S)
        http = httpx2.AsyncClient(follow_redirects=False, timeout=timeout)
        options = types.HttpOptions(
            base_url=self._base_url,
            httpx_async_client=http,
            timeout=int(min(self._timeout_s, SILENCE_S) * 1000),
            retry_options=types.HttpRetryOptions(attempts=1),
        )
        return Client(api_key=self._key.reveal(), vertexai=False, http_options=options), http

    def _asked(self, body: dict[str, Any]) -> dict[str, Any]:
        """The parts of a body as the SDK takes them; it is asked to call nothing and to go on with nothing itself."""
        from google.genai import types
        from pydantic import ValidationError

        rest = {name: value for name, value in body.items() if name != "contents"}
        own = {"automaticFunctionCalling": {"disable": True}, "automaticContinuation": False}
        try:
            contents = [types.Content.model_validate(content) for content in body["contents"]]
            config = types.GenerateContentConfig.model_validate({**rest, **self._fixed, **own})
        except ValidationError as exc:
            problem = exc.errors(include_input=False, include_url=False)[0]
        else:
            return {"model": self._model, "contents": contents, "config": config}
        place = ".".join(map(str, problem["loc"]))
        raise ProviderError(f"its SDK does not take the request: {place}: {problem['msg']}", reason="bad_request")

    async def answer(self, body: dict[str, Any]) -> Mapping[str, Any]:
        client, _ = self._clients.now()
        return _plain(await client.aio.models.generate_content(**self._asked(body)))

    async def events(self, body: dict[str, Any]) -> AsyncGenerator[Mapping[str, Any], None]:
        client, _ = self._clients.now()
        async for event in await client.aio.models.generate_content_stream(**self._asked(body)):
            yield _plain(event)

    def failure(self, exc: Exception) -> Failure | None:
        from google.genai import errors

        if not isinstance(exc, errors.APIError):
            return of_transport(exc) or unreadable(exc)
        said = self._key.hidden_in(exc.message if isinstance(exc.message, str) else "")
        code = exc.code if isinstance(exc.code, int) else 500
        headers = getattr(exc.response, "headers", None)
        return of_status(code, headers=headers, word=str(exc.status or ""), said=said, now_s=time.time())

    async def close(self) -> None:
        taken = self._clients.taken()
        if taken is not None:
            client, http = taken
            await client.aio.aclose()
            client.close()
            await http.aclose()


def _plain(response: Any) -> dict[str, Any]:
    plain: dict[str, Any] = response.model_dump(mode="json", by_alias=True, exclude_none=True, warnings=False)
    plain.pop("sdkHttpResponse", None)
    return plain


__all__ = ["Google"]
