"""``licet decisions``: serve the decision engine, and be its operator."""

import argparse
from pathlib import Path

from ..errors import ConfigurationError
from . import decisions_operator
from .exits import DONE, USAGE

_EPILOG = """serve speaks MCP over standard input and output for the key that stdio_key names, or with --http on
127.0.0.1 for every key of the file, which callers send as a bearer token. The operator's port is open beside it. It
needs the extras: pip install 'licet[decisions,mcp]'."""
_EXTRAS = ("duckdb", "numpy", "mcp", "mcp_types", "uvicorn", "starlette")


def configure(parser: argparse.ArgumentParser) -> None:
    parts = parser.add_subparsers(dest="part", metavar="PART", required=True)
    serve = parts.add_parser("serve", help="the engine's tools as an MCP server", epilog=_EPILOG)
    serve.add_argument("--config", metavar="FILE", required=True, help="the engine's file")
    serve.add_argument("--http", metavar="PORT", type=int, help="over HTTP on 127.0.0.1, any free port if 0")
    decisions_operator.configure(
        parts.add_parser("operator", help="what only the operator may do, on a running engine")
    )


def run(arguments: argparse.Namespace) -> int:
    """Raises ConfigurationError: the file is none, a variable is not set, or the port cannot be used."""
    return decisions_operator.run(arguments) if arguments.part == "operator" else _serve(arguments)


def _serve(arguments: argparse.Namespace) -> int:
    import asyncio

    from ..decisions.settings import settings_of
    from . import output

    if arguments.http is not None and not 0 <= arguments.http <= 65535:
        raise ConfigurationError(f"{arguments.http} is no port; use 0 to 65535")
    settings = settings_of(Path(arguments.config))

    def say(text: str) -> None:
        output.say(f"licet: {text}")

    try:
        from ..decisions.serving.serve import serve_http, serve_stdio

        serving = serve_stdio(settings, say) if arguments.http is None else serve_http(settings, arguments.http, say)
        asyncio.run(serving)
    except ModuleNotFoundError as exc:
        if exc.name is None or exc.name.partition(".")[0] not in _EXTRAS:
            raise
        say("serving decisions needs the extras: pip install 'licet[decisions,mcp]'")
        return USAGE
    return DONE


__all__ = ["configure", "run"]
