"""Whatever goes wrong with a server, said once: which server, what, what instead, and never a secret."""

import asyncio
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

from ...dialects.untrusted import escaped
from ...errors import ServerUnavailableError, ToolFailedError, TransportError
from ...model.server import ServerSpec
from .errand import Errand, Fault
from .limits import McpLimits

_LONG = 500
"""Characters of a text that is a server's own."""

_LOOKED_AT = 8 * _LONG

_SECRET = 4
"""Characters of the shortest value that is looked for; a shorter one is part of many words."""

_INSTEAD = {
    "spawn_failed": "check its command, and that it is installed",
    "exited": "run its command by hand to see why",
    "no_answer": "see whether it hangs, or try again",
    "closed": "try again; it is connected to anew",
    "unauthorized": "check the credentials in its headers",
    "forbidden": "use credentials that may do this",
    "not_found": "check its url; a session that it forgot is begun anew",
    "rate_limited": "try again later",
    "server_error": "see its own log",
    "http_error": "check its url, and see its own log",
    "not_mcp": "check that its command or url is that of an MCP server",
    "era_mismatch": "use a version of it that speaks MCP 2024-11-05 to 2026-07-28",
    "redirected": "write the url that it leads to, if that is the server you mean",
    "listing_too_long": "let it list less, or raise the limit",
    "cursor_repeats": "see its own log: its listing has no end",
    "malformed": "see its own log",
    "too_long": "ask it for less, or raise the limit",
    "mcp_missing": "install it with: pip install 'licet[mcp]'",
    "home_ended": "try again; it is connected to anew",
}

_BY_CODE = {-32022: "era_mismatch", -32001: "no_answer", -32000: "closed", -32700: "malformed"}


