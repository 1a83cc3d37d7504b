"""Every exception of the package, in one tree whose first branch answers "did anything happen?".

``code`` is stable and may be matched; messages may change. ``str(error)`` is the message.
A foreign exception never leaves a call: room 6 translates it into one of these.
"""

from collections.abc import Iterator
from typing import ClassVar


class LicetError(Exception):
    """Base of everything that licet raises on purpose."""

    code: ClassVar[str] = "error"

    def __str__(self) -> str:  # KeyError and OSError bring their own; ours is the message.
        return str(self.args[0]) if self.args else self.code


class ConfigurationError(LicetError, ValueError):
    """The developer's mistake, found while building. Never shown to a model."""

    code = "configuration"


class ToolError(LicetError):
    """Something about one tool.

    ``tool_name`` is canonical (``namespace/name``), ``error_type`` is the class's name, ``details`` is for people and
    ``reason`` is a finer stable word (``edit_stale``, ``path_outside_root``) or empty.
    """

    code = "tool"

    def __init__(self, message: str, *, tool_name: str = "", reason: str = "") -> None:
        super().__init__(message)
        self.tool_name = tool_name
        self.reason = reason

    @property
    def error_type(self) -> str:
        return type(self).__name__

    @property
    def details(self) -> str:
        return str(self)


class RegistrationError(ToolError, ValueError):
    """A tool was not registered: its name is taken, its schema does not compile, its declaration contradicts itself."""

    code = "registration"


class ActivationError(ToolError):
    """A ``ToolRunner`` was asked for a tool that does not exist or is not active."""

    code = "activation"


# --- nothing happened ---


class RefusedError(ToolError):
    """Effect: none. No transport was touched; it is safe to ask again."""

    code = "refused"


class CapabilityViolation(RefusedError, PermissionError):  # noqa: N818 - the name is a public promise
    """The principal holds no grant for this name, whether or not the tool exists."""

    code = "not_granted"


class UnknownToolError(RefusedError, KeyError):
    """The name is granted, but no tool stands behind it."""

    code = "unknown_tool"


class HostedToolError(RefusedError):
    """The model's provider runs this tool; licet cannot call it."""

    code = "hosted_tool"


class ModeViolation(RefusedError, PermissionError):  # noqa: N818
    """The run mode hides this tool."""

    code = "mode_forbids"


class InvalidArgumentsError(RefusedError, ValueError):
    """The arguments are not JSON, or do not fit the registered schema."""

    code = "invalid_arguments"


class PathViolation(RefusedError, PermissionError):  # noqa: N818
    """A path outside the roots, or protected; nothing was opened."""

    code = "path_violation"


class RuleViolation(RefusedError, PermissionError):  # noqa: N818
    """A rule of the operator, or a check of yours, said no."""

    code = "rule_forbids"


class CheckFailedError(RefusedError):
    """A check raised, or gave something that is no verdict: that is a no."""

    code = "check_failed"


class ApprovalDeniedError(RefusedError, PermissionError):
    """Nobody said yes."""

    code = "approval_denied"


class ApprovalExpiredError(RefusedError, TimeoutError):
    """The yes came too late, or not at all."""

    code = "approval_expired"


class ToolSchemaChangedError(RefusedError):
    """The tool is not the one that was pinned."""

    code = "schema_changed"


class NotPinnedError(RefusedError):
    """The tool stands in no lock file, so nobody has said yet that this definition is the one that is meant."""

    code = "not_pinned"


class QuarantinedError(RefusedError):
    """Its server lists the tool, with a definition that cannot be used. ``reason`` says what is wrong with it."""

    code = "quarantined"


class ServerUnavailableError(RefusedError, ConnectionError):
    """The server of this tool could not be reached, or is none. Nothing was sent. ``reason`` says how it failed."""

    code = "server_unavailable"


class CallIdReusedError(RefusedError):
    """This call id stands on the ledger with another tool or other arguments, or is under way."""

    code = "call_id_reused"


class LimitExceededError(RefusedError):
    """A limit of the principal, the run or the turn is used up."""

    code = "limit_exceeded"


class EmissionViolation(RefusedError, PermissionError):  # noqa: N818
    """The agent may not emit such an event: its manifest does not list the kind, or the payload is none."""

    code = "may_not_emit"


# --- something may have happened ---


class ExecutionError(ToolError):
    """Effect: unknown. A transport was touched."""

    code = "execution"


class ToolFailedError(ExecutionError):
    """The handler raised.

    A handler that raises this class itself declares its message safe for a model to read; the text of any other
    exception stays with the developer.
    """

    code = "tool_failed"


class ToolTimeoutError(ExecutionError, TimeoutError):
    """No answer came in time; what the tool did is unknown."""

    code = "timeout"


class CallAbortedError(ExecutionError):
    """``run.abort`` ended the call; what the tool did before is unknown."""

    code = "aborted"


class TransportError(ExecutionError, ConnectionError):
    """The way to the tool broke."""

    code = "transport"


class InvalidResultError(ExecutionError, ValueError):
    """The tool ran, and gave something that is not JSON, is too large, or does not fit its output schema."""

    code = "invalid_result"


class EffectUnknownError(ExecutionError):
    """The ledger holds a beginning without an end: the call is never started again."""

    code = "effect_unknown"


class RollbackError(ExecutionError):
    """A run's writes were not undone: nothing was changed, or with the reason ``stopped`` not all of it."""

    code = "rollback"


# --- models ---


class ProviderError(LicetError):
    """A model's provider gave no answer. Nothing was done by it: calls are made of whole answers only.

    ``reason`` is ``rate_limited``, ``overloaded``, ``unauthorized``, ``cut``, ``refused``, ``unreachable``,
    ``bad_request``, ``missing_key``, ``missing_extra`` or empty. ``tokens`` are those read and written for answers that
    broke off, as far as the provider told.
    """

    code = "provider_failed"
    tokens: tuple[int, int] = (0, 0)

    def __init__(self, message: str, *, reason: str = "") -> None:
        super().__init__(message)
        self.reason = reason


class ProviderSetupError(ProviderError, ConfigurationError):
    """A provider cannot be asked: its package or its key is missing. Nothing was sent."""

    code = "provider_setup"


class AnswerError(LicetError):
    """What a model's provider sent is no answer of its kind, or was cut. Nothing of it was run."""

    code = "provider_answer"


# --- evidence ---


class LedgerError(LicetError):
    """Something about the ledger."""

    code = "ledger"


class LedgerUnavailableError(LedgerError):
    """The ledger cannot be written: no ledger, no call."""

    code = "ledger_unavailable"


class ChainBrokenError(LedgerError):
    """An entry does not follow from the one before it."""

    code = "chain_broken"


def _tree(cls: type[LicetError]) -> Iterator[type[LicetError]]:
    yield cls
    for sub in cls.__subclasses__():
        yield from _tree(sub)


BY_CODE: dict[str, type[LicetError]] = {cls.code: cls for cls in _tree(LicetError)}


def error_for(code: str, message: str, *, tool_name: str = "", reason: str = "") -> LicetError:
    """The exception that a result's ``code`` names; a code of your own check is a ``RuleViolation``."""
    cls = BY_CODE.get(code, RuleViolation)
    if issubclass(cls, ToolError):
        return cls(message, tool_name=tool_name, reason=reason)
    return cls(message)
