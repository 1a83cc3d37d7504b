"""``licet decisions operator``: one action on the operator's port of a running engine."""

import argparse
import json
from pathlib import Path
from typing import Any

from ..errors import ConfigurationError
from .exits import DONE, FAILED, REFUSED

_EPILOG = """The engine's file says the port and the variable that holds the credential. Answers are JSON on standard
output. Exit codes: 0 done; 3 the engine refused, and its answer names the code; 4 nobody answers there."""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("--config", metavar="FILE", required=True, help="the engine's file")
    parser.add_argument("--port", type=int, help="the port that the engine said, where its file says 0")
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    actions.add_parser("keys", help="every key by its id, and whether it may execute")
    for name in ("enable", "disable"):
        actions.add_parser(name, help=f"{name} execute_decision for a key").add_argument("key_id", metavar="KEY_ID")
    execute = actions.add_parser("execute", help="execute a decision by hand")
    propose = actions.add_parser("propose", help="make a plan of it, which somebody approves or rejects")
    for one in (execute, propose):
        _execution(one)
    propose.add_argument("--expires", metavar="SECONDS", type=float, dest="expires_in_seconds", help="900 without it")
    for name in ("approve", "reject"):
        answer = actions.add_parser(name, help=f"{name} a plan, once")
        answer.add_argument("plan_hash", metavar="PLAN_HASH")
        answer.add_argument("nonce", metavar="NONCE", help="what propose showed beside the hash")
    actions.add_parser("execute-plan", help="execute a plan that was approved, once").add_argument(
        "plan_hash", metavar="PLAN_HASH"
    )


def _execution(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("decision_id", metavar="DECISION_ID")
    parser.add_argument("--tenant", metavar="NAME", required=True, help="whose decision it is")
    parser.add_argument("--webhook", metavar="URL", required=True, dest="webhook_url")
    parser.add_argument("--timeout", metavar="SECONDS", type=float, dest="timeout_seconds")
    parser.add_argument("--metadata", metavar="JSON", help="an object that is handed on to the webhook")
    parser.add_argument("--force", action="store_true", default=None, help="once more, although it was delivered")
    parser.add_argument(
        "--override-safety", action="store_true", default=None, help="pass over confidence and risk_floor"
    )


def run(arguments: argparse.Namespace) -> int:
    """Raises ConfigurationError: the file has no operator, or the credential's variable is not set."""
    from ..decisions.operator.client import ask
    from ..decisions.settings import operator_door
    from . import output

    port, credential = operator_door(Path(arguments.config))
    port = arguments.port or port
    if not 1 <= port <= 65535:
        raise ConfigurationError("the engine's file leaves the port open; add --port with what the engine said")
    name, told = _action(arguments)
    try:
        status, answer = ask(port, credential, name, told)
    except OSError as exc:
        output.say(f"licet: no operator's port answers on 127.0.0.1:{port}: {exc.strerror or exc}")
        return FAILED
    output.document(answer)
    return DONE if status == 200 else REFUSED


def _action(arguments: argparse.Namespace) -> tuple[str, dict[str, Any]]:
    name: str = arguments.action.replace("-", "_")
    if name in ("enable", "disable"):
        return "enable", {"key_id": arguments.key_id, "enabled": name == "enable"}
    of_the_command = ("command", "command_line", "part", "action", "config", "port")
    told = {key: value for key, value in vars(arguments).items() if key not in of_the_command and value is not None}
    if "metadata" in told:
        told["metadata"] = _metadata(told["metadata"])
    return name, told


def _metadata(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as exc:
        raise ConfigurationError(f"--metadata is no JSON: {exc}") from None


__all__ = ["configure", "run"]
