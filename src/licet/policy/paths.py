"""Paths judged by their spelling alone: no I/O, nothing normalised, the same string goes on to the kernel.

What a link, a mount or a race makes of the spelling is found by the workspace, which opens by directory handle.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ..model.paths import PathPolicy, narrower
from ..model.tool import ToolSpec
from ..model.verdict import PERMIT, Deny, Verdict
from .protected import why_unreadable, why_unwritable

_NO_ALIASES: Mapping[str, str] = {}


class Located(NamedTuple):
    """A path as its root sees it: ``rest`` is the end of the original string, relative to that root."""

    root_index: int
    rest: str


def components(path: str) -> list[str]:
    """The names of a path in order, without the empty ones and ``.``; ``..`` stays."""
    return [part for part in path.split("/") if part not in ("", ".")]


def printable(name: str) -> str:
    """A file's name as JSON can hold it: bytes that are no UTF-8 as ``\\xNN``."""
    if name.isascii():
        return name
    try:
        name.encode()
    except UnicodeEncodeError:
        return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    return name


def climbs(path: str) -> bool:
    """Whether ``..`` leads above where the path starts, going by the spelling."""
    if ".." not in path:
        return False
    depth = 0
    for part in components(path):
        depth += -1 if part == ".." else 1
        if depth < 0:
            return True
    return False


def below(path: str, root: str) -> str | None:
    """The rest of an absolute path after its root, or None: it does not start there. No ``..`` before the rest."""
    position = 0
    for name in components(root):
        while path.startswith(("/", "./"), position) or path[position:] == ".":
            position += 1
        end = path.find("/", position)
        end = len(path) if end < 0 else end
        if path[position:end] != name:
            return None
        position = end
    return path[position:].lstrip("/") or "."


def locate(path: str, roots: Sequence[str], aliases: Mapping[str, str] = _NO_ALIASES) -> Located | None:
    """The root that a path belongs to: the first for a relative path, else the deepest that contains it.

    ``aliases`` maps a root to another name of the same folder, its real path for instance.
    """
    if not path.startswith("/"):
        return None if climbs(path) or not roots else Located(0, path)
    for index in sorted(range(len(roots)), key=lambda i: -len(roots[i])):
        for name in dict.fromkeys((roots[index], aliases.get(roots[index], roots[index]))):
            rest = below(path, name)
            if rest is not None and not climbs(rest):
                return Located(index, rest)
    return None


def judge_path(
    path: object,
    policy: PathPolicy,
    *,
    writing: bool = False,
    aliases: Mapping[str, str] = _NO_ALIASES,
) -> Deny | None:
    """None, or why this path is refused whatever the file system holds."""
    if policy.access == "danger_full_access":
        return unnameable(path)
    found = judged(path, policy, aliases)
    if isinstance(found, Deny):
        return found
    names = components(found.rest)
    reason = why_unreadable(names) or (why_unwritable(names) if writing else "")
    return Deny("path_violation", protected_message(str(path), reason), reason="path_protected") if reason else None


def judged(path: object, policy: PathPolicy, aliases: Mapping[str, str] = _NO_ALIASES) -> Located | Deny:
    """Where a path lies among the roots of a policy that has roots, or why it lies nowhere."""
    refusal = unnameable(path)
    if refusal is not None:
        return refusal
    if policy.access == "none":
        return closed()
    assert isinstance(path, str)  # unnameable refuses the rest
    return locate(path, policy.roots, aliases) or _outside(outside_message(path))


def unnameable(path: object) -> Deny | None:
    """None, or why this can be the name of nothing."""
    if not isinstance(path, str):
        return _outside(f"a path is text, not {type(path).__name__}")
    if "\0" in path:
        return _outside("a path holds no NUL character; send the path without it")
    try:
        path.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return _outside("a path is Unicode text without lone surrogates")
    return None


def closed() -> Deny:
    """The refusal of any path while the policy is ``none``."""
    return Deny(
        "path_violation",
        "this run may not touch files: its path policy is 'none'",
        reason="path_outside_root",
        remedy="give the principal paths=PathPolicy.current_project(folder), or roots: [.] in licet.yaml",
    )


def outside_message(path: str) -> str:
    """What a model reads about a path outside; an absolute path is not repeated, a host's folders are nobody's."""
    shown = "an absolute path" if path.startswith("/") else repr(path[:200])
    return f"{shown} leads outside the allowed roots; use a path relative to the project, such as 'src/main.py'"


def protected_message(path: str, reason: str) -> str:
    """What a model reads about a protected path."""
    shown = "this path" if path.startswith("/") else repr(path[:200])
    return f"{shown} is protected, because {reason}; ask a person to make this change"


def pointers(arguments: Mapping[str, Any], path_arguments: Sequence[str]) -> Iterator[Any]:
    """The values that JSON pointers lead to; ``*`` stands for every element. A pointer to nothing yields nothing."""
    for pointer in path_arguments:
        found: list[Any] = [arguments]
        for token in pointer.split("/")[1:]:
            name = token.replace("~1", "/").replace("~0", "~")
            found = [child for value in found for child in _children(value, name)]
        yield from found


def paths_fit(
    spec: ToolSpec,
    policy: PathPolicy,
    arguments: Mapping[str, Any] | None,
    *,
    aliases: Mapping[str, str] = _NO_ALIASES,
) -> Verdict:
    """Whether a tool may touch the paths among its arguments; without arguments, whether it may touch any."""
    if spec.path_access == "none":
        return PERMIT
    narrowed = narrower(policy, spec.path_access)
    if narrowed.access == "none":
        return closed()
    if arguments is None:
        return PERMIT
    writing = not spec.capabilities.read_only
    for path in pointers(arguments, spec.path_arguments):
        verdict = judge_path(path, narrowed, writing=writing, aliases=aliases)
        if verdict is not None:
            return verdict
    return PERMIT


def _children(value: Any, name: str) -> list[Any]:
    if isinstance(value, Mapping):
        if name == "*":
            return list(value.values())
        return [value[name]] if name in value else []
    if isinstance(value, list | tuple):
        if name == "*":
            return list(value)
        return [value[int(name)]] if name.isdecimal() and name.isascii() and int(name) < len(value) else []
    return []


def _outside(message: str) -> Deny:
    return Deny("path_violation", message, reason="path_outside_root")
