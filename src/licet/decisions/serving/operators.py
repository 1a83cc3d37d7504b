"""The operator's port: ``POST /v1/ACTION`` with its own credential. It speaks no MCP, and no browser may use it."""

import hmac
from collections.abc import Callable, Mapping
from hashlib import sha256
from typing import Any

from ...schema.canonical import NotJson, parse
from ..engine import Engine
from ..error import DecisionError
from ..fit import fitted
from ..operator.schemas import ACTIONS
from .asgi import MOST_BODY, App, Receive, Scope, Send, answer, bearer, body, error, header
from .callers import LOOPBACK

PREFIX = "/v1/"


def operators(engine: Engine, credential: bytes, port: int) -> App:
    """``credential`` is the SHA-256 of it. Whoever does not have it learns nothing but that."""
    desk = engine.desk
    hosts = (f"{LOOPBACK}:{port}", f"localhost:{port}")
    actions: Mapping[str, Callable[[Mapping[str, Any]], dict[str, Any]]] = {
        **{name: getattr(desk, name) for name in ACTIONS if name != "keys"},
        "keys": lambda told: desk.keys(),
    }

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        status, told = await _answered(scope, receive)
        await answer(send, status, told)

    async def _answered(scope: Scope, receive: Receive) -> tuple[int, dict[str, Any]]:
        if header(scope, b"host") not in hosts or header(scope, b"origin") is not None:
            return 403, error(403, "host_not_allowed", "this port is for this machine's command line")
        given = sha256(bearer(scope).encode("utf-8", "surrogateescape")).digest()
        if not hmac.compare_digest(given, credential):
            return 401, error(401, "credential_wrong", "send the operator's credential as a bearer token")
        name = scope["path"].removeprefix(PREFIX)
        if scope["method"] != "POST" or scope["path"] != PREFIX + name or name not in ACTIONS:
            return 404, error(404, "action_unknown", f"POST one of {', '.join(ACTIONS)} to {PREFIX}ACTION")
        text = await body(receive)
        if text is None:
            return 413, error(413, "body_too_large", f"send at most {MOST_BODY} bytes")
        try:
            value = parse(text or b"{}", limit_bytes=MOST_BODY)
            if not isinstance(value, dict):
                return 422, error(422, "invalid_arguments", "send a JSON object")
            arguments = fitted(ACTIONS[name], value, where=name)
            return 200, await engine.operate(actions[name], arguments)
        except NotJson as exc:
            return 422, error(422, "invalid_arguments", f"it is no strict JSON: {exc.problem}")
        except DecisionError as exc:
            return exc.status, exc.told()

    return app


__all__ = ["PREFIX", "operators"]
