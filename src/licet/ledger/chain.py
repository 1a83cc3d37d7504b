"""How entries hang together: what is hashed, byte for byte.

``digest`` covers what happened (kind, actor, body) and is equal over every transport. ``head`` covers the head before
it, the place, the run, the digest and the trace: it is the only chain. The bytes that were stored are hashed, never a
value that was parsed and written again.

Each hash is SHA-256 over a domain tag and the parts, framed by their byte lengths as 64-bit big-endian numbers, so no
two different entries share their bytes: ``digest`` frames each part in front of it, ``head`` all five at once.
"""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from hashlib import sha256
from struct import Struct
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from ..model.entry import GENESIS, Draft

if TYPE_CHECKING:
    from hashlib import _Hash as HASH

_ENTRY = sha256(b"licet.entry.v1\0")
_HEAD = sha256(b"licet.head.v1\0")
_one = Struct(">Q").pack
_five = Struct(">5Q").pack
_join = b"".join

Fields: TypeAlias = tuple[int, str, str, str, bytes, bytes, bytes, bytes]
"""What an Entry holds, in its order."""


class Place(NamedTuple):
    """Where a chain stands: the last number given away, and the head after it."""

    seq: int
    head: bytes


START = Place(0, GENESIS)
"""Before the first entry."""


def digest_of(kind: str, actor: str, body: bytes) -> bytes:
    """32 bytes that say what happened. Raises UnicodeEncodeError: a name holds half a surrogate pair."""
    hashed = _begun(kind, actor).copy()
    hashed.update(_one(len(body)) + body)
    return hashed.digest()


@lru_cache(maxsize=256)
def _begun(kind: str, actor: str) -> "HASH":
    """The hash as far as the few kinds and actors of a process go: copying it is cheaper than hashing them again."""
    hashed = _ENTRY.copy()
    for part in (kind.encode(), actor.encode()):
        hashed.update(_one(len(part)) + part)
    return hashed


def head_of(previous: bytes, seq: int, run_id: str, digest: bytes, trace: bytes) -> bytes:
    """32 bytes that chain this entry to everything before. Raises UnicodeEncodeError, as ``digest_of``."""
    run = run_id.encode()
    frame = _five(len(previous), seq, len(run), len(digest), len(trace))
    hashed = _HEAD.copy()
    hashed.update(_join((frame, previous, run, digest, trace)))
    return hashed.digest()


def linked(last: Place, drafts: Iterable[Draft]) -> Iterator[Fields]:
    """Each draft in its place after ``last``, as the plain fields of an Entry, hashed as by the two functions above.

    Written out because every call writes entries. Raises UnicodeEncodeError, as they do.
    """
    seq, head = last
    for run_id, kind, actor, body, trace in drafts:
        seq += 1
        hashed = _begun(kind, actor).copy()
        hashed.update(_one(len(body)) + body)
        digest = hashed.digest()
        run = run_id.encode()
        hashed = _HEAD.copy()
        hashed.update(_join((_five(32, seq, len(run), 32, len(trace)), head, run, digest, trace)))
        head = hashed.digest()
        yield seq, run_id, kind, actor, body, trace, digest, head


__all__ = ["START", "Fields", "Place", "digest_of", "head_of", "linked"]
