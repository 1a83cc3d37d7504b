"""A LiteLLM configuration whose boundary is the profile's. It points at ``licet serve``: LiteLLM strips no schema."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from ...errors import ConfigurationError
from ...profiles.fields import fields
from ...profiles.flat import flat_name
from ...profiles.omission import missing
from ...profiles.strip import stripped
from ...profiles.terms import profile, shipped
from ...schema.subschemas import Reach, subschemas
from .endpoint import endpoint

SEPARATOR = "MCP_TOOL_PREFIX_SEPARATOR"
"""The variable that makes LiteLLM's names flat names: ``_``. LiteLLM reads it once, when it is imported."""

TOKEN = "LICET_TOKEN"
"""The variable that holds the token of ``licet serve --http``, there and here."""

Schemas = Mapping[str, Mapping[str, Any]]
"""Input schemas by the names that the tools have over MCP."""


def configuration(url: str, schemas: Schemas, name: str | None = None, *, token: bool = True) -> dict[str, Any]:
    """The value of a configuration with one server, the engine behind ``licet serve`` at this URL.

    ``schemas`` are what it serves; of these the profile's tools are allowed, observe without a name, and of each tool
    the arguments that its schema declares. A tool without a flat name is left out. ``token`` sends the one in
    LICET_TOKEN.

    Raises:
        ConfigurationError: there is no such profile, a tool of it is not served, or the URL is no endpoint.
    """
    held = profile(name)
    absent = missing(held, schemas)
    if absent:
        raise ConfigurationError(
            f"the profile {held.name} has {', '.join(absent)}, which is not served; serve it first"
        )
    allowed = [tool for tool in schemas if held.has(tool) and is_flat(tool)]
    signed = {"auth_type": "bearer_token", "auth_value": f"os.environ/{TOKEN}"} if token else {"auth_type": "none"}
    server = {
        "url": endpoint(url),
        "transport": "http",
        **signed,
        "allowed_tools": allowed,
        "allowed_params": {tool: parameters(schemas[tool]) for tool in allowed},
    }
    return {"mcp_servers": {shipped().server: server}}


def is_flat(tool: str) -> bool:
    """Whether LiteLLM's name of a tool is its flat name. LiteLLM puts the server's name before it, as it stands."""
    try:
        return flat_name(tool) == shipped().prefix + tool
    except ConfigurationError:
        return False


def parameters(schema: Mapping[str, Any]) -> list[str]:
    """The arguments that a schema declares for the whole object, without those that no model may set."""
    clean = stripped(schema, fields(shipped().never_model_facing)).copy()
    return list(dict.fromkeys(_declared(clean)))


def written(value: Mapping[str, Any]) -> str:
    """The configuration as YAML, with what else has to be set."""
    lines = [
        f"# Start LiteLLM with {SEPARATOR}=_ in its environment: its names are the flat names then, and only then.",
        "# It points at licet serve, which strips and scrubs. Checked by: licet litellm lint FILE",
    ]
    return "\n".join([*lines, *_yaml(value, 0)]) + "\n"


def _declared(schema: dict[str, Any]) -> Iterator[str]:
    yield from schema.get("properties") or ()
    for held in subschemas(schema):
        if held.reach is Reach.HERE and held.path[0] not in ("not", "if"):
            yield from _declared(held.schema)


def _yaml(value: Mapping[str, Any], depth: int) -> Iterator[str]:
    for key, held in value.items():
        told = f"{'  ' * depth}{json.dumps(key) if not key.isidentifier() else key}:"
        if isinstance(held, Mapping) and held:
            yield told
            yield from _yaml(held, depth + 1)
        else:
            yield f"{told} {json.dumps(held)}"


__all__ = ["SEPARATOR", "TOKEN", "configuration", "is_flat", "parameters", "written"]
