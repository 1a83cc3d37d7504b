"""Messages over streamable HTTP: each is posted, and its answer is JSON or a stream of events."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from ..errors import ConfigurationError
from .executor import MAX_LINE
from .rpc import Client, Message, parsed
from .verdict import Found

if TYPE_CHECKING:
    import httpx2

_SESSION = "mcp-session-id"


class Posts:
    """``version`` is that of the protocol, once it is agreed upon."""

    def __init__(self, url: str, client: "httpx2.AsyncClient") -> None:
        self._url = url
        self._client = client
        self._session: str | None = None
        self.version: str | None = None
        self._listening: set[asyncio.Task[None]] = set()

    async def send(self, message: Message, hear: Callable[[Message], None]) -> None:
        """Answers are heard of meanwhile. Raises Found: the server cannot be reached, or answers what is no answer."""
        import httpx2

        try:
            await self._post(message, hear)
        except httpx2.HTTPError as exc:
            raise Found("died", f"it cannot be reached, or broke the connection ({type(exc).__name__})") from None

    async def _post(self, message: Message, hear: Callable[[Message], None]) -> None:
        headers = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
        if self._session is not None:
            headers[_SESSION] = self._session
        if self.version is not None:
            headers["mcp-protocol-version"] = self.version
        async with self._client.stream("POST", self._url, json=message, headers=headers) as response:
            self._session = response.headers.get(_SESSION, self._session)
            if "id" not in message or "method" not in message:
                return
            kind = response.headers.get("content-type", "")
            if kind.startswith("text/event-stream"):
                await _events(response, hear)
                return
            text = await response.aread()
            if response.status_code >= 400 and not kind.startswith("application/json"):
                raise Found("died", f"it answers with the status {response.status_code}")
            hear({**parsed(text), "id": message["id"]} if response.status_code >= 400 else parsed(text))

    async def leave(self) -> None:
        """End the session."""
        import httpx2

        if self._session is not None:
            try:
                await self._client.delete(self._url, headers={_SESSION: self._session}, timeout=2)
            except httpx2.HTTPError:
                self._session = None


async def _events(response: "httpx2.Response", hear: Callable[[Message], None]) -> None:
    data: list[str] = []
    async for text in response.aiter_lines():
        if text.startswith("data:"):
            data.append(text[5:].removeprefix(" "))
            if sum(map(len, data)) > MAX_LINE:
                raise Found("garbled", "an event of more than 8 MiB")
        elif not text and data:
            hear(parsed("\n".join(data))) if any(data) else None
            data = []


@asynccontextmanager
async def posted(url: str, headers: dict[str, str]) -> AsyncIterator[Client]:
    """A client of a URL, before the handshake. Raises ConfigurationError: the extra ``licet[mcp]`` is missing."""
    try:
        import httpx2
    except ImportError:
        raise ConfigurationError("a server at a URL needs the extra: pip install 'licet[mcp]'") from None
    timeout = httpx2.Timeout(10.0, read=None)
    async with httpx2.AsyncClient(timeout=timeout, headers=headers, follow_redirects=False, trust_env=False) as client:
        way = Posts(url, client)
        yield Client(way)
        await way.leave()


__all__ = ["Posts", "posted"]
