"""The names, signatures and shapes that users write against: a change of any is a decision, not an accident."""

import inspect
import subprocess
import sys
from typing import Any, get_type_hints

import pytest

import licet
from licet import errors, ports
from licet.errors import LicetError

NAMES = [
    "Ask", "CallContext", "CapabilityViolation", "Deny", "GrantSet", "MCPResolver", "MCPToolClient", "McpServer",
    "ModelTool", "PathPolicy", "Permit", "Principal", "Runtime", "ServerSpec", "Tool", "ToolCall", "ToolCapability",
    "ToolError", "ToolRegistry", "ToolResolver", "ToolResult", "ToolRunner", "ToolSpec", "Verdict",
    "default_tool_registry", "errors", "mcp_resolver_from_env", "tool",
]  # fmt: skip


@pytest.mark.requirement("resolver.public-names")
def test_the_public_names_are_these_and_each_is_there() -> None:
    assert sorted(licet.__all__) == sorted(NAMES)
    for name in NAMES:
        assert getattr(licet, name) is getattr(licet, name)
    assert set(NAMES) <= set(dir(licet))
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        _ = licet.Nothing


def test_every_public_name_says_what_it_is() -> None:
    for name in NAMES:
        value = getattr(licet, name)
        if name not in ("Verdict", "errors"):
            assert inspect.getdoc(value), name
        for member, held in vars(value).items() if inspect.isclass(value) else ():
            if not member.startswith("_") and inspect.isfunction(held) and value.__module__.startswith("licet."):
                said = inspect.getdoc(held) or member in ("close", "has", "describe", "call")
                assert said, f"{name}.{member} has no docstring"


SIGNATURES = {
    "Runtime": "(tools=(), *, ledger=None, approver=None, checks=(), observers=(), limits, durability='effects', "
    "clock=None, never_fields='scrub')",
    "Runtime.call": "(self, principal, tool, arguments=None, *, call_id=None)",
    "Runtime.run": "(self, principal, *, id=None, max_calls=None, approver=None)",
    "Runtime.tools_for": "(self, principal)",
    "Runtime.functions_for": "(self, principal, *, errors='return', rendered=True, names=None)",
    "Runtime.why": "(self, principal, name, arguments=None)",
    "Runtime.register": "(self, *tools, replace=False)",
    "Runtime.connect": "(self, *sources)",
    "Runtime.note": "(self, kind, body)",
    "Runtime.withhold": "(self, refusals, *, under='')",
    "ToolRegistry.register": "(self, first, description=None, run=None, /, *, replace=False)",
    "ToolRegistry.call": "(self, agent_name, manifest, tool, params=None)",
    "ToolRegistry.get": "(self, name)",
    "ToolRegistry.list_tools": "(self, namespace=None, tool_type=None)",
    "ToolRegistry.remove": "(self, name)",
    "ToolRegistry.describe": "(self, names)",
    "ToolRegistry.set_resolver": "(self, resolver, *, owned=False)",
    "ToolRunner": "(registry, *, principal=None, approver=None)",
    "ToolRunner.discover": "(self, registry=None)",
    "ToolRunner.activate": "(self, tool_name)",
    "ToolRunner.execute": "(self, tool_name, inputs=None)",
    "ToolRunner.deactivate": "(self, tool_name)",
    "ToolResolver.has": "(self, tool, /)",
    "ToolResolver.describe": "(self, tool, /)",
    "ToolResolver.call": "(self, tool, params, /)",
    "Principal": "(name, *, grants=(), mode='read_only', paths)",
}


def shown(function: Any) -> str:
    """A signature without annotations; a default that is a fact of ours is left out."""
    signature = inspect.signature(function)
    parameters = [
        p.replace(
            annotation=inspect.Parameter.empty,
            default=p.default
            if isinstance(p.default, str | int | bool | tuple | None) or p.default is p.empty
            else inspect.Parameter.empty,
        )
        for p in signature.parameters.values()
    ]
    try:
        return str(signature.replace(parameters=parameters, return_annotation=inspect.Signature.empty))
    except ValueError:  # a default of ours before one of Python's
        return "(" + ", ".join(map(str, parameters)) + ")"


@pytest.mark.parametrize("name", sorted(SIGNATURES))
def test_a_signature_is_as_promised(name: str) -> None:
    value: Any = licet
    for part in name.split("."):
        value = getattr(value, part)
    assert shown(value) == SIGNATURES[name]


@pytest.mark.requirement("result.fields")
def test_a_result_and_a_context_have_the_promised_fields() -> None:
    assert {
        "call_id", "success", "output", "error", "code", "command", "effect", "duration_ms", "content", "untrusted",
        "metadata", "unwrap", "blocks", "structured",
    } <= set(dir(licet.ToolResult))  # fmt: skip
    assert {"call_id", "run", "workspace", "deadline", "turn", "progress", "task"} <= set(dir(licet.CallContext))
    assert {"tool_name", "error_type", "details"} <= set(dir(licet.ToolError("x")))


def test_every_error_is_of_one_tree_and_public_by_its_name() -> None:
    classes = [value for value in vars(errors).values() if inspect.isclass(value) and issubclass(value, LicetError)]
    assert len(classes) > 25
    assert set(classes) == set(errors.BY_CODE.values()), "each has a code of its own"
    for cls in classes:
        assert inspect.getdoc(cls)
        assert cls.__module__ == "licet.errors"


def test_every_port_is_a_protocol_with_hints() -> None:
    for name in ports.__all__:
        value = getattr(ports, name)
        assert inspect.getdoc(value), name
        if getattr(value, "_is_protocol", False):
            assert not inspect.isabstract(value), "no port has a base class"
            for member, held in vars(value).items():
                if inspect.isfunction(held) and not member.startswith("_"):
                    assert get_type_hints(held), f"{name}.{member}"


CHEAP = """
import sys
import licet
assert not [name for name in sys.modules if name.startswith("licet.")], sorted(sys.modules)
from licet import Runtime, Principal, tool
heavy = {"asyncio", "sqlite3", "pydantic", "rich", "re2", "jsonschema_rs", "mcp", "anyio"} & sys.modules.keys()
print(sorted(heavy))
"""


def test_importing_costs_nothing_that_is_not_used() -> None:
    done = subprocess.run([sys.executable, "-c", CHEAP], capture_output=True, text=True, check=False, timeout=30)
    assert done.stderr == ""
    assert done.stdout.strip() == "[]"


def test_the_package_is_typed() -> None:
    from importlib.resources import files

    assert (files("licet") / "py.typed").is_file()
    assert licet.__version__.count(".") == 2
