"""What ``.gitignore`` files say, each for its own folder and what lies below."""

from time import thread_time
from typing import NamedTuple

from ...errors import ToolFailedError
from .patience import Patience
from .pattern import MAX_PATTERN_CHARACTERS, Pattern, compiled, translated

FILE = ".gitignore"
MAX_FILE_BYTES = 256 * 1024
MAX_RULES = 5000
"""In one file; one with more is no ignore file that a person wrote, and is passed over."""

_RULES_AT_ONCE = 50
"""In one expression; RE2 then looks at a path once for all of them."""

_CHARACTERS_AT_ONCE = 4096
"""Of rules in one expression, so that none is so large that it takes long to compile."""


class _Rules(NamedTuple):
    """Neighbouring rules that say the same."""

    pattern: Pattern
    ignored: bool


class Layer(NamedTuple):
    """One ignore file, its last rule first. ``start`` is where, in a path's bytes, the part below its folder begins."""

    start: int
    rules: tuple[_Rules, ...]


def layer(text: bytes, start: int, patience: Patience) -> Layer | None:
    """The rules of one file, or None where there is none. What cannot be a rule is passed over, as git does.

    Raises TooSlowError: they take too long.
    """
    groups: list[tuple[bool, list[str]]] = []
    room = 0
    lines = text.decode("utf-8", "replace").removeprefix("\ufeff").splitlines()
    if len(lines) > MAX_RULES:
        return None
    for line in lines:
        begun = thread_time()
        rule = _rule(line) if len(line) <= MAX_PATTERN_CHARACTERS else None
        patience.spend(begun, 1)
        if rule is None:
            continue
        expression, ignored = rule
        room -= len(expression)
        if groups and groups[-1][0] == ignored and len(groups[-1][1]) < _RULES_AT_ONCE and room > 0:
            groups[-1][1].append(expression)
        else:
            groups.append((ignored, [expression]))
            room = _CHARACTERS_AT_ONCE - len(expression)
    rules = [rule for ignored, expressions in reversed(groups) for rule in _compiled(expressions, ignored, patience)]
    return Layer(start, tuple(rules)) if rules else None


def ignored(path: bytes, layers: tuple[Layer, ...]) -> bool:
    """Whether a path is ignored: the deepest file that says anything has the word, in it the last rule.

    The path of a folder ends with ``/``.
    """
    for one in reversed(layers):
        for pattern, verdict in one.rules:
            if pattern.fullmatch(path, one.start) is not None:
                return verdict
    return False


def _rule(line: str) -> tuple[str, bool] | None:
    """One line as an expression over a path below the folder, and whether it ignores what matches."""
    if line.startswith("#"):
        return None
    while line.endswith(" ") and not line.endswith("\\ "):
        line = line[:-1]
    negated = line.startswith("!")
    pattern = line[1:] if negated else line
    folder_only = pattern.endswith("/")
    pattern = pattern.rstrip("/")
    if not pattern:
        return None
    anywhere = "/" not in pattern
    body = translated(pattern.lstrip("/"))
    return f"{'(?s:.*/)?' if anywhere else ''}{body}{'/' if folder_only else '/?'}", not negated


def _compiled(expressions: list[str], ignored: bool, patience: Patience) -> list[_Rules]:
    """One expression if the engine takes it, else halves; a rule that it does not take alone is passed over."""
    begun = thread_time()
    try:
        pattern = compiled("|".join(f"(?:{e})" for e in expressions))
    except ToolFailedError:
        patience.spend(begun, len(expressions))
        if len(expressions) == 1:
            return []
        half = len(expressions) // 2
        return _compiled(expressions[half:], ignored, patience) + _compiled(expressions[:half], ignored, patience)
    patience.spend(begun, len(expressions))
    return [_Rules(pattern, ignored)]
