"""licet, Latin: it is permitted. Nothing an agent calls runs unless a contract permits it; a ledger proves what did.

Public names are loaded when they are first used, so that ``import licet`` costs little more than the interpreter.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import errors
    from .catalog import Tool
    from .doors.mcp import MCPResolver, MCPToolClient, default_tool_registry, mcp_resolver_from_env
    from .doors.registry import ToolRegistry
    from .doors.runner import ToolRunner
    from .errors import CapabilityViolation, ToolError
    from .model.call import ToolCall
    from .model.context import CallContext
    from .model.paths import PathPolicy
    from .model.principal import GrantSet, Principal
    from .model.result import ToolResult
    from .model.server import ServerSpec
    from .model.tool import ModelTool, ToolCapability, ToolSpec
    from .model.verdict import Ask, Deny, Permit, Verdict
    from .ports import ToolResolver
    from .runtime.runtime import Runtime
    from .sources.function import tool
    from .sources.mcp.server import McpServer

__version__ = "0.1.0"

__all__ = [
    "Ask",
    "CallContext",
    "CapabilityViolation",
    "Deny",
    "GrantSet",
    "MCPResolver",
    "MCPToolClient",
    "McpServer",
    "ModelTool",
    "PathPolicy",
    "Permit",
    "Principal",
    "Runtime",
    "ServerSpec",
    "Tool",
    "ToolCall",
    "ToolCapability",
    "ToolError",
    "ToolRegistry",
    "ToolResolver",
    "ToolResult",
    "ToolRunner",
    "ToolSpec",
    "Verdict",
    "default_tool_registry",
    "errors",
    "mcp_resolver_from_env",
    "tool",
]

_HOME = {
    "Ask": "model.verdict",
    "CallContext": "model.context",
    "CapabilityViolation": "errors",
    "Deny": "model.verdict",
    "GrantSet": "model.principal",
    "MCPResolver": "doors.mcp",
    "MCPToolClient": "doors.mcp",
    "McpServer": "sources.mcp.server",
    "ModelTool": "model.tool",
    "PathPolicy": "model.paths",
    "Permit": "model.verdict",
    "Principal": "model.principal",
    "Runtime": "runtime.runtime",
    "ServerSpec": "model.server",
    "Tool": "catalog",
    "ToolCall": "model.call",
    "ToolCapability": "model.tool",
    "ToolError": "errors",
    "ToolRegistry": "doors.registry",
    "ToolResolver": "ports",
    "ToolResult": "model.result",
    "ToolRunner": "doors.runner",
    "ToolSpec": "model.tool",
    "Verdict": "model.verdict",
    "default_tool_registry": "doors.mcp",
    "mcp_resolver_from_env": "doors.mcp",
    "tool": "sources.function",
}


def __getattr__(name: str) -> Any:
    if name == "errors":
        return import_module(".errors", __name__)
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module 'licet' has no attribute {name!r}")
    value = getattr(import_module(f".{home}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
