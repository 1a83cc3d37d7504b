"""What is shown to people: messages of A2UI v0.9, from server to client.

``a2ui-core`` says whether a message is one. It is lenient where the protocol is not, so the rest is asked here.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ..model.workflow import State
from .refusal import refusal

_ACTIONS = ("createSurface", "updateComponents", "updateDataModel", "deleteSurface")


def validate(messages: Sequence[Mapping[str, Any]]) -> None:
    """Each of them as a message of the protocol.

    Raises:
        ToolFailedError: ``ui_missing``, the extra is not installed; ``not_a2ui``, a message is none.
    """
    try:
        from a2ui.core.schema.v0_9.server_to_client import AGENT_TO_RENDERER_DEFS
    except ImportError:
        raise refusal("ui_missing", "this needs an extra: pip install 'licet[ui]'") from None
    models = {name: AGENT_TO_RENDERER_DEFS[f"{name[0].upper()}{name[1:]}Message"] for name in _ACTIONS}
    for at, message in enumerate(messages):
        told = [action for action in _ACTIONS if action in message]
        if len(told) != 1:
            raise _not_one(at, f"it holds one of {', '.join(_ACTIONS)}")
        try:
            read = models[told[0]].model_validate(message, strict=True)
        except ValueError as exc:
            raise _not_one(at, _problem(exc)) from None
        written = read.model_dump(by_alias=True, exclude_unset=True)
        if written != message:
            raise _not_one(at, "keys are spelt as the protocol spells them: surfaceId, not surface_id")
        if "version" not in message:
            raise _not_one(at, "it names its version: v0.9")
        for component in message.get("updateComponents", {}).get("components", ()):
            if not all(isinstance(component.get(key), str) and component[key] for key in ("id", "component")):
                raise _not_one(at, "each component has an id and a component, which are texts")
        if message.get("updateComponents", {}).get("components") == []:
            raise _not_one(at, "it has at least one component")


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
        action = next((action for action in _ACTIONS if isinstance(message.get(action), dict)), "")
        surface = message[action].get("surfaceId") if action else None
        if not isinstance(surface, str):
            continue
        if strictly and (action == "createSurface") == (surface in there):
            if surface in there:
                raise refusal("surface_exists", f"the surface {surface[:80]!r} is there; update it, or delete it first")
            raise refusal("unknown_surface", f"there is no surface {surface[:80]!r}; createSurface makes one")
        (there.discard if action == "deleteSurface" else there.add)(surface)
    return there


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
