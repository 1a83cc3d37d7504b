"""A signed statement of where a ledger stood, to be kept where whoever can write the ledger cannot.

A chain shows what was changed inside it. That its end was cut off, that it is an older copy, or that all of it was made
anew is shown only by something that was kept outside: a checkpoint holds the ledger's id, its size, its head and the
time, signed with Ed25519. Which public key counts is for the reader to say: neither the ledger nor the checkpoint is
asked. Signing needs the extra ``sign``.
"""

import time
from dataclasses import dataclass, replace
from os import PathLike
from struct import Struct
from typing import TYPE_CHECKING, Any, Literal

from ..errors import ChainBrokenError, ConfigurationError
from .keys import raw
from .verify import NOT_EXCLUDED, Verification, verify_file

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

    from .table import Connect

VERSION = 1
MAX_BYTES = 4096
"""Of a checkpoint as a document."""

Failure = Literal["wrong_key", "bad_signature", "other_ledger", "broken", "too_short", "other_head"]
"""Why a checkpoint does not vouch for a ledger. ``broken``: the chain breaks before the entry that was signed."""

_TAG = b"licet.checkpoint.v1\0"
_number = Struct(">Q").pack
_MOST = (1 << 63) - 1
_FIELDS = {"version", "ledger", "size", "head", "at_us", "public_key", "signature"}
_OPTIONAL = {"public_key"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """Where a ledger stood. ``at_us`` is when that was signed, as the signer's clock had it, since 1970.

    ``public_key`` is there so that a person can tell which key to look for. It is never used to check anything.
    """

    ledger: bytes
    size: int
    head: bytes
    at_us: int
    signature: bytes
    public_key: bytes | None = None

    @property
    def signed(self) -> bytes:
        """The bytes under the signature: a tag, and each part behind its length."""
        parts = (self.ledger, _number(self.size), self.head, _number(self.at_us))
        return _TAG + b"".join(_number(len(part)) + part for part in parts)

    def document(self) -> dict[str, Any]:
        """The checkpoint as a JSON object, bytes in hexadecimal."""
        told = {
            "version": VERSION,
            "ledger": self.ledger.hex(),
            "size": self.size,
            "head": self.head.hex(),
            "at_us": self.at_us,
        }
        key = {} if self.public_key is None else {"public_key": self.public_key.hex()}
        return {**told, **key, "signature": self.signature.hex()}

    @classmethod
    def parse(cls, data: bytes) -> "Checkpoint":
        """The checkpoint in a JSON text. Its signature is not checked here.

        Raises:
            ConfigurationError: the text is no checkpoint of this version.
        """
        from ..schema.canonical import parse
        from ..schema.strict import NotJson

        try:
            told = parse(data, limit_bytes=MAX_BYTES)
        except NotJson as exc:
            raise ConfigurationError(f"this is no checkpoint: {exc}") from None
        if not isinstance(told, dict):
            raise ConfigurationError("this is no checkpoint: it is no JSON object")
        version = told.get("version")
        if type(version) is not int or version != VERSION:
            raise ConfigurationError(f"this is no checkpoint of version {VERSION}, the only one that this licet reads")
        odd = sorted((_FIELDS - _OPTIONAL - told.keys()) | (told.keys() - _FIELDS))
        if odd:
            raise ConfigurationError(f"this is no checkpoint: {', '.join(map(ascii, odd[:9]))} is missing or unknown")
        return cls(
            ledger=_bytes(told, "ledger", 16),
            size=_whole(told, "size"),
            head=_bytes(told, "head", 32),
            at_us=_whole(told, "at_us"),
            signature=_bytes(told, "signature", 64),
            public_key=_bytes(told, "public_key", 32) if "public_key" in told else None,
        )


@dataclass(frozen=True, slots=True)
class Comparison:
    """A ledger beside a checkpoint of it. ``failure`` and ``problem`` are None if the ledger holds what was signed."""

    found: Verification
    checkpoint: Checkpoint
    failure: Failure | None
    problem: str | None

    @property
    def ok(self) -> bool:
        """Whether the chain is sound, and goes on from where the checkpoint saw it."""
        return self.found.ok and self.failure is None

    @property
    def excluded(self) -> str:
        """What the checkpoint proves, and what it does not, in words for a person."""
        if self.failure is not None:
            return NOT_EXCLUDED
        return (
            f"Excluded up to entry {self.checkpoint.size}, by the checkpoint: that entries are missing, that this is an"
            " older copy, or that the chain was made anew. Not excluded: the same for what came after that entry."
        )


def sign(found: Verification, key: "Ed25519PrivateKey", *, at_us: int | None = None) -> Checkpoint:
    """A checkpoint of a ledger's file as it was verified. ``at_us`` is now by default.

    Raises:
        ChainBrokenError: the ledger is not sound, so nothing is signed.
        ConfigurationError: what was verified is no file.
    """
    if not found.ok:
        raise ChainBrokenError(f"nothing was signed: entry {found.seq} is broken: {found.problem}")
    if not found.ledger:
        raise ConfigurationError("only a ledger's file has an id that can be signed; verify_file gives it")
    at = time.time_ns() // 1000 if at_us is None else at_us
    public = raw(key.public_key())
    unsigned = Checkpoint(
        ledger=found.ledger, size=found.count, head=found.head, at_us=at, signature=b"", public_key=public
    )
    return replace(unsigned, signature=key.sign(unsigned.signed))


def verify_against(
    path: str | PathLike[str],
    checkpoint: Checkpoint,
    public_key: "Ed25519PublicKey",
    *,
    connect: "Connect | None" = None,
    busy_s: float = 5.0,
) -> Comparison:
    """Check a ledger's file as ``verify_file`` does, and that it still holds what was signed with this key.

    Raises LedgerUnavailableError: it is no ledger, or it cannot be read.
    """
    found = verify_file(path, mark=checkpoint.size, connect=connect, busy_s=busy_s)
    failure, problem = _unlike(found, checkpoint, public_key)
    return Comparison(found, checkpoint, failure, problem)


def _unlike(
    found: Verification, checkpoint: Checkpoint, public_key: "Ed25519PublicKey"
) -> tuple[Failure, str] | tuple[None, None]:
    """The first thing that speaks against the ledger or the checkpoint."""
    from cryptography.exceptions import InvalidSignature

    size = checkpoint.size
    try:
        public_key.verify(checkpoint.signature, checkpoint.signed)
    except InvalidSignature:
        if checkpoint.public_key not in (None, raw(public_key)):
            return "wrong_key", "the checkpoint says that it was signed with another key than the one you gave"
        return "bad_signature", "the checkpoint was changed, or signed with another key than the one you gave"
    if found.ledger != checkpoint.ledger:
        return "other_ledger", "the checkpoint was made of another ledger"
    if found.marked is None and not found.ok:
        return "broken", f"the chain breaks before entry {size}, up to which the checkpoint was made"
    if found.marked is None:
        return "too_short", f"the ledger ends at entry {found.count}, and had {size} when the checkpoint was made"
    if found.marked != checkpoint.head:
        return "other_head", f"entry {size} is not the one of which the checkpoint was made: the chain was made anew"
    return None, None


def _bytes(told: dict[str, Any], field: str, length: int) -> bytes:
    value = told[field]
    if not isinstance(value, str) or len(value) != 2 * length or not set(value) <= set("0123456789abcdef"):
        raise ConfigurationError(f"this is no checkpoint: {field} is not {length} bytes in lower hexadecimal digits")
    return bytes.fromhex(value)


def _whole(told: dict[str, Any], field: str) -> int:
    value = told[field]
    if type(value) is not int or not 0 <= value <= _MOST:
        raise ConfigurationError(f"this is no checkpoint: {field} is no whole number from 0 on")
    return value


__all__ = ["MAX_BYTES", "Checkpoint", "Comparison", "Failure", "sign", "verify_against"]
