"""Where licet keeps what outlives a command: one folder of the user's, readable by nobody else."""

import os
from pathlib import Path

from ..errors import ConfigurationError, LedgerUnavailableError

LEDGER = "ledger.db"
"""The default ledger, in the state folder."""


def folder() -> Path:
    """``LICET_HOME``, else ``XDG_STATE_HOME/licet``, else ``~/.local/state/licet``; it may not exist yet.

    Raises:
        ConfigurationError: there is no home folder either.
    """
    named = os.environ.get("LICET_HOME")
    if named:
        return Path(os.path.abspath(named))
    state = os.environ.get("XDG_STATE_HOME")
    if state and os.path.isabs(state):  # a relative one is to be ignored, its specification says
        return Path(state) / "licet"
    home = os.path.expanduser("~")
    if not os.path.isabs(home):
        raise ConfigurationError("there is no home folder to keep the ledger in; set LICET_HOME, or use --ledger FILE")
    return Path(home) / ".local" / "state" / "licet"


def ledger_file(named: str | None = None) -> Path:
    """The ledger that a command reads: the file that was named, or the default one. Nothing is made.

    Raises:
        ConfigurationError: the name is empty or holds a NUL, or there is no home folder.
    """
    if named is None:
        return folder() / LEDGER
    if not named or "\0" in named:
        raise ConfigurationError(f"{named!r} names no file; use --ledger FILE")
    return Path(os.path.abspath(named))


def ledger_to_write(named: str | None = None) -> Path:
    """The same for a command that appends: the state folder is made, with mode 0700, if the default ledger is meant.

    Raises:
        LedgerUnavailableError: the folder cannot be made.
    """
    path = ledger_file(named)
    if named is None:
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as exc:
            raise LedgerUnavailableError(
                f"the state folder {path.parent} cannot be made: {exc.strerror}; set LICET_HOME, or use --ledger FILE"
            ) from exc
    return path


__all__ = ["LEDGER", "folder", "ledger_file", "ledger_to_write"]
