"""One request by one principal."""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from .principal import Principal


class Request(NamedTuple):
    """What a model or a program asks for, before anybody looked at it. ``arguments`` may be JSON text."""

    tool: str
    arguments: Mapping[str, Any] | str | bytes | None = None
    call_id: str | None = None


class ToolCall(NamedTuple):
    """A request with its arguments frozen as canonical JSON: what is judged, approved and run is the same bytes."""

    id: str
    run_id: str
    principal: Principal
    tool: str
    payload: bytes
    parent: str | None = None

    @property
    def arguments(self) -> dict[str, Any]:
        """A fresh copy on each access: nobody can change what was approved."""
        fresh: dict[str, Any] = json.loads(self.payload)
        return fresh
