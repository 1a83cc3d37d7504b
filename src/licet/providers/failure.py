"""Why a provider gave no answer, read out of its own signals."""

from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from math import isfinite
from typing import NamedTuple

from ..dialects.untrusted import escaped

MOST_TOLD = 300
"""Characters of a provider's own words in an error."""

CUT_ATTEMPTS = 3
"""How often one answer is asked for that breaks off, or contradicts itself."""

_BY_STATUS = {401: "unauthorized", 403: "unauthorized", 408: "unreachable", 429: "rate_limited"}
_AGAIN = frozenset({408, 409, 429})
_BY_WORD = {
    "api_error": 500,
    "authentication_error": 401,
    "insufficient_quota": 429,
    "overloaded_error": 529,
    "permission_error": 403,
    "rate_limit_error": 429,
    "rate_limit_exceeded": 429,
    "server_error": 500,
    "timeout_error": 408,
}
"""What providers call an error that comes in the middle of a stream, after its status."""
_REFUSED = frozenset({"content_filter", "content_policy_violation"})


class Failure(NamedTuple):
    """``told`` is for people, and holds nothing secret. ``after_s`` is how long the provider asks to wait.

    ``attempts`` is the most that makes sense of it, None where that is left to whoever waits.
    """

    reason: str
    told: str
    again: bool = False
    after_s: float | None = None
    attempts: int | None = None


def cut(told: str) -> Failure:
    """An answer that broke off, or whose pieces contradict each other: nothing of it was acted on."""
    return Failure("cut", told, again=True, attempts=CUT_ATTEMPTS)


def unreachable(told: str) -> Failure:
    """No connection, or no answer in time."""
    return Failure("unreachable", told, again=True)


def of_status(
    status: int, *, headers: Mapping[str, str] | None = None, word: str = "", said: str = "", now_s: float = 0.0
) -> Failure:
    """What an HTTP status says. ``word`` is the provider's own kind of error, ``said`` its words, ``now_s`` since 1970.

    Whether and when to ask again is what the provider says: ``x-should-retry``, ``retry-after-ms`` and ``Retry-After``
    (RFC 9110, section 10.2.3), else what its SDKs do: 408, 409, 429 and 500 to 599.
    """
    if status < 400 and word in _BY_WORD:
        status = _BY_WORD[word]
    elif status < 300:
        return cut(f"it broke off with an error of its own{_quoted(said or word)}")
    if 300 <= status < 400:
        return Failure("bad_request", "it redirects to another place, and nothing is sent there; set its base URL")
    reason = "refused" if word in _REFUSED else _BY_STATUS.get(status, "overloaded" if status >= 500 else "bad_request")
    again = status in _AGAIN or status >= 500
    head = {} if headers is None else headers
    wish = head.get("x-should-retry")
    if wish in ("true", "false"):
        again = wish == "true"
    if word == "insufficient_quota":
        again = False
    told = f"HTTP {status}{_quoted(said)}" if reason != "unauthorized" else f"HTTP {status}: it refuses the key"
    return Failure(reason, told, again, _after_s(head, now_s) if again else None)


def _after_s(headers: Mapping[str, str], now_s: float) -> float | None:
    for name, divisor in (("retry-after-ms", 1000), ("retry-after", 1)):
        value = headers.get(name)
        if value is None:
            continue
        try:
            seconds = float(value) / divisor
        except ValueError:
            continue
        return max(0.0, seconds) if isfinite(seconds) else None
    try:
        return max(0.0, parsedate_to_datetime(headers.get("retry-after", "")).timestamp() - now_s)
    except (TypeError, ValueError, OverflowError):
        return None


def _quoted(said: str) -> str:
    """A stranger's words, short and without anything that acts on a terminal."""
    text = " ".join(said.split())
    return f": {escaped(text[:MOST_TOLD])}" if text else ""


__all__ = ["CUT_ATTEMPTS", "Failure", "cut", "of_status", "unreachable"]
