"""One table of exit codes for all commands."""

from ..errors import ConfigurationError, LicetError, RefusedError

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
    return exit_for_kind(type(error))


def exit_for_kind(kind: type[LicetError]) -> int:
    """The code of a kind of error, for a result that only names it."""
    if issubclass(kind, RefusedError):
        return REFUSED
    return USAGE if issubclass(kind, ConfigurationError) else FAILED
