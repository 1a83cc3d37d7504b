"""What is shown to people: messages of A2UI v0.9, from server to client.

``a2ui-core`` says whether a message is one. It is lenient where the protocol is not, so the rest is asked here.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ..model.workflow import State
from .refusal import refusal


def validate(messages: Sequence[Mapping[str, Any]]) -> None:
    """Each of them as a message of the protocol. Their outermost shape was looked at already.

    Raises:
        ToolFailedError: ``ui_missing``, the extra is not installed; ``not_a2ui``, a message is none.
    """
    try:
        from a2ui.core.schema.v0_9.server_to_client import AGENT_TO_RENDERER_DEFS as MODELS
    except ImportError:
        raise refusal("ui_missing", "this needs an extra: pip install 'licet[ui]'") from None
    for at, message in enumerate(messages):
        action = _action(message)
        try:
            read = MODELS[f"{action[0].upper()}{action[1:]}Message"].model_validate(message, strict=True)
        except ValueError as exc:
            raise _not_one(at, _problem(exc)) from None
        if read.model_dump(by_alias=True, exclude_unset=True) != message:
            raise _not_one(at, "keys are spelt as the protocol spells them: surfaceId, not surface_id")
        components = message[action].get("components")
        if action == "updateComponents" and not (components and all(map(_is_component, components))):
            raise _not_one(at, "it has components, each with an id and a component, which are texts")


def surfaces_after(state: State, messages: Sequence[Mapping[str, Any]]) -> frozenset[str]:
    """The surfaces that are there once these messages were read too.

    Raises:
        ToolFailedError: ``surface_exists``, one is created twice; ``unknown_surface``, one was never created.
    """
    there: set[str] = set()
    for shown in state.surfaces:
        there = _after(there, json.loads(shown.messages), strictly=False)
    return frozenset(_after(there, messages, strictly=True))


def _after(there: set[str], messages: Sequence[Mapping[str, Any]], *, strictly: bool) -> set[str]:
    for message in messages:
        action = _action(message)
        surface = message[action].get("surfaceId")
        if not isinstance(surface, str):
            continue
        if strictly and action == "createSurface" and surface in there:
            raise refusal("surface_exists", f"the surface {surface[:80]!r} is there; update it, or delete it first")
        if strictly and action != "createSurface" and surface not in there:
            raise refusal("unknown_surface", f"there is no surface {surface[:80]!r}; createSurface makes one")
        (there.discard if action == "deleteSurface" else there.add)(surface)
    return there


def _action(message: Mapping[str, Any]) -> str:
    """What a message does: its one key beside the version."""
    return next(key for key in message if key != "version")


def _is_component(component: Mapping[str, Any]) -> bool:
    return all(isinstance(component.get(key), str) and component[key] for key in ("id", "component"))


def _not_one(at: int, why: str) -> Exception:
    return refusal("not_a2ui", f"messages[{at}] is no message of A2UI v0.9 from server to client: {why}")


def _problem(exc: ValueError) -> str:
    """The first thing that is wrong, without the value."""
    found = getattr(exc, "errors", None)
    if found is None:
        return "it has another shape"
    first = found(include_url=False, include_input=False)[0]
    place = "/".join(str(part)[:80] for part in first["loc"])
    return f"/{place}: {first['msg'][:200]}"
