"""The Model Context Protocol as a dialect: listings and results read into facts, and facts said in its words again.

Plain JSON goes in and comes out. No SDK and no model of one stands between: those drop, reorder and refuse too much.
"""

from .mcp_definition import MAX_TOOL_NAME, MAX_TOOLS, Quarantined, read_listing, read_tool
from .mcp_offer import McpOffer, compile
from .mcp_result import read_result, wire_result
from .mcp_tool import Definition, definition_of, spec_of, wire_tool, without_headers

__all__ = [
    "MAX_TOOLS",
    "MAX_TOOL_NAME",
    "Definition",
    "McpOffer",
    "Quarantined",
    "compile",
    "definition_of",
    "read_listing",
    "read_result",
    "read_tool",
    "spec_of",
    "wire_result",
    "wire_tool",
    "without_headers",
]
