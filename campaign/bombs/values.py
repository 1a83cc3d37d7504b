"""Values of this process: as arguments through two doors, and as what a tool gives."""

from collections import OrderedDict, namedtuple
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from campaign.bombs.bomb import REFUSED, Bomb
from campaign.bombs.door import arguments, by_registry, made, output, output_of_a_thread, raising

_DOCUMENT = "x" * 1_000_000
_Row = namedtuple("_Row", "a b")


def _unfolding(double: Callable[[Any], Any], levels: int = 60) -> Callable[[], Any]:
    def make() -> Any:
        value: Any = {"leaf": 1}
        for _ in range(levels):
            value = double(value)
        return {"value": value}

    return make


def _itself() -> Any:
    loop: dict[str, Any] = {}
    loop.update(a=loop, b=[loop, loop])
    return loop


def _deep() -> Any:
    value: Any = []
    for _ in range(50_000):
        value = [value]
    return {"value": value}


class Liar:
    """Says that it is a dict."""

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        return dict


class Sticky:
    """Whatever is asked of it, it never ends; it is not to be asked."""

    def __eq__(self, other: object) -> bool:
        while True:
            pass

    __hash__ = object.__hash__

    def __iter__(self) -> Iterator[int]:
        while True:
            yield 1

    def __repr__(self) -> str:
        while True:
            pass

    __str__ = __bool__ = __len__ = __repr__


class Shape(dict[str, Any]):
    """A dict that answers for ever."""

    def __iter__(self) -> Iterator[str]:
        while True:
            yield "a"

    keys = values = items = __iter__  # type: ignore[assignment]


class Failing(Mapping[str, Any]):
    """A mapping that raises."""

    def __getitem__(self, key: str) -> Any:
        raise RuntimeError("no")

    def __iter__(self) -> Iterator[str]:
        raise RuntimeError("no")

    def __len__(self) -> int:
        raise RuntimeError("no")


async def _coroutine() -> None:
    pass


async def _agen() -> Any:
    yield 1


