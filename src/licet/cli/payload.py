"""The arguments of a call as a person types or pipes them."""

import sys

from ..errors import ConfigurationError


def payload(given: str | None) -> str | bytes | None:
    """The JSON text, read from standard input for ``-``; None where there is none.

    Text that is longer than a call's arguments may be goes on unread: the corridor refuses it, and records that.

    Raises:
        ConfigurationError: it is not strict JSON.
    """
    from ..runtime.limits import Limits
    from ..schema.canonical import NotJson, parse

    if given is None:
        return None
    limit_bytes = Limits().arguments_bytes
    text = _standard_input(limit_bytes + 1) if given == "-" else given
    if len(text) > limit_bytes:
        return text
    try:
        parse(text, limit_bytes=limit_bytes)
    except NotJson as exc:
        where = f" at {exc.pointer}" if exc.pointer else ""
        problem = exc.problem.removeprefix("not JSON: ")
        source = " on standard input" if given == "-" else ""
        raise ConfigurationError(
            f'the arguments{source} are not JSON{where}: {problem}; write them as in \'{{"path": "."}}\''
        ) from exc
    return text


def _standard_input(limit_bytes: int) -> bytes:
    if sys.stdin is None:
        raise ConfigurationError("standard input is closed; give the arguments as text, or pipe them in")
    return sys.stdin.buffer.read(limit_bytes)


__all__ = ["payload"]
