"""An MCP server that does what it is asked to do."""

from wire import serve, text

serve("echo", {"n": {"type": "integer"}}, lambda number, given: text(number, f"{given['n']} " + "x" * 256))
