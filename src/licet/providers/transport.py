"""What HTTP itself raised, below an SDK."""

from json import JSONDecodeError

from .failure import Failure, cut, unreachable


def of_connection(exc: Exception) -> Failure:
    """What an SDK's error of a connection says, whose cause is that of HTTP."""
    cause = exc.__cause__
    found = of_transport(cause) if isinstance(cause, Exception) else None
    return found or unreachable("no connection")


def unreadable(exc: Exception) -> Failure | None:
    """What an SDK raises that trusted an answer to be one. None: it is something else."""
    if isinstance(exc, AttributeError | TypeError | ValueError | LookupError):
        return cut(f"its SDK cannot read the answer ({type(exc).__name__})")
    return None


def of_transport(exc: Exception) -> Failure | None:
    """What broke while an answer came. None: it is something else."""
    import httpx2

    if isinstance(exc, httpx2.ConnectError | httpx2.ConnectTimeout | httpx2.PoolTimeout):
        return unreachable(f"no connection ({type(exc).__name__})")
    if isinstance(exc, httpx2.TimeoutException):
        return unreachable("it fell silent in the middle of its answer")
    if isinstance(exc, httpx2.HTTPError | httpx2.StreamError):
        return cut(f"the connection broke in the middle of its answer ({type(exc).__name__})")
    return cut("a piece of its answer is no JSON") if isinstance(exc, JSONDecodeError) else None


__all__ = ["of_connection", "of_transport", "unreadable"]
