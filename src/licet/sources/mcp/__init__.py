"""MCP servers as a source of tools: reached, listed and called with the official SDK, and never trusted."""
