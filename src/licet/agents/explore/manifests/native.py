"""``Cargo.toml``, ``go.mod``, CMake, Meson and ``configure``: what is compiled."""

import re
import tomllib
from collections.abc import Iterator
from typing import Any

from ..fact import Command, EntryPoint
from .told import Manifest, Told, UnreadableManifestError, table_of, text_of

_MODULE = re.compile(r"^module[ \t]+(\S+)", re.MULTILINE)
_PROJECT = re.compile(r"^[ \t]*project[ \t]*\(\s*['\"]?([^\s'\",)]+)", re.MULTILINE | re.IGNORECASE)
_ABOUT = re.compile(r"^[ \t]*project[ \t]*\([^)]{0,2000}?\bDESCRIPTION\s+\"([^\"]*)\"", re.MULTILINE | re.IGNORECASE)
_TESTS = re.compile(r"^[ \t]*(?:enable_testing|add_test|include[ \t]*\([ \t]*CTest)\b", re.MULTILINE | re.IGNORECASE)


def cargo(manifest: Manifest) -> Told:
    """Raises UnreadableManifestError: it is no TOML."""
    try:
        data = tomllib.loads(manifest.text)
    except (tomllib.TOMLDecodeError, RecursionError) as exc:
        raise UnreadableManifestError(str(exc)) from exc
    package = table_of(data, "package")
    shared = table_of(data, "workspace", "package")
    binaries = tuple(_binaries(manifest.path, data))
    commands = [Command("build", "cargo build", manifest.path)]
    if binaries or "default-run" in package:
        commands.append(Command("run", "cargo run", manifest.path))
    commands.append(Command("test", "cargo test", manifest.path))
    return Told(
        kind="Rust",
        name=text_of(package.get("name")),
        description=text_of(package.get("description")) or text_of(shared.get("description")),
        licence=text_of(package.get("license")) or text_of(shared.get("license")),
        commands=tuple(commands),
        entry_points=binaries,
    )


def _binaries(source: str, data: dict[str, Any]) -> Iterator[EntryPoint]:
    listed = data.get("bin")
    for binary in listed if isinstance(listed, list) else ():
        if name := text_of(table_of(binary).get("name")):
            yield EntryPoint(name, text_of(binary.get("path")) or f"src/bin/{name}.rs", source)


def go_mod(manifest: Manifest) -> Told:
    found = _MODULE.search(manifest.text)
    lines: tuple[Command, ...] = (
        Command("build", "go build ./...", manifest.path),
        Command("test", "go test ./...", manifest.path),
    )
    return Told(kind="Go", name=text_of(found[1]) if found else "", commands=lines)


def cmake(manifest: Manifest) -> Told:
    named, about = _PROJECT.search(manifest.text), _ABOUT.search(manifest.text)
    commands = [Command("build", "cmake -B build && cmake --build build", manifest.path)]
    if _TESTS.search(manifest.text):
        commands.append(Command("test", "ctest --test-dir build", manifest.path))
    return Told(
        kind="CMake",
        name=text_of(named[1]) if named and "$" not in named[1] else "",
        description=text_of(about[1]) if about else "",
        commands=tuple(commands),
    )


def meson(manifest: Manifest) -> Told:
    named = _PROJECT.search(manifest.text)
    commands = (
        Command("build", "meson setup build && meson compile -C build", manifest.path),
        Command("test", "meson test -C build", manifest.path),
    )
    return Told(kind="Meson", name=text_of(named[1]) if named else "", commands=commands)


def configure(manifest: Manifest) -> Told:
    return Told(kind="Autotools", commands=(Command("build", "./configure && make", manifest.path),))
