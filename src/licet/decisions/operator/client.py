"""Asking the operator's port of an engine that runs on this machine."""

import json
from collections.abc import Mapping
from http.client import HTTPConnection, HTTPException
from typing import Any

_PATIENCE_S = 90.0
"""An execution takes as long as its webhook may."""


def ask(port: int, credential: str, action: str, arguments: Mapping[str, Any]) -> tuple[int, Any]:
    """The status and the value of an answer. Raises OSError: nobody answers there as an engine does."""
    connection = HTTPConnection("127.0.0.1", port, timeout=_PATIENCE_S)
    try:
        headers = {"Authorization": f"Bearer {credential}", "Content-Type": "application/json"}
        connection.request("POST", f"/v1/{action}", json.dumps(arguments), headers)
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())
    except (HTTPException, ValueError) as exc:
        raise OSError(f"what answers is no engine ({type(exc).__name__})") from exc
    finally:
        connection.close()


__all__ = ["ask"]
