"""``pyproject.toml``, ``setup.cfg``, ``setup.py``, ``tox.ini`` and ``noxfile.py``."""

import configparser
import re
import tomllib
from collections.abc import Iterator
from typing import Any

from ..fact import Command, EntryPoint
from .purpose import purpose_of, rank_of
from .told import Manifest, Told, UnreadableManifestError, table_of, text_of, texts_of

_REQUIREMENT = re.compile(r"\s*([A-Za-z0-9._-]+)")
_TASK_RUNNERS = (("poe", "tasks", "poe"), ("pdm", "scripts", "pdm run"), ("taskipy", "tasks", "task"))


def pyproject(manifest: Manifest) -> Told:
    """Raises UnreadableManifestError: it is no TOML."""
    try:
        data = tomllib.loads(manifest.text)
    except (tomllib.TOMLDecodeError, RecursionError) as exc:
        raise UnreadableManifestError(str(exc)) from exc
    project, tool = table_of(data, "project"), table_of(data, "tool")
    poetry = table_of(tool, "poetry")
    licence = project.get("license", poetry.get("license"))
    return Told(
        kind="Python",
        name=text_of(project.get("name", poetry.get("name"))),
        description=text_of(project.get("description", poetry.get("description"))),
        licence=text_of(licence) or text_of(table_of(licence).get("text")),
        commands=tuple(_commands(manifest, data, project, tool)),
        entry_points=tuple(_scripts(manifest.path, project, poetry)),
    )


def _scripts(source: str, project: dict[str, Any], poetry: dict[str, Any]) -> Iterator[EntryPoint]:
    for table in (project.get("scripts"), project.get("gui-scripts"), poetry.get("scripts")):
        for name, target in texts_of(table):
            yield EntryPoint(name, target, source)


def _commands(
    manifest: Manifest, data: dict[str, Any], project: dict[str, Any], tool: dict[str, Any]
) -> Iterator[Command]:
    source, beside = manifest.path, manifest.beside
    poetry = "poetry" in tool and ("poetry.lock" in beside or not project)
    uv = "uv.lock" in beside
    prefix = "uv run " if uv else "poetry run " if poetry else ""
    if uv:
        yield Command("install", "uv sync", source)
    elif poetry:
        yield Command("install", "poetry install", source)
    elif project:
        yield Command("install", "pip install -e .", source)
    if "build-system" in data:
        yield Command("build", "uv build" if uv else "poetry build" if poetry else "python -m build", source)
    for runner, key, call in _TASK_RUNNERS:
        for task in sorted(table_of(tool, runner, key), key=rank_of):
            if (purpose := purpose_of(task)) is not None:
                yield Command(purpose, f"{prefix}{call} {text_of(task)}", source)
    if "pytest" in tool or "pytest" in set(_requirements(data, project, tool)):
        yield Command("test", f"{prefix}pytest", source)
    if "tox" in tool:
        yield Command("test", "tox", source)
    for name, line in (("ruff", "ruff check"), ("mypy", "mypy"), ("pyright", "pyright"), ("black", "black --check .")):
        if name in tool:
            yield Command("check", f"{prefix}{line}", source)


def _requirements(data: dict[str, Any], project: dict[str, Any], tool: dict[str, Any]) -> Iterator[str]:
    """The names of everything that is ever installed for this project."""
    lists = [project.get("dependencies")]
    lists += table_of(project, "optional-dependencies").values()
    lists += table_of(data, "dependency-groups").values()
    for one in lists:
        for requirement in one if isinstance(one, list) else ():
            if isinstance(requirement, str) and (match := _REQUIREMENT.match(requirement)):
                yield match[1].lower()
    poetry = table_of(tool, "poetry")
    yield from table_of(poetry, "dev-dependencies")
    for group in table_of(poetry, "group").values():
        yield from table_of(group, "dependencies")


def setup_cfg(manifest: Manifest) -> Told:
    """Raises UnreadableManifestError: it is no INI file."""
    parser = _ini(manifest.text)
    points: list[EntryPoint] = []
    for section in ("console_scripts", "gui_scripts"):
        for line in _get(parser, "options.entry_points", section).splitlines():
            name, equals, target = line.partition("=")
            if equals:
                points.append(EntryPoint(text_of(name), text_of(target), manifest.path))
    named = _get(parser, "metadata", "name")
    commands = [Command("install", "pip install -e .", manifest.path)] if named else []
    if parser.has_section("tool:pytest"):
        commands.append(Command("test", "pytest", manifest.path))
    return Told(
        kind="Python",
        name=text_of(named),
        description=text_of(_get(parser, "metadata", "description")),
        licence=text_of(_get(parser, "metadata", "license")),
        commands=tuple(commands),
        entry_points=tuple(points),
    )


def _ini(text: str) -> configparser.RawConfigParser:
    parser = configparser.RawConfigParser(strict=False)
    try:
        parser.read_string(text)
    except configparser.Error as exc:
        raise UnreadableManifestError(str(exc)) from exc
    return parser


def _get(parser: configparser.RawConfigParser, section: str, key: str) -> str:
    return parser.get(section, key, fallback="") or ""


def setup_py(manifest: Manifest) -> Told:
    """It is a program, and is not run: what it would say of itself is not known."""
    return Told(kind="Python", commands=(Command("install", "pip install -e .", manifest.path),))


def tox(manifest: Manifest) -> Told:
    return Told(kind="tox", commands=(Command("test", "tox", manifest.path),))


def nox(manifest: Manifest) -> Told:
    return Told(kind="nox", commands=(Command("test", "nox", manifest.path),))


def requirements(manifest: Manifest) -> Told:
    name = manifest.path.rpartition("/")[2]
    return Told(kind="pip", commands=(Command("install", f"pip install -r {name}", manifest.path),))
