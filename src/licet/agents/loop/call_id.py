"""The ids on the ledger of the calls that a model names itself."""

import hashlib
import re

from ...runtime.run import Run

MOST_ID = 128
"""Characters of a call id on a ledger."""

_PLAIN = re.compile(r"[A-Za-z0-9_.-]+", re.ASCII)


def call_id_of(run: Run, answer: int, said: str) -> str:
    """The id of a call that the answer of this number names ``said``.

    A model's id counts within its answer: servers begin anew with ``call_0`` in each. Spelt as ids are, it stays as it
    is: ``RUN:3:call_0``. Else, and where all of it is too long, it becomes a digest. No id that a run mints has a colon
    after the run's.
    """
    plain = f"{run.spoken}:{answer}:{said}"
    if len(plain) <= MOST_ID and _PLAIN.fullmatch(said):
        return plain
    parts = (run.spoken.encode(), b"%d" % answer, said.encode("utf-8", "surrogatepass"))
    framed = b"".join(b"%d:%b" % (len(part), part) for part in parts)
    return f"{run.id}:sha256:{hashlib.sha256(framed).hexdigest()[:32]}"


__all__ = ["MOST_ID", "call_id_of"]
