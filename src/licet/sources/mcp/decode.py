"""A body, unpacked step by step: what it unfolds to is counted before it is held."""

import zlib
from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING

from .errand import Fault

if TYPE_CHECKING:
    import httpx2

_STEP = 64 * 1024
_GZIP = 16 + zlib.MAX_WBITS


class Refused(Exception):  # noqa: N818 - an answer, refused
    """What came is not taken; ``fault`` says why."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.told)
        self.fault = fault


async def decoded(response: "httpx2.Response", most: int) -> AsyncIterator[bytes]:
    """The decoded bytes in small steps. ``most`` of them, or as many as come if it is 0.

    Raises:
        Refused: there are more, or they are packed in a way that was not offered.
    """
    packed = response.headers.get("content-encoding", "identity").strip().lower()
    if packed not in ("identity", "gzip", ""):
        raise Refused(Fault("not_mcp", "its answer is packed in a way that was not offered"))
    unpacker = zlib.decompressobj(_GZIP) if packed == "gzip" else None
    size = 0
    async for raw in response.aiter_raw():
        for chunk in (raw,) if unpacker is None else _unpacked(unpacker, raw):
            size += len(chunk)
            if most and size > most:
                raise Refused(Fault("too_long", f"it gave an answer of more than {most} bytes"))
            if chunk:
                yield chunk


async def read_all(response: "httpx2.Response", most: int, *, cut: bool = False) -> bytes:
    """The whole body, and the connection given back. With ``cut`` only its beginning, if it is longer.

    Raises:
        Refused: it is longer, or cannot be unpacked.
    """
    chunks = []
    try:
        async for chunk in decoded(response, most):
            chunks.append(chunk)
    except Refused:
        if not cut:
            raise
    finally:
        await response.aclose()
    return b"".join(chunks)


def _unpacked(unpacker: "zlib._Decompress", raw: bytes) -> Iterator[bytes]:
    """One step at a time, so that whoever counts can stop."""
    try:
        while raw:
            yield unpacker.decompress(raw, _STEP)
            raw = unpacker.unconsumed_tail
            if unpacker.eof:
                return
    except zlib.error:
        raise Refused(Fault("malformed", "its answer cannot be unpacked")) from None
