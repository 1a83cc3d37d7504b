"""Which command each intrinsic returns. Nothing else may return one of these and be heard."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from .bounds import NAME
from .schemas import SCHEMAS

READ = "read"
"""The command of an intrinsic that looks and changes nothing."""

KINDS: Mapping[str, str] = MappingProxyType(
    {
        "create_plan": "attach_plan",
        "complete_step": "complete_step",
        "spawn_subtask": "spawn_subtask",
        "ask_participant": "wait_for_reply",
        "create_task_for_participant": "create_participant_task",
        "set_participant_role": "set_role",
        "list_skills": READ,
        "load_skill": "skill_loaded",
        "unload_skill": "skill_unloaded",
        "list_skill_resources": READ,
        "load_skill_resource": READ,
        "emit_ui": "ui_emitted",
    }
)
"""Name of an intrinsic -> the kind of its command."""

_LOADED = {
    "type": "object",
    "properties": {
        "name": SCHEMAS["load_skill"]["properties"]["name"],
        "digest": {"type": "string", "pattern": "^sha256:[0-9a-f]{64}$"},
        "instructions": {"type": "string"},
        "tools": {"type": "array", "items": {"type": "string", "maxLength": 3 * NAME}},
    },
    "required": ["name", "digest", "instructions", "tools"],
    "additionalProperties": False,
}

PAYLOADS: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {kind: SCHEMAS[name] for name, kind in KINDS.items() if kind not in (READ, "skill_loaded")}
    | {"skill_loaded": _LOADED, READ: {"type": "object"}}
)
"""Kind of a command -> the schema of its payload: the tool's own arguments, where it adds nothing to them."""
