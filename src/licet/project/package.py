"""Commands that fetch a package and run it: whether the package has one version, or whichever is newest that day."""

import os
import re
from collections.abc import Sequence

_NPM_EXACT = re.compile(r"(?:@[^/@]+/)?[^@/]+@v?[0-9]+\.[0-9]+\.[0-9]+(?:[-+][0-9A-Za-z.-]+)?")
_PYTHON_EXACT = re.compile(r"[A-Za-z0-9._-]+(?:\[[^]]*\])?\s*(?:===?|@)\s*[0-9][0-9A-Za-z.!+-]*")
_COMMIT = re.compile(r"[#@][0-9a-f]{40}\b")
_IMAGE_TAG = re.compile(r":([A-Za-z0-9_][A-Za-z0-9_.-]*)$")
_LOCAL = ("./", "../", "/", "~", "file:")

_NPM_VALUES = frozenset(("-p", "--package", "-c", "--call", "-w", "--workspace", "--registry", "--prefix", "--cache"))
_UV_VALUES = frozenset(
    "--from --with --with-editable --with-requirements -p --python --index --index-url -i --extra-index-url "
    "--find-links -f --directory --project --config-file --cache-dir --env-file -w -c --constraint".split()
)
_PIPX_VALUES = frozenset(("--spec", "--python", "--pip-args", "--index-url", "-i", "--with"))
_DOCKER_FLAGS = frozenset(
    "-i -t -it -ti -d --rm --init --privileged --read-only --interactive --tty --detach -P --publish-all "
    "--no-healthcheck --oom-kill-disable -q --quiet --disable-content-trust --sig-proxy".split()
)


def floating(command: str, args: Sequence[str]) -> tuple[str, ...]:
    """Packages and images that the command fetches without one exact version; empty where it fetches none.

    A tag of an image counts as a version, but for ``latest``.
    """
    program = re.sub(r"\.(?:exe|cmd|bat)$", "", os.path.basename(command.replace("\\", "/")).lower())
    rest = list(args)
    match program, rest[:1], rest[1:2]:
        case ("cmd", ["/c" | "/C"], _) if len(rest) > 1:
            return floating(rest[1], rest[2:])
        case ("env", _, _):
            rest = [word for at, word in enumerate(rest) if "=" not in word or any("=" not in w for w in rest[:at])]
            return floating(rest[0], rest[1:]) if rest else ()
        case ("npx" | "bunx" | "pnpx", _, _):
            return _npm(rest)
        case ("npm" | "pnpm" | "yarn" | "bun", ["exec" | "x" | "dlx"], _):
            return _npm(rest[1:])
        case ("uvx", _, _):
            return _python(rest, _UV_VALUES, ("--from", "--with"), replacing=("--from",))
        case ("uv", ["tool"], ["run"]):
            return _python(rest[2:], _UV_VALUES, ("--from", "--with"), replacing=("--from",))
        case ("pipx", ["run"], _):
            return _python(rest[1:], _PIPX_VALUES, ("--spec", "--with"), replacing=("--spec",))
        case ("docker" | "podman" | "nerdctl", ["run"], _):
            return _image(rest[1:])
        case ("deno", ["run"], _):
            found = next((word for word in rest[1:] if word.startswith(("npm:", "jsr:"))), "")
            return () if not found or _NPM_EXACT.fullmatch(found[4:]) else (found,)
    return ()


def _npm(args: Sequence[str]) -> tuple[str, ...]:
    packages, first = _split(args, _NPM_VALUES, ("-p", "--package"))
    named = packages or ([first] if first else [])
    return tuple(spec for spec in named if not _is_pinned(spec) and not _NPM_EXACT.fullmatch(spec))


def _python(
    args: Sequence[str], values: frozenset[str], wanted: tuple[str, ...], *, replacing: tuple[str, ...]
) -> tuple[str, ...]:
    packages, first = _split(args, values, wanted)
    replaced = any(word.partition("=")[0] in replacing for word in args)
    named = packages if replaced or not first else [*packages, first]
    return tuple(spec for spec in named if not _is_pinned(spec) and not _PYTHON_EXACT.fullmatch(spec))


def _image(args: Sequence[str]) -> tuple[str, ...]:
    words = iter(args)
    for word in words:
        if not word.startswith("-"):
            tag = _IMAGE_TAG.search(word)
            exact = "@sha256:" in word or (tag is not None and tag[1] != "latest")
            return () if exact else (word,)
        if word not in _DOCKER_FLAGS and "=" not in word:
            next(words, None)  # the option's value
    return ()


def _split(args: Sequence[str], values: frozenset[str], wanted: tuple[str, ...]) -> tuple[list[str], str]:
    """What the wanted options name, and the first word that is no option and no option's value."""
    found: list[str] = []
    words = iter(args)
    for word in words:
        if word == "--":
            return found, next(words, "")
        if not word.startswith("-"):
            return found, word
        name, equals, value = word.partition("=")
        if not equals and name in values:
            value = next(words, "")
        if name in wanted and value:
            found += [value] if name in ("-p", "--package") else value.split(",")
    return found, ""


def _is_pinned(spec: str) -> bool:
    """Something of this machine, or a commit."""
    return spec.startswith(_LOCAL) or spec == "." or _COMMIT.search(spec) is not None


__all__ = ["floating"]
