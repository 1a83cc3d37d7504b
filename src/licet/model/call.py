"""One request by one principal."""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from .principal import Principal
from .verdict import Deny


class Request(NamedTuple):
    """What a model or a program asks for, before anybody looked at it. ``arguments`` may be JSON text."""

    tool: str
    arguments: Mapping[str, Any] | str | bytes | None = None
    call_id: str | None = None


class ToolCall(NamedTuple):
    """A request with its arguments frozen as canonical JSON: what is judged, approved and run is the same bytes.

    ``problem`` is what room 1 found wrong; such a call still walks on, so that it is refused in order and recorded.
    ``named`` says that the caller chose the id, so that the ledger may know it already.
    """

    id: str
    run_id: str
    principal: Principal
    tool: str
    payload: bytes
    problem: Deny | None = None
    named: bool = False

    @property
    def arguments(self) -> dict[str, Any]:
        """A fresh copy on each access: nobody can change what was approved."""
        fresh: dict[str, Any] = json.loads(self.payload)
        return fresh