class Faults:
    """The words for one server."""

    def __init__(self, server: ServerSpec, limits: McpLimits) -> None:
        self._server = server
        self._limits = limits
        values = [*server.env.values(), *server.headers.values()]
        words = {word for value in values for word in (value, *value.split())}
        self._secrets = sorted((word for word in words if len(word) >= _SECRET), key=len, reverse=True)

    def shown(self, text: str) -> str:
        """A server's own text, for people: its beginning, without secrets, and nothing in it acts."""
        text = self._without_secrets(text[:_LOOKED_AT].strip())
        return escaped(text if len(text) <= _LONG else f"{text[:_LONG]}...")

    def last(self, text: str) -> str:
        """The same of its end."""
        text = self._without_secrets(text.strip())
        return escaped(text if len(text) <= _LONG else f"...{text[-_LONG:]}")

    def _without_secrets(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, "***")
        return text

    def unavailable(self, fault: Fault, tool: str = "") -> ServerUnavailableError:
        """Nothing was sent."""
        return ServerUnavailableError(self._text(fault), tool_name=self._named(tool), reason=fault.reason)

    def of_connecting(self, exc: BaseException, errand: Errand) -> Fault:
        """What an attempt to connect ended with."""
        if errand.fault is not None:
            return errand.fault
        cause = _cause(exc)
        if isinstance(cause, OSError) and self._server.kind == "stdio":
            return Fault("spawn_failed", f"it could not be started: {self.shown(cause.strerror or str(cause))}")
        if isinstance(cause, RuntimeError) and "protocol version" in str(cause):
            return Fault("era_mismatch", "it speaks no version of MCP that is known here")
        if _is_invalid(cause):
            return Fault("not_mcp", "its handshake is not that of an MCP server")
        code = _code(cause)
        if code is None:
            return Fault("closed", f"the connection failed ({type(cause).__name__})")
        if code == -32000 and not errand.answered:
            return Fault("exited" if self._server.kind == "stdio" else "closed", "it ended before it answered")
        return Fault(_BY_CODE.get(code, "not_mcp"), f"it refused the handshake: {self._answer(cause)}")

    def of_listing(self, exc: BaseException, errand: Errand) -> ServerUnavailableError:
        """What a page of its listing ended with. No tool was touched."""
        if errand.fault is not None:
            return self.unavailable(errand.fault)
        cause = _cause(exc)
        if _code(cause) is None or not errand.answered:
            return self.unavailable(self._local(cause))
        refused = Fault("server_error", f"it refused to list its tools: {self._answer(cause)}")
        return self.unavailable(_synthetic(self._server, cause) or refused)

    def of_call(
        self, exc: BaseException, errand: Errand, tool: str
    ) -> ServerUnavailableError | TransportError | ToolFailedError:
        """What a call ended with, told by whether anything of it reached the server."""
        fault, cause = errand.fault, _cause(exc)
        if fault is None:
            code, made_here = _code(cause), _synthetic(self._server, cause)
            if code is not None and errand.answered and made_here is None:
                told = f"{self._server.name}: {self._answer(cause)}"
                return ToolFailedError(told, tool_name=self._named(tool), reason="rpc_error")
            fault = made_here or self._local(cause)
        if fault.unsent or not errand.sent:
            return self.unavailable(fault, tool)
        told = f"{self._text(fault)}. What the tool did is unknown"
        return TransportError(told, tool_name=self._named(tool), reason=fault.reason)

    def _local(self, cause: BaseException) -> Fault:
        """What the SDK or the event loop found, and not the server."""
        if isinstance(cause, asyncio.CancelledError):
            return Fault("home_ended", "the event loop of its connection ended")
        if isinstance(cause, TimeoutError) or _code(cause) == -32001:
            return Fault("no_answer", "it gave no answer in time")
        if _is_invalid(cause):
            return Fault("malformed", "its answer does not fit its version of the protocol")
        return Fault("closed", "its connection ended" if _code(cause) else f"it failed with {type(cause).__name__}")

    def _answer(self, cause: BaseException) -> str:
        return f"error {_code(cause)}: {self.shown(str(cause))}"

    def _text(self, fault: Fault) -> str:
        where = f" ({_origin(self._server.url)})" if self._server.url else ""
        instead = _INSTEAD.get(fault.reason, "see its own log")
        return f"{self._server.name}{where}: {fault.told}; {instead}"

    def _named(self, tool: str) -> str:
        return f"{self._server.name}.{tool}" if tool else ""


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def _leaves(exc: BaseException) -> Iterator[BaseException]:
    if isinstance(exc, BaseExceptionGroup):
        for part in exc.exceptions:
            yield from _leaves(part)
    else:
        yield exc


def _cause(exc: BaseException) -> BaseException:
    """What really happened, of all that was raised because of it: least a cancellation."""
    leaves = list(_leaves(exc))
    return next((leaf for leaf in leaves if not isinstance(leaf, asyncio.CancelledError)), leaves[0])


def _code(cause: BaseException) -> int | None:
    """The code of an MCPError. None: it is none."""
    error: Any = getattr(cause, "error", None)
    code = getattr(error, "code", None)
    return code if type(code) is int else None


def _is_invalid(cause: BaseException) -> bool:
    return type(cause).__name__ == "ValidationError"


def _synthetic(server: ServerSpec, cause: BaseException) -> Fault | None:
    """What an answer over HTTP says that the SDK made up. None: it is the server's.

    A server that writes the same is believed: what its tool did is unknown then, which promises less.
    """
    if server.kind != "http":
        return None
    code, text = _code(cause), str(cause)
    if code == -32000 and text.startswith("SSE stream"):
        if "exceeded" in text:
            return Fault("too_long", "an event of its stream is too long")
        return Fault("closed", "its stream ended without an answer")
    if code == -32700 and text.startswith("Failed to parse"):
        return Fault("malformed", "its answer is no message")
    if code == -32600 and text.startswith("server answered a request with 202"):
        return Fault("not_mcp", "it took a request and gave no answer")
    return None
