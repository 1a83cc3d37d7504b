"""No provider sees a fact of the runtime: a declaration has its dialect's own keys, and no value of such a fact."""

import json
from collections.abc import Iterable
from importlib import import_module
from typing import Any

import pytest

from licet.bundles.files import tools as file_tools
from licet.intrinsics import intrinsics
from licet.model.tool import Annotations, Execution, ModelTool, ToolCapability, ToolSpec
from wires import DIALECTS, compiled

EVERY = (*DIALECTS, "mcp")

PLANTED = "planted"
FULL = ToolSpec(
    name="mcp/sentinel.look",
    description="Look.",
    title=f"{PLANTED} title",
    input_schema={"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
    output_schema={"type": "object", "properties": {f"{PLANTED}_output": {"type": "string"}}},
    source="mcp",
    group=f"{PLANTED}_group",
    category="search",
    annotations=Annotations(read_only=False, destructive=True, open_world=True, idempotent=False),
    capabilities=ToolCapability(
        writes=True, checkpointable=True, idempotent=True, unsafe=True, human_approval_required=True
    ),
    execution=Execution(mode="parallel", timeout_s=1234.5, abortable=False, inline=True),
    path_access="allowed_roots",
    path_arguments=("/path",),
    tool_type="validation",
    schema_inferred=True,
    metadata={f"{PLANTED}_key": f"{PLANTED} value"},
    handler=lambda: PLANTED,
    checkpoint=lambda: PLANTED,
    restore=lambda: PLANTED,
)
KEYS = {
    "anthropic": [{"name", "description", "input_schema"}],
    "bedrock": [{"toolSpec"}, {"name", "description", "inputSchema"}, {"json"}],
    "gemini": [{"functionDeclarations"}, {"name", "description", "parametersJsonSchema"}],
    "mcp": [{"name", "description", "inputSchema"}],
    "mistral": [{"type", "function"}, {"name", "description", "parameters"}],
    "ollama": [{"type", "function"}, {"name", "description", "parameters"}],
    "openai_chat": [{"type", "function"}, {"name", "description", "parameters"}],
    "openai_responses": [{"type", "name", "description", "parameters", "strict"}],
}
"""Of a declaration, from the outside in."""

SCHEMAS = ("input_schema", "inputSchema", "parametersJsonSchema", "parameters")
FACTS = (
    PLANTED,
    "mcp",
    "sentinel",
    "parallel",
    "1234",
    "allowed_roots",
    "validation",
    "search",
    "destructive",
    "checkpoint",
)


def built_in() -> list[ToolSpec]:
    return [*file_tools(), *intrinsics()]


def tools_of(dialect: str, *specs: Any) -> list[dict[str, Any]]:
    made = import_module(f"licet.dialects.{dialect}").compile(specs)
    declared: list[dict[str, Any]] = made.tools
    return declared


def leaks(dialect: str, declared: Iterable[Any], facts: Iterable[str]) -> list[str]:
    """What of some declarations is not the dialect's own, or tells one of the facts."""
    found: list[str] = []
    level: list[Any] = list(declared)
    for allowed in KEYS[dialect]:
        inner: list[Any] = []
        for one in level:
            found += [f"key {key}" for key in one.keys() - allowed]
            for key, held in one.items():
                if key in SCHEMAS and not (dialect == "bedrock" and key == "inputSchema"):
                    continue
                inner += held if isinstance(held, list) else [held] if isinstance(held, dict) else []
        level = inner
    text = json.dumps(declared if isinstance(declared, list) else list(declared)).lower()
    return found + [f"value {fact}" for fact in facts if fact in text]


@pytest.mark.requirement("contract.provider-sees-model-tool-only")
@pytest.mark.parametrize("dialect", EVERY)
def test_a_tool_with_every_fact_set_is_declared_as_a_name_a_description_and_a_schema(dialect: str) -> None:
    chosen = {FULL.name: "look"}
    declared = import_module(f"licet.dialects.{dialect}").compile([FULL], chosen=chosen).tools
    assert "look" in json.dumps(declared)
    assert leaks(dialect, declared, FACTS) == []


@pytest.mark.requirement("contract.provider-sees-model-tool-only")
@pytest.mark.parametrize("dialect", EVERY)
def test_a_declaration_depends_on_the_model_facing_part_alone(dialect: str) -> None:
    bare = ToolSpec(name=FULL.name, description=FULL.description, input_schema=FULL.input_schema)
    assert tools_of(dialect, FULL) == tools_of(dialect, bare) == tools_of(dialect, FULL.model_tool)


@pytest.mark.requirement("contract.provider-sees-model-tool-only")
@pytest.mark.parametrize("dialect", EVERY)
def test_built_in_tools_are_declared_with_the_dialects_own_keys(dialect: str) -> None:
    specs = built_in()
    assert len(specs) > 15
    declared = tools_of(dialect, *specs)
    assert leaks(dialect, declared, ()) == []
    words = {spec.path_access for spec in specs} | {spec.group or "" for spec in specs} | {"current_project"}
    told = "".join(spec.description + spec.input_schema.json.decode() for spec in specs).lower()  # type: ignore[attr-defined]
    assert leaks(dialect, declared, [word for word in words if word and word != "none" and word not in told]) == []


@pytest.mark.parametrize("dialect", EVERY)
def test_the_control_a_planted_leak_is_found(dialect: str) -> None:
    declared = tools_of(dialect, FULL.model_tool._replace(name="local/look"))
    assert leaks(dialect, declared, FACTS) == []
    beside = [{**declared[0], "timeout_s": 1234.5}]
    assert set(leaks(dialect, beside, FACTS)) == {"key timeout_s", "value 1234"}
    told = tools_of(dialect, ModelTool("local/look", f"Look. {PLANTED} group", FULL.model_tool.input_schema))
    assert leaks(dialect, told, FACTS) == [f"value {PLANTED}"]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_strict_is_said_only_of_a_tool_that_asks_for_it_and_where_the_wire_has_it(dialect: str) -> None:
    closed = {
        "type": "object",
        "properties": {"a": {"type": "string"}},
        "required": ["a"],
        "additionalProperties": False,
    }
    strict = compiled(dialect, ToolSpec(name="t", input_schema=closed, strict=True)).tools
    loose = compiled(dialect, ToolSpec(name="t", input_schema=closed)).tools
    has = dialect in ("anthropic", "bedrock", "openai_chat", "openai_responses")
    assert ('"strict": true' in json.dumps(strict)) is has
    assert '"strict": true' not in json.dumps(loose)
    assert ('"strict": false' in json.dumps(loose)) is (dialect == "openai_responses")
