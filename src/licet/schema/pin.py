"""The digests of a tool's definition, over RFC 8785 text so that any language can compute them again.

Only for what is digested once, at registration; arguments and ledger bodies use ``canonical``.
"""

import re
import sys
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from ..model.json_object import JsonObject
from ..model.server import ServerSpec
from ..model.tool import Annotations, ToolSpec
from .canonical import digest, freeze, thaw

_SAFE_INTEGER = (1 << 53) - 1
"""The largest that JavaScript reads exactly, and that RFC 8785 text may hold as an integer."""

_NULL = b"null"
_ABSENT = digest(_NULL)
_NUMBER = re.compile(rb"[:\[,]-?(?:\d+[.eE]|\d{16})")
_BEYOND_U_FFFF = re.compile(rb"[\xf0-\xf4]")


class Pin(NamedTuple):
    """One digest per part of a definition, and ``whole`` over all of them. An absent part is digested as null."""

    name: str
    title: str
    description: str
    input_schema: str
    output_schema: str
    annotations: str
    whole: str


def pinned(value: Any) -> bytes:
    """The RFC 8785 text of a value, without what a hop through another implementation changes.

    Members of the root that are null are left out. Numbers are those that JavaScript reads: a float without a fraction
    is written as the integer that it is, an integer beyond 2^53 as the nearest double.

    Raises:
        NotJson: the value is not strict JSON.
    """
    if isinstance(value, dict):
        value = {key: member for key, member in value.items() if member is not None}
    data, _ = freeze(value, limit_bytes=sys.maxsize)
    return _rfc8785(thaw(data)) if _may_differ(data) else data


def pin_of(spec: ToolSpec) -> Pin:
    """The pin of a tool's definition.

    Raises:
        NotJson: a part is not strict JSON.
    """
    claims, claims_digest = _claimed(spec.annotations)
    description = pinned(spec.description)
    schema = _pinned_schema(spec.input_schema)
    name = pinned(spec.name)
    output = _NULL if spec.output_schema is None else _pinned_schema(spec.output_schema)
    title = _NULL if spec.title is None else pinned(spec.title)
    # The text of an object with these members: its keys are sorted and plain, and absent parts are left out.
    whole = b'{"annotations":%b,"description":%b,"input_schema":%b,"name":%b' % (claims, description, schema, name)
    whole += b"" if output is _NULL else b',"output_schema":%b' % output
    whole += b"}" if title is _NULL else b',"title":%b}' % title
    return Pin(
        name=digest(name),
        title=_ABSENT if title is _NULL else digest(title),
        description=digest(description),
        input_schema=digest(schema),
        output_schema=_ABSENT if output is _NULL else digest(output),
        annotations=claims_digest,
        whole=digest(whole),
    )


def launch_pin(server: ServerSpec) -> str:
    """The digest of how a server is started or reached. Values of variables and headers are no part of it."""
    return digest(pinned(server.launch))


def _pinned_schema(schema: Mapping[str, Any]) -> bytes:
    text = JsonObject.of(schema).json
    # The text of a JsonObject is canonical already, and nearly always RFC 8785 too.
    return pinned(thaw(text)) if b"null" in text or _may_differ(text) else text


@lru_cache(maxsize=128)
def _claimed(annotations: Annotations) -> tuple[bytes, str]:
    """The text of what a source claims, and its digest: thousands of tools claim one of a few things."""
    claimed = {
        "destructive": annotations.destructive,
        "idempotent": annotations.idempotent,
        "open_world": annotations.open_world,
        "read_only": annotations.read_only,
    }
    text = pinned(claimed)  # which leaves out what was not claimed
    return text, digest(text)


def _may_differ(data: bytes) -> bool:
    """Whether RFC 8785 might write this canonical text differently.

    It does so for a number with a fraction or an exponent, an integer beyond 2^53, and the order of keys beyond U+FFFF.
    What only looks so inside a text counts too.
    """
    return _NUMBER.search(b":" + data) is not None or (not data.isascii() and _BEYOND_U_FFFF.search(data) is not None)


def _rfc8785(value: Any) -> bytes:
    import rfc8785

    return rfc8785.dumps(_as_javascript_reads(value))


def _as_javascript_reads(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _as_javascript_reads(member) for key, member in value.items()}
    if isinstance(value, list):
        return [_as_javascript_reads(item) for item in value]
    if isinstance(value, float) and value.is_integer() and abs(value) <= _SAFE_INTEGER:
        return int(value)
    if type(value) is int and abs(value) > _SAFE_INTEGER:
        return float(value)
    return value
