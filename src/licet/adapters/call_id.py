"""A framework's own call ids, kept apart from those of the ledger."""

import hashlib
import re
from functools import lru_cache

MOST_ID = 128
"""Characters of a call id on a ledger."""

_is_plain = re.compile(r"[A-Za-z0-9_.-]+", re.ASCII).fullmatch


class Ids:
    """The ids on the ledger of the calls of one run. It remembers how those of the latest conversation begin."""

    __slots__ = ("_latest", "_run_id")

    def __init__(self, run_id: str) -> None:
        self._run_id = run_id
        self._latest = ("", _begins(run_id, ""))

    def own(self, said: str, scope: str = "") -> str:
        """As ``own_id``, in this run."""
        latest, begins = self._latest
        if scope != latest:
            begins = _begins(self._run_id, scope)
            self._latest = (scope, begins)
        call_id = begins + said
        if begins and said.isidentifier() and call_id.isascii() and len(call_id) <= MOST_ID:
            return call_id  # as most are
        return own_id(self._run_id, said, scope)


def own_id(run_id: str, said: str, scope: str = "") -> str:
    """The id on the ledger of a call that a framework knows as ``said``, in the conversation ``scope``.

    It begins with the run's id and a colon, which no id that a run mints has. The rest is as the framework spelt it,
    or, where an id may not be spelt so or is too long, a digest: one call of a conversation has one id.
    """
    begins = _begins(run_id, scope)
    if begins and _is_plain(said) and len(begins) + len(said) <= MOST_ID:
        return begins + said
    parts = (scope, said) if scope else (said,)
    framed = b"".join(b"%d:%b" % (len(part), part) for part in (p.encode("utf-8", "surrogatepass") for p in parts))
    return f"{run_id}:sha256:{hashlib.sha256(framed).hexdigest()[:32]}"


@lru_cache(maxsize=1024)
def _begins(run_id: str, scope: str) -> str:
    """What the ids of a conversation begin with; empty: it cannot be spelt so."""
    return f"{run_id}:" if not scope else f"{run_id}:{scope}:" if _is_plain(scope) else ""


__all__ = ["MOST_ID", "Ids", "own_id"]
