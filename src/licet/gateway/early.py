"""The first requests of a client, answered from the surface while the SDK that drives the protocol is being imported.

It knows the handful that every client opens with, in exactly the shapes below, and answers them as the SDK would: what
it answers is told to the SDK afterwards, whose own answer is dropped. With anything else it is over for good, and the
SDK answers from there on. So there is nothing here to refuse, and no error to word.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import orjson

from .. import __version__
from ..schema.canonical import NotJson, parse
from . import eras
from .clients import PIPE, STATELESS
from .strictly import MAX_MESSAGE

if TYPE_CHECKING:
    from .clients import Clients

NAME = "licet"

HANDSHAKE_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
STATELESS_VERSION = "2026-07-28"

_META = "io.modelcontextprotocol/"
_VERSION, _CLIENT, _CAPABILITIES = (_META + part for part in ("protocolVersion", "clientInfo", "clientCapabilities"))
_ENVELOPE = {_VERSION, _CLIENT, _CAPABILITIES}
_SERVER = {"name": NAME, "version": __version__}
_OFFERED = {"tools": {"listChanged": True}}
_STAMP = {"_meta": {_META + "serverInfo": _SERVER}}
_DISCOVERED = {
    "cacheScope": "private",
    "capabilities": _OFFERED,
    "resultType": "complete",
    "supportedVersions": [STATELESS_VERSION],
    "ttlMs": 0,
    **_STAMP,
}

_DECLARED: Mapping[str, frozenset[bytes]] = {
    "elicitation": frozenset((b"{}", b'{"form":{}}', b'{"url":{}}', b'{"form":{},"url":{}}')),
    "roots": frozenset((b"{}", b'{"listChanged":true}', b'{"listChanged":false}')),
    "sampling": frozenset((b"{}",)),
}
"""Capabilities as clients declare them. One that is declared otherwise is for the SDK to make out."""

_SORTED = orjson.OPT_SORT_KEYS
_SAID_OF_ITSELF = frozenset(("name", "version", "title", "description", "websiteUrl"))

NOTHING = b""
"""What a notification is answered with."""


class Early:
    """Answers lines, in the order in which they came, for one client of a connection of its own."""

    def __init__(self, clients: "Clients") -> None:
        self._clients = clients
        self._era = ""
        self._asks: bool | None = None
        self._is_over = False

    def answer(self, line: bytes | None) -> bytes | None:
        """The line to answer with, ``NOTHING`` for a notification; None: this line and all after it are the SDK's."""
        answered = None if self._is_over or line is None else self._answered(line)
        self._is_over = answered is None
        return answered

    def _answered(self, line: bytes) -> bytes | None:
        try:
            message = parse(line, limit_bytes=MAX_MESSAGE)
        except NotJson:
            return None
        match message:
            case {"jsonrpc": "2.0", "method": str(method), **more} if more.keys() <= {"id", "params"}:
                params = more.get("params", {})
            case _:
                return None
        if "id" not in more:
            known = method == "notifications/initialized" and self._asks is not None and params == {}
            return NOTHING if known else None
        if type(params) is not dict or type(more["id"]) not in (int, str):
            return None
        try:
            result = self._result(method, params)
            return None if result is None else orjson.dumps({"jsonrpc": "2.0", "id": more["id"], "result": result})
        except Exception:  # no ledger, too deep a schema, or worse: the SDK's path meets the same, and words it
            return None

    def _result(self, method: str, params: dict[str, Any]) -> dict[str, Any] | None:
        meta = params.get("_meta")
        if type(meta) is dict and _VERSION in meta:
            return self._stateless(method, meta) if params.keys() == {"_meta"} else None
        if self._era == "stateless":
            return None
        self._era = "handshake"
        if method == "initialize":
            return self._initialized(params)
        if params:
            return None
        if method == "ping":
            return {}
        if method == "tools/list" and self._asks is not None:
            return eras.listing(self._clients.opened(PIPE, asks=self._asks, modern=False).tools(), modern=False)
        return None

    def _initialized(self, params: dict[str, Any]) -> dict[str, Any] | None:
        if self._asks is not None or params.keys() != {"protocolVersion", "capabilities", "clientInfo"}:
            return None
        version, declared = params["protocolVersion"], params["capabilities"]
        if version not in HANDSHAKE_VERSIONS or not _is_plain(params["clientInfo"], declared):
            return None
        self._asks = _asks(declared)
        return {"capabilities": _OFFERED, "protocolVersion": version, "serverInfo": _SERVER}

    def _stateless(self, method: str, meta: dict[str, Any]) -> dict[str, Any] | None:
        if self._era == "handshake" or meta.keys() != _ENVELOPE or meta[_VERSION] != STATELESS_VERSION:
            return None
        declared = meta[_CAPABILITIES]
        if not _is_plain(meta[_CLIENT], declared):
            return None
        self._era = "stateless"
        if method == "server/discover":
            return _DISCOVERED
        if method != "tools/list":
            return None
        tools = self._clients.opened(STATELESS, asks=_asks(declared), modern=True).tools()
        return {**eras.listing(tools, modern=True), **_STAMP}


def _is_plain(info: Any, declared: Any) -> bool:
    """Whether what a client says of itself and of what it can do has a shape that every version takes."""
    if type(info) is not dict or not {"name", "version"} <= info.keys() <= _SAID_OF_ITSELF:
        return False
    if type(declared) is not dict or not declared.keys() <= _DECLARED.keys():
        return False
    plain = all(orjson.dumps(said, None, _SORTED) in _DECLARED[name] for name, said in declared.items())
    return plain and all(type(value) is str for value in info.values())


def _asks(declared: dict[str, Any]) -> bool:
    asking = declared.get("elicitation")
    return asking is not None and ("form" in asking or "url" not in asking)


__all__ = ["HANDSHAKE_VERSIONS", "NOTHING", "STATELESS_VERSION", "Early"]
