"""What the tools of one group declare alike, written out once for each group and checked value by value in a test."""

from collections.abc import Callable, Mapping
from typing import Any, Literal

from ...model.tool import Annotations, Execution, ToolCapability, ToolSpec

_PATH = {
    "type": "string",
    "minLength": 1,
    "maxLength": 4096,
    "description": "Relative to the project, such as 'src/main.py'.",
}


def path_property(description: str = "") -> dict[str, Any]:
    """The schema of an argument that holds a path."""
    return {**_PATH, "description": description or _PATH["description"]}


def limit_property(default: int, maximum: int, of: str, minimum: int = 1) -> dict[str, Any]:
    """The schema of an argument that bounds a result."""
    told = f"At most this many {of}; {default} if absent, {maximum} at most."
    return {"type": "integer", "minimum": minimum, "maximum": maximum, "description": told}


def closed_object(properties: Mapping[str, Any], required: tuple[str, ...]) -> dict[str, Any]:
    """The schema of an object that holds nothing else."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(required),
        "additionalProperties": False,
    }


def reader(
    name: str,
    description: str,
    handler: Callable[..., Any],
    *,
    title: str,
    category: Literal["read", "search"],
    inline: bool,
    input_schema: Mapping[str, Any],
    output_schema: Mapping[str, Any],
) -> ToolSpec:
    """A tool of ``read_only_builtins``. ``inline`` is for those that answer faster than a thread starts."""
    return ToolSpec(
        name=name,
        title=title,
        description=description,
        input_schema=input_schema,
        output_schema=output_schema,
        source="builtin",
        group="read_only_builtins",
        category=category,
        annotations=Annotations(read_only=True, destructive=False, open_world=False, idempotent=True),
        capabilities=ToolCapability(
            read_only=True,
            writes=False,
            checkpointable=False,
            idempotent=True,
            unsafe=False,
            human_approval_required=False,
        ),
        execution=Execution(mode="parallel", timeout_s=30.0, abortable=True, inline=inline),
        path_access="danger_full_access",
        path_arguments=("/path",),
        tool_type="tool",
        schema_inferred=False,
        handler=handler,
    )


def editor(
    name: str,
    description: str,
    handler: Callable[..., Any],
    *,
    title: str,
    input_schema: Mapping[str, Any],
    output_schema: Mapping[str, Any],
    checkpoint: Callable[..., Any],
    restore: Callable[..., Any],
) -> ToolSpec:
    """A tool of ``editing_builtins``: it runs alone, and what it did can be undone."""
    return ToolSpec(
        name=name,
        title=title,
        description=description,
        input_schema=input_schema,
        output_schema=output_schema,
        source="builtin",
        group="editing_builtins",
        category="write",
        annotations=Annotations(read_only=False, destructive=True, open_world=False, idempotent=False),
        capabilities=ToolCapability(
            read_only=False,
            writes=True,
            checkpointable=True,
            idempotent=False,
            unsafe=False,
            human_approval_required=False,
        ),
        execution=Execution(mode="sequential", timeout_s=30.0, abortable=False, inline=False),
        path_access="danger_full_access",
        path_arguments=("/path",),
        tool_type="tool",
        schema_inferred=False,
        handler=handler,
        checkpoint=checkpoint,
        restore=restore,
    )
