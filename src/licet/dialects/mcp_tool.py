"""A tool's definition as a spec of ours, and in the protocol's words for whoever is served."""

from typing import Any, NamedTuple

from ..model.json_object import JsonObject
from ..model.names import parse
from ..model.server import ServerSpec
from ..model.tool import Annotations, Execution, ToolCapability, ToolSpec

HINTS = {
    "readOnlyHint": "read_only",
    "destructiveHint": "destructive",
    "idempotentHint": "idempotent",
    "openWorldHint": "open_world",
}
"""What the protocol calls a claim, and what it is called here."""

HEADER = "x-mcp-header"
"""Has a client repeat an argument in an HTTP header, which proxies log."""

_NAMED = frozenset(("properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"))
_VALUES = frozenset(("const", "enum", "default", "examples", "dependentRequired", "required"))


class Definition(NamedTuple):
    """The parts of a tool that are pinned, shown and handed on. ``name`` is the server's own.

    ``title`` is the tool's, or that of its annotations. Members of a schema's root that are null are left out.
    """

    name: str
    title: str | None
    description: str
    input_schema: JsonObject
    output_schema: JsonObject | None
    annotations: Annotations


def spec_of(definition: Definition, server: ServerSpec) -> ToolSpec:
    """The tool under its canonical name, as nobody vouches for it: it writes. An operator's word comes after."""
    return ToolSpec(
        name=f"{server.name}.{definition.name}",
        description=definition.description,
        title=definition.title,
        input_schema=definition.input_schema,
        output_schema=definition.output_schema,
        source="mcp",
        group=server.name,
        annotations=definition.annotations,
        capabilities=ToolCapability(writes=True),
        execution=Execution(timeout_s=server.timeout_s),
    )


def definition_of(spec: ToolSpec) -> Definition:
    """What a client may be told of any tool: of a server's, exactly the definition that its spec came from."""
    return Definition(
        name=parse(spec.name).tool,
        title=spec.title,
        description=spec.description,
        input_schema=JsonObject.of(spec.input_schema),
        output_schema=None if spec.output_schema is None else JsonObject.of(spec.output_schema),
        annotations=spec.annotations,
    )


def wire_tool(definition: Definition, name: str, *, modern: bool = False) -> dict[str, Any]:
    """The pinned parts as a client reads them, under ``name``. No argument is to be repeated in a header.

    A client of a protocol before 2026-07-28 refuses a whole listing for one output schema that is no object's: without
    ``modern`` it is left out.
    """
    told: dict[str, Any] = {"name": name}
    if definition.title is not None:
        told["title"] = definition.title
    if definition.description:
        told["description"] = definition.description
    told["inputSchema"] = without_headers(definition.input_schema.copy())
    output = None if definition.output_schema is None else definition.output_schema.copy()
    if output is not None and (modern or output.get("type") == "object"):
        told["outputSchema"] = without_headers(output)
    claims = {hint: getattr(definition.annotations, fact) for hint, fact in HINTS.items()}
    if any(claim is not None for claim in claims.values()):
        told["annotations"] = {hint: claim for hint, claim in claims.items() if claim is not None}
    return told


def without_headers(schema: Any) -> Any:
    """A schema without ``x-mcp-header`` at any depth. A property of that name stays, and so does a value."""
    if isinstance(schema, list):
        return [without_headers(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    kept: dict[str, Any] = {}
    for keyword, held in schema.items():
        if keyword in _VALUES:
            kept[keyword] = held
        elif keyword in _NAMED and isinstance(held, dict):
            kept[keyword] = {name: without_headers(inner) for name, inner in held.items()}
        elif keyword != HEADER:
            kept[keyword] = without_headers(held)
    return kept
