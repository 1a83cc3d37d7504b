"""What a model reads when its agent acts. The operator's words stand plainly; what anybody else said stands in blocks.

The same manifest, scene, run and secret give the same bytes, whatever way its tools are reached.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import orjson

from ...dialects.untrusted import PREAMBLE, Fence
from ...model.result import ToolResult
from ...project.manifest import Manifest
from .memory import recalled
from .scene import Scene


class Extra(NamedTuple):
    """A part that a handler adds: a heading of its own, and what it got from elsewhere, a result or any JSON."""

    heading: str
    material: Any


def prompt(
    manifest: Manifest, scene: Scene, tools: Mapping[str, str], extra: Sequence[Extra], *, fence: Fence, id: str
) -> str:
    """``tools`` is name -> description of what was granted; ``id`` is what the ids of blocks begin with."""
    parts = [f"You are {manifest.name}, {_ROLES[manifest.role]}."]
    if manifest.persona:
        parts.append(manifest.persona)
    if scene.goal:
        parts.append(f"GOAL\n{scene.goal.strip()}")
    if tools:
        parts.append("\n".join(_tools(tools, fence, id)))
    events = list(_events(manifest, scene, fence, id))
    if events:
        parts.append("\n".join([f"RECENT EVENTS\n{PREAMBLE}", *events]))
    parts += (f"{one.heading}\n{_rendered(one.material, fence, f'{id}.{one.heading}')}" for one in extra)
    return "\n\n".join(parts) + "\n"


_ROLES = {"worker": "a worker", "judge": "a judge", "observer": "an observer", "reflector": "a reflector"}


def _tools(tools: Mapping[str, str], fence: Fence, id: str) -> Iterator[str]:
    yield f"AVAILABLE TOOLS\n{PREAMBLE}"
    for name, description in tools.items():
        yield fence.block(f"{id}.tool.{name}", name, description)


def _events(manifest: Manifest, scene: Scene, fence: Fence, id: str) -> Iterator[str]:
    for at, event in recalled(manifest, scene.events):
        label = f"{event.kind} {event.actor}".strip()
        yield fence.block(f"{id}.event.{event.id or at}", label, _json(event.payload))


def _rendered(material: Any, fence: Fence, id: str) -> str:
    if isinstance(material, ToolResult):
        return fence.render(material)
    text = material if isinstance(material, str) else _json(material)
    return f"{PREAMBLE}\n{fence.block(id, 'data', text)}"


def _json(value: Any) -> str:
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()


__all__ = ["Extra", "prompt"]
