"""Lines and the messages of the SDK: each way once, without its models where they cost more than they tell."""

import json
import re
from typing import TYPE_CHECKING, Any

import orjson

from ...schema.weight import without_texts
from .limits import McpLimits
from .lines import TooLong

if TYPE_CHECKING:
    from mcp.shared.message import SessionMessage

_PATIENT_BYTES = 1024 * 1024
"""Of a line that is read a second time, by a slower reader that takes more."""

_SHORT = 4096
"""Bytes of a line that is searched faster than written again."""

_EDGE = 512
"""Bytes of each end of a line in which its id is looked for."""

_LONG_INTEGER = re.compile(rb"\d{19}")


class Junk(Exception):  # noqa: N818 - the SDK takes an exception as an item of a stream; it is never raised
    """A line that is no message. ``id`` is that of the request which it answers, where one can be told."""

    def __init__(self, told: str, *, reason: str = "malformed", id: str = "", size: int = 0) -> None:
        super().__init__(told)
        self.told = told
        self.reason = reason
        self.id = id
        self.size = size


class Frames:
    """Reads lines and writes them. ``garbage`` counts those that were nothing."""

    def __init__(self, limits: McpLimits) -> None:
        import mcp_types
        from mcp.shared.message import SessionMessage

        self._types = mcp_types
        self._message = SessionMessage
        self._limits = limits
        self.garbage = 0

    def read(self, line: bytes) -> "SessionMessage | Junk":
        """What a line says. It is never quoted."""
        try:
            if len(line) > _PATIENT_BYTES and is_heavy(line, self._limits.message_parts):
                return self._heavy(line)
            value = _value(line)
        except (ValueError, RecursionError):
            self.garbage += 1
            return Junk("a line that is not JSON", size=len(line))
        message = self._of(value) if isinstance(value, dict) else None
        if message is None:
            self.garbage += 1
            return Junk("a line that is no message", size=len(line))
        return message

    def too_long(self, line: TooLong) -> Junk:
        """A line that was not kept."""
        self.garbage += 1
        told = f"an answer of {line.size} bytes, where {self._limits.line_bytes} are the most"
        reason = "too_long" if line.head.lstrip()[:1] == b"{" else "malformed"
        return Junk(told, reason=reason, id=line.id, size=line.size)

    def write(self, item: "SessionMessage") -> bytes:
        """One line."""
        message = item.message
        try:
            return orjson.dumps(_plain(message), option=orjson.OPT_APPEND_NEWLINE)
        except TypeError:  # an integer beyond 64 bits
            return message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n"

    def _heavy(self, line: bytes) -> Junk:
        self.garbage += 1
        ends = TooLong(line[:_EDGE], line[-_EDGE:], len(line))
        told = f"an answer of more than {self._limits.message_parts} parts"
        return Junk(told, reason="too_long", id=ends.id, size=len(line))

    def _of(self, value: dict[str, Any]) -> "SessionMessage | Junk | None":
        types, id = self._types, value.get("id")
        if "method" in value:
            try:
                return self._message(types.jsonrpc_message_adapter.validate_python(value, by_name=False))
            except ValueError:
                return None
        if type(id) is not int and not isinstance(id, str):
            return None
        if isinstance(result := value.get("result"), dict):
            return self._message(types.JSONRPCResponse.model_construct(jsonrpc="2.0", id=id, result=result))
        if isinstance(error := value.get("error"), dict):
            try:
                data = types.ErrorData.model_validate(error)
            except ValueError:
                return Junk("an error without a code and a message", id=str(id))
            return self._message(types.JSONRPCError.model_construct(jsonrpc="2.0", id=id, error=data))
        return Junk("an answer with neither a result nor an error", id=str(id))


def _plain(message: Any) -> dict[str, Any]:
    """The members that were set, in the order of the protocol's own examples."""
    plain: dict[str, Any] = {"jsonrpc": "2.0"}
    held = message.__dict__
    for name in ("id", "method", "params", "result"):
        if name in held and (value := held[name]) is not None:
            plain[name] = value
    if (error := held.get("error")) is not None:
        plain["error"] = error.model_dump(mode="json", exclude_none=True)
    return plain


def _value(line: bytes) -> Any:
    """Raises ValueError: it is no JSON, whichever way it is read."""
    try:
        value = orjson.loads(line)
    except ValueError:
        if len(line) > _PATIENT_BYTES or line[:1] not in (b"{", b" ", b"\t"):
            raise
        # Bytes that are no UTF-8, or halves of a character: replaced, as nobody can write them again.
        text = json.dumps(json.loads(line.decode("utf-8", "replace")), ensure_ascii=False)
        return orjson.loads(text.encode("utf-8", "replace"))
    if len(line) > _SHORT and (len(line) > _PATIENT_BYTES or b"e+" not in orjson.dumps(value)):
        return value  # a long integer was read as a float, which is written with an exponent
    return json.loads(line) if _LONG_INTEGER.search(line) else value  # reads integers of any length


def id_of(message: bytes) -> str | None:
    """The id of a message as text; empty if it is no answer to anything, None if that cannot be told cheaply."""
    if len(message) > _SHORT:
        return TooLong(message[:_EDGE], message[-_EDGE:], len(message)).id or None
    try:
        value = orjson.loads(message)
    except ValueError:
        return None
    return str(value.get("id", "")) if isinstance(value, dict) else None


def is_heavy(line: bytes, most: int) -> bool:
    """Whether it has more objects, arrays and commas. A text full of commas is looked at again, without its texts."""
    return _parts(line) > most and _parts(without_texts(line)) > most


def _parts(line: bytes) -> int:
    return line.count(b",") + line.count(b"[") + line.count(b"{")
