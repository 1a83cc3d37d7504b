"""The operator's interface: its own port, its own credential, and nothing of it over MCP."""
