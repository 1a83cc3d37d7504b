"""A framework's own call ids, kept apart from those of the ledger."""

import hashlib
import re

MOST_ID = 128
"""Characters of a call id on a ledger."""

_PLAIN = re.compile(r"[A-Za-z0-9_.-]+", re.ASCII)


def own_id(run_id: str, said: str, scope: str = "") -> str:
    """The id on the ledger of a call that a framework knows as ``said``, in the conversation ``scope``.

    It begins with the run's id and a colon, which no id that a run mints has. The rest is as the framework spelt it,
    or, where an id may not be spelt so or is too long, a digest: one call of a conversation has one id.
    """
    parts = (scope, said) if scope else (said,)
    plain = ":".join((run_id, *parts))
    if len(plain) <= MOST_ID and all(map(_PLAIN.fullmatch, parts)):
        return plain
    framed = b"".join(b"%d:%b" % (len(part), part) for part in (p.encode("utf-8", "surrogatepass") for p in parts))
    return f"{run_id}:sha256:{hashlib.sha256(framed).hexdigest()[:32]}"


__all__ = ["MOST_ID", "own_id"]
