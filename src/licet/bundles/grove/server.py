"""``python -m licet.bundles.grove.server [--http PORT]``: the tools of the grove as an MCP server, in both eras.

It speaks over standard input and output, or with ``--http`` on the loopback address at ``/mcp``; port 0 takes a free
one. The address stands on standard error. Needs the extra ``licet[mcp]``.
"""

import argparse
import asyncio
import json
import socket
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ... import __version__
from ...model.json_object import JsonObject
from ...model.names import short
from ...model.tool import ToolSpec
from ...schema.validate import compile
from . import tools

if TYPE_CHECKING:
    import mcp_types as wire
    from mcp.server.lowlevel import Server

LOOPBACK = "127.0.0.1"
PATH = "/mcp"
_USAGE = 2
_INTERRUPTED = 130


def server() -> "Server[Any]":
    """An MCP server of the grove. Raises ImportError: the extra ``licet[mcp]`` is not installed."""
    import mcp_types as wire
    from mcp.server.lowlevel import Server
    from mcp.shared.exceptions import MCPError

    specs = {short(spec.name): spec for spec in tools()}
    fits = {name: compile(JsonObject.of(spec.input_schema), where=name) for name, spec in specs.items()}

    async def listed(context: Any, params: Any) -> "wire.ListToolsResult":
        return wire.ListToolsResult(tools=[definition(name, spec) for name, spec in specs.items()])

    async def called(context: Any, params: "wire.CallToolRequestParams") -> "wire.CallToolResult":
        spec = specs.get(params.name)
        if spec is None or spec.handler is None:
            raise MCPError(wire.INVALID_PARAMS, f"Unknown tool: {params.name}")
        arguments = params.arguments or {}
        wrong = fits[params.name].errors(arguments)
        if wrong:  # the SDK hands on whatever it is sent
            told = "; ".join(f"{problem.pointer or '/'}: {problem.message}" for problem in wrong)
            return wire.CallToolResult(content=[wire.TextContent(type="text", text=told)], is_error=True)
        output = spec.handler(**arguments)
        text = json.dumps(output, ensure_ascii=False)
        return wire.CallToolResult(content=[wire.TextContent(type="text", text=text)], structured_content=output)

    return Server(
        "licet-grove",
        version=__version__,
        get_tool_input_schema=lambda name: None,  # no hidden listing before each call over HTTP
        on_list_tools=listed,
        on_call_tool=called,
    )


def definition(name: str, spec: ToolSpec) -> "wire.Tool":
    """A contract as it stands in a listing: what a model is shown is the same as in process."""
    import mcp_types as wire

    claimed = spec.annotations
    return wire.Tool(
        name=name,
        title=spec.title,
        description=spec.description,
        input_schema=dict(spec.input_schema),
        output_schema=None if spec.output_schema is None else dict(spec.output_schema),
        annotations=wire.ToolAnnotations(
            read_only_hint=claimed.read_only,
            destructive_hint=claimed.destructive,
            idempotent_hint=claimed.idempotent,
            open_world_hint=claimed.open_world,
        ),
    )


async def serve_stdio() -> None:
    """Until standard input ends."""
    from mcp.server.stdio import stdio_server

    serving = server()
    async with stdio_server() as (read, write):
        await serving.run(read, write, serving.create_initialization_options())


async def serve_http(port: int) -> None:
    """Until somebody ends the process. Raises OSError: the port is taken."""
    import uvicorn

    app = server().streamable_http_app(host=LOOPBACK, streamable_http_path=PATH)
    with socket.create_server((LOOPBACK, port)) as listening:  # whoever reads the address may connect at once
        print(f"http://{LOOPBACK}:{listening.getsockname()[1]}{PATH}", file=sys.stderr, flush=True)
        config = uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=1)
        await uvicorn.Server(config).serve(sockets=[listening])


def main(argv: Sequence[str] | None = None) -> int:
    """The exit code: 0 at the end of input, 2 without the extra or with a port that is taken."""
    parser = argparse.ArgumentParser(prog="licet.bundles.grove.server", description="The oracle as an MCP server.")
    parser.add_argument("--http", metavar="PORT", type=_port, help="serve on the loopback address instead; 0: any port")
    given = parser.parse_args(argv)
    try:
        asyncio.run(serve_stdio() if given.http is None else serve_http(given.http))
    except ModuleNotFoundError as exc:
        if exc.name is None or exc.name.partition(".")[0] not in ("mcp", "mcp_types", "uvicorn"):
            raise
        return _complain("serving over MCP needs the extra: pip install 'licet[mcp]'")
    except OSError as exc:
        return _complain(f"{LOOPBACK}:{given.http}: {exc.strerror or exc}")
    except KeyboardInterrupt:
        return _INTERRUPTED
    return 0


def _port(text: str) -> int:
    port = int(text)
    if not 0 <= port <= 65535:
        raise ValueError(text)
    return port


def _complain(problem: str) -> int:
    print(f"licet.bundles.grove.server: {problem}", file=sys.stderr)
    return _USAGE


if __name__ == "__main__":
    sys.exit(main())
