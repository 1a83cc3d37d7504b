"""What an intrinsic returns instead of doing it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .json_object import JsonObject

NO_PAYLOAD = JsonObject(b"{}")


@dataclass(frozen=True, slots=True)
class WorkflowCommand:
    """A wish that the workflow applies deterministically; the model reads its result on its next turn."""

    kind: str
    payload: Mapping[str, Any] = NO_PAYLOAD
