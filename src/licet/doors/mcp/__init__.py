"""Tools of MCP servers behind the seed's registry: a client for one server, a resolver over several, the environment.

May not enter: the ``mcp`` package, which nothing here needs before a server is asked; a call that no corridor saw.
"""

from .client import MCPToolClient
from .environment import default_tool_registry, mcp_resolver_from_env
from .resolver import MCPResolver

__all__ = ["MCPResolver", "MCPToolClient", "default_tool_registry", "mcp_resolver_from_env"]
