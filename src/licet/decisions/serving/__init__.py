"""The engine's doors: MCP for callers, over standard input and output or HTTP, and the operator's own port."""
