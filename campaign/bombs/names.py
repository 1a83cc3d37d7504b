"""Names of tools: as a model may call them, and as somebody may register them."""

from typing import Any

from campaign.bombs.bomb import DONE, REFUSED, Bomb, Fuse, Place
from campaign.bombs.door import named, registered
from licet import GrantSet, Principal, Runtime
from licet.sources.function import make

_CALLED: list[Any] = [
    "x" * 1_000_000,
    "x/" * 100_000,
    "tool\0",
    "tool\n",
    "\u202eloot",
    "t\u200bool",
    "\U000e0074ool",
    "t\u043eol",
    "\ud800",
    "",
    "../../etc/passwd",
    "a" * 321,
    "a." * 160,
    b"tool",
    None,
    1,
    ["tool"],
    {"tool": 1},
]
_REGISTERED: list[tuple[str, tuple[str, ...]]] = [
    ("two that differ by l and I", ("mcp/s.pull", "mcp/s.puIl")),
    ("two that differ by rn and m", ("mcp/s.rnail", "mcp/s.mail")),
    ("two that differ by case", ("tool", "Tool")),
    ("a Cyrillic letter", ("t\u043eol",)),
    ("a control character", ("tool\x1b[2J",)),
    ("a bidirectional character", ("tool\u202e",)),
    ("an invisible character", ("to\u2060ol",)),
    ("a tag character", ("tool\U000e0041",)),
    ("a full-width letter", ("\uff54ool",)),
    ("a NUL", ("tool\0",)),
    ("a megabyte", ("x" * 1_000_000,)),
    ("half a surrogate pair", ("\udcff",)),
    ("nothing", ("",)),
]


def _globs(place: Place) -> Fuse:
    """Every pattern of a set is matched against every tool, before a run begins."""

    async def ok() -> dict[str, Any]:
        return {}

    runtime = Runtime([make(ok, name=f"{'a' * 200}{number}") for number in range(50)])
    who = Principal("g", grants=[GrantSet.glob("*a" * 100 + f"b{number}") for number in range(10)])
    return Fuse(lambda: runtime.tools_for(who) and None, lambda: runtime.call(who, "a" * 200 + "1", {}))


def _called(name: Any) -> Bomb:
    return Bomb("name", f"a call of {str(name)[:24]!a}", lambda place: named(name), (REFUSED,))


def _registered(told: str, names: tuple[str, ...]) -> Bomb:
    return Bomb("name", f"registered: {told}", lambda place: registered(*names), (REFUSED,))


BOMBS = [
    *map(_called, _CALLED),
    *(_registered(told, names) for told, names in _REGISTERED),
    Bomb("name", "10 globs of 100 stars against 50 names", _globs, (DONE, REFUSED)),
]
