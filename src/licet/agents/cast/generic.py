"""The handler of a manifest that names none: it says what its model says."""

from typing import TYPE_CHECKING

from ...model.event import Event
from .scene import Scene

if TYPE_CHECKING:
    from .agent import ManifestAgent


async def generic(agent: "ManifestAgent", scene: Scene, /) -> list[Event]:
    """One event of the first kind that the manifest lists, with the model's words. Who may emit nothing is silent."""
    if not agent.manifest.may_emit:
        return []
    text = await agent.say(await agent.prompt(scene))
    return [Event(agent.manifest.may_emit[0], {"text": text})]