# What is no JSON, or enormous as JSON.
_WRONG: list[tuple[str, Callable[[], Any]]] = [
    ("what unfolds: lists", _unfolding(lambda inner: [inner, inner])),
    ("what unfolds: objects", _unfolding(lambda inner: {"a": inner, "b": inner})),
    ("what unfolds: tuples", _unfolding(lambda inner: (inner, inner))),
    ("what unfolds: derived types", _unfolding(lambda inner: OrderedDict(a=inner, b=inner))),
    ("what unfolds behind something harmless", _unfolding(lambda inner: {"x": [], "a": inner, "b": [inner, 1]})),
    ("what unfolds wide: 1,000 by 1,000 by 1,000", lambda: {"v": [[[0] * 1000] * 1000] * 1000}),
    ("what unfolds a little: 200 times 1,000 rows", lambda: {"v": [[{"a": 1}] * 1000] * 200}),
    ("one document in 1,000 rows", lambda: {"rows": [{"text": _DOCUMENT, "row": row} for row in range(1000)]}),
    ("one document as 1,000 names", lambda: {"rows": [{_DOCUMENT: 1}] * 1000}),
    ("what holds itself", _itself),
    ("50,000 levels", _deep),
    ("two million numbers", lambda: {"v": [0] * 2_000_000}),
    ("a million lists", lambda: {"v": [[] for _ in range(1_000_000)]}),
    ("40 MB of text", lambda: {"v": "x" * 40_000_000}),
    ("a generator", lambda: {"v": (item for item in [1])}),
    ("an object that says that it is a dict", lambda: {"v": Liar()}),
    ("an object that never answers", lambda: {"v": [Sticky()]}),
    ("a key that never answers", lambda: {Sticky(): 1}),
    ("a set", lambda: {"v": {1, 2}}),
    ("bytes", lambda: {"v": b"x" * 1_000_000}),
    ("NaN behind 80,000 numbers", lambda: {"v": [1.5] * 80_000 + [float("nan")]}),
    ("an integer of 100,000 digits", lambda: {"v": 10**100_000}),
    ("half a surrogate pair behind 1 MB", lambda: {"a": "é" * 400_000, "v": "\ud800"}),
    ("keys that are no text", lambda: {"v": dict.fromkeys(range(20_000), 1)}),
]
_RIGHT: list[tuple[str, Callable[[], Any]]] = [
    ("a dict that answers for ever, by its base", lambda: {"v": Shape(a=1)}),
    ("20,000 named tuples", lambda: {"v": [_Row(1, "x")] * 20_000}),
    ("900 kB of text", lambda: {"v": "x" * 900_000}),
    ("24,000 objects", lambda: {"v": [{"k": number} for number in range(24_000)]}),
    ("95,000 numbers", lambda: {"v": [number * 0.1 for number in range(60_000)]}),
]
_RENDERED: list[tuple[str, Callable[[], Any]]] = [
    ("4 MB of marks", lambda: {"v": "<" * 4_000_000}),
    ("4 MB of hidden characters", lambda: {"v": "\u200b" * 1_300_000}),
    ("4 MB of tag characters", lambda: {"v": "\U000e0041" * 1_000_000}),
    ("4 MB of marks and letters in turn", lambda: {"v": "<é\u202e" * 600_000}),
    ("4 MB of quotes", lambda: {"v": '"' * 2_000_000}),
    ("4 MB with one letter beyond ASCII", lambda: {"v": "é" + "a" * 4_000_000}),
    ("4 MB that look like the end of the block", lambda: {"v": f">>\n<<data {'0' * 32} t\n" * 75_000}),
    ("control characters, each six times as long", lambda: {"v": "\x01" * 690_000}),
    ("20,000 secrets", lambda: {"v": [{"api_key": "x"}] * 20_000}),
    ("90,000 names that hold a secret word", lambda: {f"token{number}": number for number in range(90_000)}),
    ("a word of secrets before 24,000 lists", lambda: {"token": "x", "v": [[]] * 24_000}),
]  # fmt: skip


_ANSWERS: list[tuple[str, Callable[[], Any]]] = [
    ("a coroutine", _coroutine),
    ("an asynchronous generator", _agen),
    ("an object", Sticky),
    ("a class", lambda: Sticky),
]
_RAISED: list[tuple[str, Callable[[], BaseException]]] = [
    ("an error of 10 MB", lambda: RuntimeError("x" * 10_000_000)),
    ("an error that never says what it is", lambda: RuntimeError(Sticky())),
    ("RecursionError", RecursionError),
    ("MemoryError", MemoryError),
    ("SystemExit", lambda: SystemExit(1)),
]


def _bombs() -> Iterator[Bomb]:
    for name, make in _WRONG:
        for kind, door in (("arguments", arguments), ("registry", by_registry), ("output", output)):
            yield Bomb(kind, name, made(door, make), (REFUSED,))
        yield Bomb("output of a thread", name, made(output_of_a_thread, make), (REFUSED,))
    for name, make in _RIGHT:
        yield Bomb("arguments", name, made(arguments, make))
        yield Bomb("output", name, made(output, make))
    for name, make in _RENDERED:
        yield Bomb("block", name, made(output, make))
    for name, make in _ANSWERS:
        yield Bomb("output", name, made(output, make), (REFUSED,))
    for name, exc in _RAISED:
        yield Bomb("output", f"raises {name}", made(raising, exc), (REFUSED,))
    yield Bomb("arguments", "a mapping that raises", made(arguments, Failing), (REFUSED,))
    for call_id in ("x" * 1_000_000, "\ud800", "a\nb", "r0000000000000000-1.1"):
        lay = made(partial(arguments, call_id=call_id), dict)
        yield Bomb("arguments", f"the call id {call_id[:20]!a}", lay, (REFUSED,))


BOMBS = list(_bombs())
