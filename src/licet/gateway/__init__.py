"""The surface of one agent as an MCP server: the runtime's listing and the corridor, for clients of every era.

``surface`` is what is offered, ``calls`` carries one call, ``server`` puts both before the official SDK; ``stdio`` and
``http`` are the ways in.
"""
