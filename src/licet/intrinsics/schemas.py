"""The arguments of the twelve, each a closed object. What the contract pins is made here and nowhere else."""

from collections.abc import Mapping
from typing import Any, get_args

from ..model.workflow import Role
from .bounds import LINE, MOST_STEPS, NAME, TEXT

RESOURCE_KINDS = ("scripts", "references", "assets")
"""The folders of a skill that may hold resources."""

A2UI_ACTIONS = ("createSurface", "updateComponents", "updateDataModel", "deleteSurface")
"""What a message from server to client does: one of these."""

_NAMED = "^[a-z0-9]+(-[a-z0-9]+)*$"


def _text(description: str, most: int = TEXT) -> dict[str, Any]:
    return {"type": "string", "minLength": 1, "maxLength": most, "description": description}


def _texts(description: str, most: int, of: int, least: int = 0) -> dict[str, Any]:
    item = {"type": "string", "minLength": 1, "maxLength": of}
    told = {"type": "array", "items": item, "maxItems": most, "uniqueItems": True, "description": description}
    return {**told, "minItems": least} if least else told


def _closed(properties: Mapping[str, Any], *optional: str) -> dict[str, Any]:
    required = [name for name in properties if name not in optional]
    return {"type": "object", "properties": dict(properties), "required": required, "additionalProperties": False}


_STEP = _closed(
    {
        "name": _text("What the step is called: no two steps of a plan have one name.", NAME),
        "description": _text("What is to be done."),
        "depends_on": _texts("Names of the steps that have to be finished before.", MOST_STEPS, NAME),
    }
)
_SKILL = {**_text("As list_skills names it.", 64), "pattern": _NAMED}
_PERSON = _text("Who, by their id among the participants.", NAME)
_CRITERIA = _texts("By what somebody tells that it is done.", 16, LINE)
_FOR_STEP = _text("The step of the plan that this is a part of.", NAME)
_ROLES = {"type": "string", "enum": list(get_args(Role)), "description": "What they are from now on."}
_MESSAGE = {
    "type": "object",
    "properties": {"version": {"type": "string", "enum": ["v0.9", "v0.9.1"]}}
    | {action: {"type": "object"} for action in A2UI_ACTIONS},
    "required": ["version"],
    "minProperties": 2,
    "maxProperties": 2,
    "additionalProperties": False,
    "description": "One message from server to client, A2UI v0.9: its version, and one thing to do.",
}
_TASK = {
    "name": _text("What the task is called.", NAME),
    "goal": _text("What is wanted."),
    "acceptance_criteria": _CRITERIA,
}

SCHEMAS: Mapping[str, Mapping[str, Any]] = {
    "create_plan": _closed(
        {
            "steps": {
                "type": "array",
                "items": _STEP,
                "minItems": 1,
                "maxItems": MOST_STEPS,
                "description": "All steps of the plan, in any order; what they depend on forms no circle.",
            }
        }
    ),
    "complete_step": _closed(
        {"step": _text("The name of the step.", NAME), "output": _text("What came of it, for the steps after it.")}
    ),
    "spawn_subtask": _closed(
        {**_TASK, "agent": _text("Who is to do it; anybody, if absent.", NAME), "step": _FOR_STEP}, "agent", "step"
    ),
    "ask_participant": _closed(
        {
            "participant_id": _PERSON,
            "question": _text("What is asked. The work pauses until it is answered."),
            "options": _texts("The only answers that there are; none: any text is one.", 16, LINE),
        }
    ),
    "create_task_for_participant": _closed({"participant_id": _PERSON, **_TASK, "step": _FOR_STEP}, "step"),
    "set_participant_role": _closed({"participant_id": _PERSON, "role": _ROLES}),
    "list_skills": _closed({}),
    "load_skill": _closed({"name": _SKILL}),
    "unload_skill": _closed({"name": _SKILL}),
    "list_skill_resources": _closed({"name": _SKILL}),
    "load_skill_resource": _closed(
        {
            "name": _SKILL,
            "kind": {"type": "string", "enum": list(RESOURCE_KINDS), "description": "The folder that holds it."},
            "resource": _text("The name of the file in that folder.", NAME),
        }
    ),
    "emit_ui": _closed(
        {
            "messages": {
                "type": "array",
                "items": _MESSAGE,
                "minItems": 1,
                "maxItems": 64,
                "description": "In the order in which a client reads them.",
            }
        }
    ),
}
"""Name of an intrinsic -> the schema of its arguments."""
