"""``package.json`` and ``deno.json``."""

import json
from collections.abc import Iterator
from typing import Any

from ..fact import Command, EntryPoint
from .purpose import purpose_of, rank_of
from .told import Manifest, Told, UnreadableManifestError, table_of, text_of, texts_of

_BY_LOCK = {"pnpm-lock.yaml": "pnpm", "yarn.lock": "yarn", "bun.lockb": "bun", "bun.lock": "bun"}
_NO_TEST = "no test specified"
"""What ``npm init`` writes where there are no tests."""


def package_json(manifest: Manifest) -> Told:
    """Raises UnreadableManifestError: it is no JSON object."""
    data = _object(manifest.text)
    licence = data.get("license")
    return Told(
        kind="JavaScript",
        name=text_of(data.get("name")),
        description=text_of(data.get("description")),
        licence=text_of(licence) or text_of(table_of(licence).get("type")),
        commands=tuple(_commands(manifest, data)),
        entry_points=tuple(_entry_points(manifest.path, data)),
    )


def deno(manifest: Manifest) -> Told:
    """Raises UnreadableManifestError: it is no JSON object."""
    data = _object(manifest.text)
    tasks = sorted(table_of(data, "tasks"), key=rank_of)
    commands = [Command(p, f"deno task {text_of(t)}", manifest.path) for t in tasks if (p := purpose_of(t)) is not None]
    return Told(kind="Deno", name=text_of(data.get("name")), commands=tuple(commands))


def _object(text: str) -> dict[str, Any]:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as exc:
        raise UnreadableManifestError(str(exc)) from exc
    if not isinstance(data, dict):
        raise UnreadableManifestError("it holds no object")
    return data


def _commands(manifest: Manifest, data: dict[str, Any]) -> Iterator[Command]:
    source = manifest.path
    named = text_of(data.get("packageManager")).partition("@")[0]
    locked = next((manager for lock, manager in _BY_LOCK.items() if lock in manifest.beside), "npm")
    manager = named if named in ("npm", *_BY_LOCK.values()) else locked
    yield Command("install", f"{manager} install", source)
    scripts = dict(texts_of(data.get("scripts")))
    for task in sorted(scripts, key=rank_of):
        purpose = purpose_of(task)
        if purpose is None or _NO_TEST in scripts[task]:
            continue
        short = task in ("test", "start") or manager in ("yarn", "pnpm")
        yield Command(purpose, f"{manager} {task}" if short else f"{manager} run {task}", source)


def _entry_points(source: str, data: dict[str, Any]) -> Iterator[EntryPoint]:
    programs = data.get("bin")
    if isinstance(programs, str):
        yield EntryPoint(text_of(data.get("name")).rpartition("/")[2], text_of(programs), source)
    for name, target in texts_of(programs):
        yield EntryPoint(name, target, source)
    if main := text_of(data.get("main")):
        yield EntryPoint("main", main, source)
