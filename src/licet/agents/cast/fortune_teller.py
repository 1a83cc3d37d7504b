"""The handler ``fortune-teller``: it draws an omen, lets its model speak of it, and records what it drew."""

from typing import TYPE_CHECKING

from ...doors.registry import as_object
from ...errors import InvalidResultError
from ...model.event import Event
from .prompt import Extra
from .scene import Scene

if TYPE_CHECKING:
    from .agent import ManifestAgent

ORACLE = "oracle"
SPOKE = "oracle.spoke"


class FortuneTeller:
    """Asks the oracle before its model. The omen is the tool's: its model reads it, and cannot change it."""

    async def __call__(self, agent: "ManifestAgent", scene: Scene, /) -> list[Event]:
        """Raises ToolError: the oracle was refused or failed; its model was not asked."""
        seed = f"{scene.seed} {scene.turn}"
        drawn = await agent.result_of(ORACLE, {"seed": seed})
        omen = as_object(drawn).get("omen")
        if not isinstance(omen, str):
            raise InvalidResultError(f"{ORACLE} gave no omen; its answer has to hold one", tool_name=drawn.tool)
        text = await agent.say(await agent.prompt(scene, Extra("THE OMEN", drawn)))
        return [Event(SPOKE, {"omen": omen, "seed": seed, "text": text})]
