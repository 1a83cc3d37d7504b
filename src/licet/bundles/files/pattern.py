"""Patterns, all in one engine whose time is linear in the text: RE2. Globs and ignore rules are translated to it."""

from typing import Any, Protocol

from ...errors import ToolFailedError

MAX_PATTERN_CHARACTERS = 1000
MAX_STEPS = 10_000
"""Of a compiled pattern; each may cost a few nanoseconds for each byte of a text."""

_MEMORY_BYTES = 8 * 1024 * 1024
_COMPILING_BYTES = 512 * 1024
"""Enough for a pattern of ``MAX_STEPS``. One that needs more is given up before it is compiled to the end."""


class Match(Protocol):
    """Where a pattern was found."""

    def start(self) -> int: ...

    def end(self) -> int: ...


class Pattern(Protocol):
    """A compiled pattern over bytes. ``programsize`` counts its steps."""

    @property
    def programsize(self) -> int: ...

    def search(self, text: bytes, pos: int = ..., endpos: int = ..., /) -> Match | None: ...

    def fullmatch(self, text: bytes, pos: int = ..., endpos: int = ..., /) -> Match | None: ...


def compiled(
    pattern: str,
    *,
    ignore_case: bool = False,
    literal: bool = False,
    lines: bool = False,
    memory_bytes: int = _MEMORY_BYTES,
) -> Pattern:
    """A pattern over UTF-8 bytes. With ``lines`` it matches within one line, whose ends are ``^`` and ``$``.

    Raises:
        ToolFailedError: ``bad_pattern``, it does not compile, needs more than linear time, or is too large.
    """
    import re2

    options: Any = re2.Options()
    options.log_errors = False
    options.max_mem = memory_bytes
    options.never_capture = True
    options.case_sensitive = not ignore_case
    options.literal = literal
    options.never_nl = lines
    try:
        text = pattern.encode()
        found: Pattern = re2.compile(b"(?m)" + text if lines and not literal else text, options)
    except UnicodeEncodeError:
        raise _bad("it is no Unicode text") from None
    except re2.error as exc:
        told = exc.args[0] if exc.args else ""
        raise _bad(told.decode("utf-8", "replace") if isinstance(told, bytes) else str(told)) from None
    if found.programsize > MAX_STEPS:
        raise _bad(f"it comes to {found.programsize} steps, {MAX_STEPS} at most; use smaller repetitions")
    return found


def expression(pattern: str, *, ignore_case: bool, literal: bool) -> Pattern:
    """What ``grep`` looks for in each line. Raises ToolFailedError: ``bad_pattern``."""
    _refuse_long(pattern)
    for memory_bytes in (_COMPILING_BYTES, _MEMORY_BYTES):
        found = compiled(pattern, ignore_case=ignore_case, literal=literal, lines=True, memory_bytes=memory_bytes)
    return found


def glob(pattern: str) -> Pattern:
    """A glob over a path below the folder searched; one without ``/`` is over the last name alone.

    ``*`` and ``?`` stay within a name, ``**`` goes across, ``[a-z]`` and ``{a,b}`` are choices.

    Raises:
        ToolFailedError: ``bad_pattern``.
    """
    _refuse_long(pattern)
    anchored = "/" in pattern.rstrip("/")
    body = translated(pattern.strip("/"), braces=True)
    return compiled(body if anchored else f"(?s:.*/)?{body}")


def translated(pattern: str, *, braces: bool = False) -> str:
    """A glob as a regular expression over ``/``-separated names. What is no valid choice stands for itself."""
    out: list[str] = []
    position = 0
    depth = 0
    while position < len(pattern):
        char = pattern[position]
        position += 1
        if char == "*":
            position = _stars(pattern, position, out)
        elif char == "?":
            out.append("[^/]")
        elif char == "[":
            position = _choice(pattern, position, out)
        elif char == "\\" and position < len(pattern):
            out.append(_literal(pattern[position]))
            position += 1
        elif braces and char == "{" and "}" in pattern[position:]:
            depth += 1
            out.append("(?:")
        elif depth and char in ",}":
            depth -= char == "}"
            out.append("|" if char == "," else ")")
        else:
            out.append(_literal(char))
    return "".join(out) + ")" * depth


def _stars(pattern: str, position: int, out: list[str]) -> int:
    """One star or more; two that fill a whole name go across names."""
    start = position - 1
    while position < len(pattern) and pattern[position] == "*":
        position += 1
    whole = (start == 0 or pattern[start - 1] == "/") and (position == len(pattern) or pattern[position] == "/")
    if position - start < 2 or not whole:
        out.append("[^/]+" if whole else "[^/]*")  # a name is never empty
    elif position == len(pattern):
        out.append("(?s:.+)" if start else "(?s:.*)")
    else:
        out.append("(?s:.*/)?")
        position += 1
    return position


def _choice(pattern: str, position: int, out: list[str]) -> int:
    """``[...]``: one character of a set, never ``/``."""
    end = pattern.find("]", position + 2 if pattern[position : position + 1] in ("!", "^") else position + 1)
    if end < 0:
        out.append(_literal("["))
        return position
    body = pattern[position:end]
    negated = body[0] in "!^"
    members = _members(body[1:] if negated else body)
    if negated:
        out.append("[^/" + members + "]")
    else:
        out.append("[" + members + "]" if members else r"[^\x00-\x{10ffff}]")
    return end + 1


def _members(body: str) -> str:
    out: list[str] = []
    position = 0
    while position < len(body):
        low = body[position]
        if low == "\\" and position + 1 < len(body):
            position += 1
            low = body[position]
        position += 1
        high = low
        if position + 1 < len(body) and body[position] == "-":
            high = body[position + 1]
            position += 2
        for first, last in ((low, min(high, ".")), (max(low, "0"), high)):  # "/" stands between "." and "0"
            if first <= last:
                out.append(_literal(first) + "-" + _literal(last))
    return "".join(out)


def _literal(char: str) -> str:
    return char if char.isalnum() and char.isascii() else f"\\x{{{ord(char):x}}}"


def _refuse_long(pattern: str) -> None:
    if len(pattern) > MAX_PATTERN_CHARACTERS:
        raise _bad(f"it is longer than {MAX_PATTERN_CHARACTERS} characters")


def _bad(why: str) -> ToolFailedError:
    return ToolFailedError(
        f"the pattern cannot be used: {why}; patterns are RE2 or globs, without back-references and look-around",
        reason="bad_pattern",
    )
