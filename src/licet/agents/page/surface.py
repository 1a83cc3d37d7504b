"""The surfaces that the messages of A2UI v0.9 lead to, one after the other."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ...model.workflow import ShownSurface

MOST_PARTS = 64
"""Of one pointer."""


@dataclass(slots=True)
class Surface:
    """``components`` by id, the one with which it begins is ``root``; ``data`` is what they are bound to."""

    id: str
    components: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    data: Any = None

    def value(self, path: str, scope: str = "") -> Any:
        """What stands at a pointer, which is relative to ``scope`` unless it begins with a slash; None: nothing."""
        found = self.data
        for part in _parts(path if path.startswith("/") else f"{scope}/{path}"):
            if isinstance(found, dict):
                found = found.get(part)
            elif isinstance(found, list) and part.isascii() and part.isdigit() and int(part) < len(found):
                found = found[int(part)]
            else:
                return None
        return found


def surfaces(shown: Iterable[ShownSurface]) -> tuple[Surface, ...]:
    """Those that are there at the end, in the order in which they were made."""
    there: dict[str, Surface] = {}
    for one in shown:
        for message in json.loads(one.messages):
            _take(there, message)
    return tuple(there.values())


def _take(there: dict[str, Surface], message: Mapping[str, Any]) -> None:
    action = next((key for key in message if key != "version"), "")
    told = message.get(action)
    id = told.get("surfaceId") if isinstance(told, dict) else None
    if not isinstance(told, dict) or not isinstance(id, str):
        return
    if action == "createSurface":
        there[id] = Surface(id)
    elif action == "deleteSurface":
        there.pop(id, None)
    elif id in there and action == "updateComponents":
        there[id].components.update({part["id"]: part for part in told["components"] if _is_component(part)})
    elif id in there and action == "updateDataModel":
        there[id].data = _put(there[id].data, _parts(told.get("path") or "/"), told.get("value"))


def _is_component(part: Any) -> bool:
    return isinstance(part, dict) and all(isinstance(part.get(key), str) for key in ("id", "component"))


def _put(data: Any, parts: list[str], value: Any) -> Any:
    """The data with a value put somewhere; what stands in the way is replaced."""
    if not parts:
        return value
    first, rest = parts[0], parts[1:]
    if isinstance(data, list) and first.isascii() and first.isdigit() and int(first) <= len(data):
        at, held = int(first), list(data)
        held[at : at + 1] = [_put(held[at] if at < len(held) else None, rest, value)]
        return held
    under = dict(data) if isinstance(data, dict) else {}
    under[first] = _put(under.get(first), rest, value)
    return under


def _parts(path: str) -> list[str]:
    return [part.replace("~1", "/").replace("~0", "~") for part in path.split("/", MOST_PARTS) if part]


__all__ = ["Surface", "surfaces"]
