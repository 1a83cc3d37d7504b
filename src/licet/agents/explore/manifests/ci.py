"""What a CI system is told to run. The files are read by line: that is enough for commands, and no YAML can hurt."""

import re
from collections.abc import Iterator

from ..fact import Pipeline
from .told import Manifest, Told

_MAX_COMMANDS = 50
_RUN = re.compile(r"^([ \t]*)(?:-[ \t]+)?(?:run|script|before_script|command):[ \t]*(.*?)[ \t]*$")
_BLOCK = re.compile(r"[|>][+-]?\d*")
_ITEM = re.compile(r"^[ \t]*-[ \t]+(?![\w-]+:(?:[ \t]|$))(.+?)[ \t]*$")
_NOISE = re.compile(
    r"(?:#|set -|echo\b|cd\b|export\b|if\b|then\b|else\b|fi\b|for\b|do\b|done\b|[}{)(]|sudo apt|mkdir\b)"
)


def workflow(manifest: Manifest) -> Told:
    """A YAML file: its ``run:`` and ``script:`` lines, without what only prepares them."""
    found: dict[str, None] = {}
    for line in _commands(manifest.text.splitlines()):
        plain = line.strip().strip("'\"").rstrip("\\").strip()
        if plain and not _NOISE.match(plain):
            found.setdefault(plain[:200])
        if len(found) == _MAX_COMMANDS:
            break
    return Told(kind="CI", pipeline=Pipeline(manifest.path, tuple(found)))


def script(manifest: Manifest) -> Told:
    """A shell script: its lines that are commands of their own."""
    lines = [line.strip() for line in manifest.text.splitlines() if line[:1].isalpha() or line.startswith("./")]
    plain = [line.removeprefix("exec ") for line in lines if not _NOISE.match(line) and "=" not in line.split()[0]]
    return Told(kind="CI", pipeline=Pipeline(manifest.path, tuple(dict.fromkeys(plain[:_MAX_COMMANDS]))))


def other(manifest: Manifest) -> Told:
    """A pipeline whose language says nothing here; that it exists is still worth knowing."""
    return Told(kind="CI", pipeline=Pipeline(manifest.path, ()))


def _commands(lines: list[str]) -> Iterator[str]:
    place = 0
    while place < len(lines):
        match = _RUN.match(lines[place])
        place += 1
        if match is None:
            continue
        indent, rest = len(match[1]), match[2]
        if rest and not _BLOCK.fullmatch(rest):
            yield rest
            continue
        while place < len(lines) and (not lines[place].strip() or _deeper(lines[place], indent, listed=not rest)):
            item = _ITEM.match(lines[place])
            if rest:
                yield lines[place]
            elif item is not None:
                yield item[1]
            place += 1


def _deeper(line: str, indent: int, *, listed: bool) -> bool:
    """Whether a line belongs to what began at ``indent``; the items of a list may stand as deep as its key."""
    own = len(line) - len(line.lstrip())
    return own > indent or (listed and own == indent and line.lstrip().startswith("- "))
