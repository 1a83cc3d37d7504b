"""The line on standard error that tells the engineer of a refusal, and which command explains it."""

from collections.abc import Callable, Sequence
from shlex import join
from typing import TYPE_CHECKING, Any

import orjson

from ..dialects.untrusted import escaped
from ..errors import BY_CODE, ConfigurationError, RefusedError, RuleViolation
from ..ledger.redact import may_hold_secrets
from ..model.names import canonical, short

if TYPE_CHECKING:
    from ..model.result import ToolResult

_ABOUT_ARGUMENTS = frozenset({"invalid_arguments", "path_violation", "rule_forbids", "check_failed"})
_MOST_SHOWN = 400
"""Characters of an error, and of arguments in a command."""


def is_refusal(result: "ToolResult") -> bool:
    """Whether the corridor said no, in whichever room."""
    return result.code is not None and issubclass(BY_CODE.get(result.code, RuleViolation), RefusedError)


class Refusals:
    """Tells each refusal in one line.

    ``options`` of ``licet why`` name the configuration that it was under; without any, ``ledger`` where it stands.
    """

    def __init__(self, tell: Callable[[str], None], options: Sequence[str] = (), ledger: Sequence[str] = ()) -> None:
        self._tell = tell
        self._options = tuple(options)
        self._ledger = tuple(ledger)

    def told(self, result: "ToolResult", run_id: str, arguments: Any) -> None:
        error = escaped((result.error or "")[:_MOST_SHOWN])
        self._tell(f"licet: refused ({result.code}): {error}; explained by: {self.command(result, run_id, arguments)}")

    def command(self, result: "ToolResult", run_id: str, arguments: Any) -> str:
        """Ready for a shell."""
        if not self._options or not _is_name(result.tool):
            return join(["licet", "why", "--refused", run_id, *self._ledger])
        given = _shown(arguments) if result.code in _ABOUT_ARGUMENTS else None
        words = [short(result.tool)] if given is None else [short(result.tool), given]
        return join(["licet", "why", *words, *self._options])


def _is_name(tool: str) -> bool:
    try:
        canonical(tool)
    except ConfigurationError:
        return False
    return True


def _shown(arguments: Any) -> str | None:
    """Arguments that fit a line and hold no secret, as far as their names tell."""
    try:
        data = orjson.dumps(arguments)
    except (TypeError, ValueError):
        return None
    short_enough = len(data) <= _MOST_SHOWN and data.isascii()
    return data.decode() if short_enough and not may_hold_secrets(data.lower()) else None


__all__ = ["Refusals", "is_refusal"]
