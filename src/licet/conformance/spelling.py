"""Other ways to write a tool's name, each of which is another name."""

from collections.abc import Callable

_WIDE = 0xFEE0

SPELLINGS: dict[str, Callable[[str], str]] = {
    "upper": str.upper,
    "capital": lambda name: name[:1].upper() + name[1:],
    "space": lambda name: f"{name} ",
    "line": lambda name: f"{name}\n",
    "unseen": lambda name: f"{name[:1]}\u200b{name[1:]}",
    "wide": lambda name: "".join(chr(ord(sign) + _WIDE) if "a" <= sign <= "z" else sign for sign in name),
    "nul": lambda name: f"{name}\0",
    "path": lambda name: f"./{name}",
    "functions": lambda name: f"functions.{name}",
    "server": lambda name: f"mcp__other__{name}",
    "plugin": lambda name: f"other/{name}",
    "longer": lambda name: f"{name}_2",
}
"""By the word that a vector uses. ``wide`` are the full-width letters, which NFKC makes plain."""


def spelled(name: str, how: str) -> str:
    """The name in that spelling."""
    return SPELLINGS[how](name)
