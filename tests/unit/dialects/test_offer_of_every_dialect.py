"""Every dialect takes every schema, and what its offer lists is what lowering listed."""

import json
from types import ModuleType
from typing import Any

import pytest
from lower_account import dangling
from lower_samples import EVERY, KEYWORDS

from licet.dialects import anthropic, bedrock, gemini, mcp_offer, mistral, ollama, openai_chat, openai_responses
from licet.dialects.lower import lowered
from licet.dialects.lower.forms import (
    ANTHROPIC,
    ANTHROPIC_STRICT,
    BEDROCK,
    BEDROCK_STRICT,
    GEMINI,
    MCP,
    MISTRAL,
    OLLAMA,
    OPENAI_CHAT,
    OPENAI_RESPONSES,
    OPENAI_STRICT,
)
from licet.model.tool import ToolSpec

DIALECTS: dict[ModuleType, tuple[Any, Any]] = {
    openai_chat: (OPENAI_CHAT, OPENAI_STRICT),
    openai_responses: (OPENAI_RESPONSES, OPENAI_STRICT),
    anthropic: (ANTHROPIC, ANTHROPIC_STRICT),
    gemini: (GEMINI, GEMINI),
    bedrock: (BEDROCK, BEDROCK_STRICT),
    mistral: (MISTRAL, MISTRAL),
    ollama: (OLLAMA, OLLAMA),
    mcp_offer: (MCP, MCP),
}
"""To what a dialect lowers a tool as it is, and one that is strict."""


def specs(*, strict: bool) -> list[ToolSpec]:
    return [
        ToolSpec(name=f"mcp/samples.n{number}", description="A tool.", input_schema=schema, strict=strict)
        for number, schema in enumerate(EVERY.values())
    ]


def schemas(node: Any) -> list[dict[str, Any]]:
    """The schemas of a wire, wherever its dialect puts them."""
    found = []
    if isinstance(node, dict):
        for key, value in node.items():
            here = key in ("parameters", "input_schema", "inputSchema", "parametersJsonSchema", "json")
            if here and isinstance(value, dict) and "json" not in value:
                found.append(value)
            else:
                found += schemas(value)
    elif isinstance(node, list):
        for value in node:
            found += schemas(value)
    return found


@pytest.mark.parametrize("strict", [False, True], ids=["as it is", "strict"])
@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda one: one.__name__.rpartition(".")[2])
def test_a_dialect_offers_every_tool_with_all_its_losses(dialect: ModuleType, strict: bool) -> None:
    tools = specs(strict=strict)
    made = dialect.compile(tools)
    assert dict(made.refused) == {}
    assert set(made.names.offered.values()) == {tool.name for tool in tools}
    wires = schemas(made.tools)
    assert len(wires) == len(tools) > len(KEYWORDS)
    assert all(str(wire["type"]).lower() == "object" for wire in wires)
    if dialect is not mcp_offer:
        assert [found for wire in wires for found in dangling(wire)] == []
    form = DIALECTS[dialect][strict]
    assert set(made.losses) == {loss for tool in tools for loss in lowered(tool.model_tool, form).losses}
    json.dumps(made.tools, allow_nan=False)
