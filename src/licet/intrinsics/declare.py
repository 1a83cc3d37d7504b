"""What the twelve declare alike, written out once and checked value by value in a test."""

from collections.abc import Callable, Mapping
from typing import Any

import orjson

from ..model.command import WorkflowCommand
from ..model.context import CallContext
from ..model.json_object import JsonObject
from ..model.tool import Annotations, Execution, ToolCapability, ToolSpec
from ..model.workflow import TaskView
from .bounds import PAYLOAD_BYTES
from .kinds import KINDS, READ
from .refusal import refusal
from .rules import judge
from .schemas import SCHEMAS

GROUP = "intrinsics"

Finish = Callable[[TaskView, dict[str, Any]], Mapping[str, Any]]
"""Makes the payload of a command out of the arguments; the state may be looked at, and nothing is changed."""


def _as_they_are(view: TaskView, arguments: dict[str, Any]) -> Mapping[str, Any]:
    return arguments


def declare(
    name: str,
    title: str,
    description: str,
    *,
    idempotent: bool = True,
    asks: bool = False,
    opens_files: bool = False,
    finish: Finish = _as_they_are,
) -> ToolSpec:
    """One intrinsic: it judges its arguments against the task of its run, and returns a command."""
    kind = KINDS[name]
    reads = kind == READ

    def handler(context: CallContext, **arguments: Any) -> WorkflowCommand:
        view = context.task
        if view is None:
            raise refusal("no_task", "this run works on no task, so there is no workflow to do this in")
        payload = finish(view, arguments)
        judge(view.state, kind, payload, task=view.id, actor=view.actor)
        if (size := len(orjson.dumps({"command": kind, **payload}))) > PAYLOAD_BYTES:
            raise refusal("too_large", f"this would be {size} bytes, and at most {PAYLOAD_BYTES} are kept; say less")
        return WorkflowCommand(kind, JsonObject(payload))

    return ToolSpec(
        name=name,
        title=title,
        description=description,
        input_schema=SCHEMAS[name],
        source="builtin",
        group=GROUP,
        category="read" if reads else "utility",
        annotations=Annotations(read_only=reads, destructive=False, open_world=False, idempotent=idempotent),
        capabilities=ToolCapability(
            read_only=reads,
            writes=False,
            checkpointable=False,
            idempotent=idempotent,
            unsafe=False,
            human_approval_required=asks,
        ),
        execution=Execution(
            mode="parallel" if reads else "sequential", timeout_s=30.0, abortable=True, inline=not opens_files
        ),
        path_access="none",
        tool_type="intrinsic",
        schema_inferred=False,
        handler=handler,
    )
