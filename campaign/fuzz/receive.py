"""Room 1 and the strict reader, against a slow reader that shares no code with it."""

from typing import Any

import orjson

from campaign.fuzz import shapes
from campaign.fuzz.flaw import Flaw
from campaign.fuzz.reader import NoJsonError, read
from licet.model.principal import Principal
from licet.runtime import receive as room
from licet.runtime.limits import Limits
from licet.schema import canonical
from licet.schema.canonical import NotJson, freeze

SEEDS = [
    "t" + text
    for text in (
        '{"a":1,"b":[true,null,-0.5e3],"c":{"d":"\\u00e9\\ud83d\\ude42"}}',
        '{"a":1,"a":2}',
        '{"a":18446744073709551615,"b":-9223372036854775808,"c":1e+30}',
        '{"a":18446744073709551616}',
        '{"\\u0061":":","a:":{"x":{}}}',
        "[" * 64 + "]" * 64,
        "[" * 65 + "]" * 65,
        '["\\ud800"]',
        '{"a":1e999}',
        "NaN",
        ' {"a" : "b\\\\\\"" } ',
        '{"a":-0,"b":-0.0,"c":0e1}',
    )
] + ["w\0\6\x04\x10\1", "v\5\1\2\3\4", "j\5\4\3\2\1"]
WORDS = shapes.WORDS
MOST_BYTES = 1024

_LIMITS = Limits()
_LIMIT = 64 * 1024
_KEPT_LIMIT = 1 << 20


class _Caller:
    id = "r"
    principal = Principal("p")

    def mint(self) -> str:
        return "r.1"


def check(data: bytes) -> None:
    """Raises AssertionError: the two readers differ, or what was read is not what is kept.

    The first byte says what the others stand for.
    """
    kind, rest = data[:1], data[1:]
    if kind == b"v":
        _check_value(shapes.value(rest))
    else:
        _check_text(rest if kind == b"t" else shapes.words(rest) if kind == b"w" else shapes.nearly_json(data))


def _check_text(data: bytes) -> None:
    try:
        expected, right = read(data), True
    except NoJsonError:
        expected, right = None, False
    for text in [data, *_as_text(data)]:
        _received(text, expected, right and isinstance(expected, dict))
        value, refusal = _parsed(text)
        assert bool(refusal) != right, f"{refusal or value!r}, but it is{'' if right else ' not'} strict JSON"
        if right:
            assert _same(value, expected), f"read as {value!r}, not {expected!r}"
            _check_frozen(value, expected)


def _parsed(text: bytes | str) -> tuple[Any, str]:
    """The value, or why it is refused: a message that can be written down."""
    try:
        return canonical.parse(text, limit_bytes=_LIMIT), ""
    except NotJson as refused:
        return None, str(refused).encode().decode()


def _check_value(value: dict[Any, Any]) -> None:
    try:
        expected, right = shapes.plainly(value), True
    except NoJsonError:
        expected, right = None, False
    _received(value, expected, right)
    if right:
        _check_frozen(value, expected)


def _check_frozen(value: Any, expected: Any) -> None:
    kept, copy = freeze(value, limit_bytes=_KEPT_LIMIT)
    assert _same(_sorted(copy), _sorted(expected))
    assert _same(read(kept), _sorted(expected)), f"kept as {kept!r}"
    assert freeze(orjson.loads(kept), limit_bytes=_KEPT_LIMIT)[0] == kept, "the same value has one text"


def _received(arguments: Any, expected: Any, right: bool) -> None:
    call, kept = room.receive("tool", arguments, None, _Caller(), _LIMITS)
    assert (call.problem is None) == right, f"{call.problem or 'taken'}, but it is{'' if right else ' not'} right"
    read_back = orjson.loads(call.payload)
    if call.problem is None:
        assert _same(_sorted(kept), _sorted(expected))
        assert _same(_sorted(read_back), _sorted(expected))
    else:
        assert kept is None
        assert list(read_back) == ["unreadable"]
        call.problem.message.encode()


def _as_text(data: bytes) -> list[bytes | str]:
    try:
        return [data.decode()]
    except UnicodeDecodeError:
        return []


def _same(left: Any, right: Any) -> bool:
    """Equal with equal types: 1, 1.0 and true are three things. Only the sign of a zero is nobody's business."""
    return repr(left).replace("-0.0", "0.0") == repr(right).replace("-0.0", "0.0")


def _sorted(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _sorted(value[key]) for key in sorted(value)}
    return [_sorted(item) for item in value] if isinstance(value, list) else value


def _without_counting() -> None:
    """The reader without its look for keys that stand twice: the last one wins, as everywhere else."""
    strict = canonical.parse

    def lenient(text: str | bytes, *, limit_bytes: int) -> Any:
        try:
            return strict(text, limit_bytes=limit_bytes)
        except NotJson as refused:
            if "twice" in refused.problem:
                return orjson.loads(text)
            raise

    canonical.parse = lenient


FLAW = Flaw("a reader without a look for keys that stand twice", _without_counting, ["tool", "a"])
