"""One table of exit codes for all commands."""

from ..errors import ConfigurationError, ExecutionError, LedgerError, LicetError, RefusedError

DONE = 0
FOUND = 1
"""A check found something."""
USAGE = 2
"""Usage or configuration, arguments that are not JSON included."""
REFUSED = 3
"""Refused, in whichever room."""
FAILED = 4
"""The tool failed, its effect is unknown, or there is no ledger."""
INTERRUPTED = 130


def exit_for(error: LicetError) -> int:
    """The code of a typed error."""
    if isinstance(error, RefusedError):
        return REFUSED
    if isinstance(error, ExecutionError | LedgerError):
        return FAILED
    return USAGE if isinstance(error, ConfigurationError) else FAILED
