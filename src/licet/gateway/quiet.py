"""What the SDK and the web server log: one line each on standard error, from warnings on, never a traceback."""

import logging
from collections.abc import Callable

from ..dialects.untrusted import escaped

_MOST = 500
_NAMES = ("mcp", "mcp_types", "uvicorn", "licet", "httpx2", "sse_starlette")


class _OneLine(logging.Handler):
    def __init__(self, tell: Callable[[str], None]) -> None:
        super().__init__(logging.WARNING)
        self._tell = tell

    def emit(self, record: logging.LogRecord) -> None:
        try:
            told = record.getMessage()
            if record.exc_info and record.exc_info[0] is not None:
                told += f" ({record.exc_info[0].__name__})"
            self._tell(f"licet: {record.name}: {escaped(told[:_MOST])}")
        except Exception:
            self.handleError(record)


def log_in_one_line(tell: Callable[[str], None]) -> None:
    """For a process that serves; ``tell`` takes each line."""
    handler = _OneLine(tell)
    for name in _NAMES:
        logger = logging.getLogger(name)
        logger.handlers[:] = [handler]
        logger.propagate = False
        logger.setLevel(logging.WARNING)


__all__ = ["log_in_one_line"]
