"""How entries hang together: what is hashed, byte for byte.

``digest`` covers what happened (kind, actor, body) and is equal over every transport. ``head`` covers the head before
it, the place, the run, the digest and the trace: it is the only chain. The bytes that were stored are hashed, never a
value that was parsed and written again.

Each hash is SHA-256 over a domain tag, then the byte lengths of the parts as 64-bit big-endian numbers, then the parts,
so no two different entries share their bytes.
"""

from hashlib import sha256
from struct import Struct
from typing import NamedTuple

from ..model.entry import GENESIS, Draft, Entry

_ENTRY = b"licet.entry.v1\0"
_HEAD = b"licet.head.v1\0"
_three = Struct(">3Q").pack
_five = Struct(">5Q").pack
_new = tuple.__new__


class Place(NamedTuple):
    """Where a chain stands: the last number given away, and the head after it."""

    seq: int
    head: bytes


START = Place(0, GENESIS)
"""Before the first entry."""


def digest_of(kind: str, actor: str, body: bytes) -> bytes:
    """32 bytes that say what happened. Raises UnicodeEncodeError: a name holds half a surrogate pair."""
    named = kind.encode()
    acted = actor.encode()
    return sha256(b"".join((_ENTRY, _three(len(named), len(acted), len(body)), named, acted, body))).digest()


def head_of(previous: bytes, seq: int, run_id: str, digest: bytes, trace: bytes) -> bytes:
    """32 bytes that chain this entry to everything before. Raises UnicodeEncodeError, as ``digest_of``."""
    run = run_id.encode()
    frame = _five(len(previous), seq, len(run), len(digest), len(trace))
    return sha256(b"".join((_HEAD, frame, previous, run, digest, trace))).digest()


def link(previous: bytes, seq: int, draft: Draft) -> Entry:
    """The draft in its place after ``previous``. Raises UnicodeError: some of its text is not UTF-8."""
    run_id, kind, actor, body, trace = draft
    if not (body.isascii() and trace.isascii()):
        body.decode()
        trace.decode()
    digest = digest_of(kind, actor, body)
    head = head_of(previous, seq, run_id, digest, trace)
    # Every call writes entries: the tuple is made directly, at half the price of the NamedTuple's constructor.
    return _new(Entry, (seq, run_id, kind, actor, body, trace, digest, head))


__all__ = ["START", "Place", "digest_of", "head_of", "link"]
