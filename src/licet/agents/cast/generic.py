"""The handler of a manifest that names none: it says what its model says."""

from typing import TYPE_CHECKING

from ...model.event import Event
from ..workflow import Driver
from ..workflow.standing import document
from .prompt import Extra
from .scene import Scene

if TYPE_CHECKING:
    from .agent import ManifestAgent


async def generic(agent: "ManifestAgent", scene: Scene, /) -> list[Event]:
    """One event of the first kind that the manifest lists, with the model's words. Who may emit nothing is silent.

    Who works on a task reads where it stands: what was asked, and what was answered.
    """
    if not agent.manifest.may_emit:
        return []
    extra = [Extra("WHERE IT STANDS", document(agent.drive.state))] if isinstance(agent.drive, Driver) else []
    text = await agent.say(await agent.prompt(scene, *extra))
    return [Event(agent.manifest.may_emit[0], {"text": text})]
