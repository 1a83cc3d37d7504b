"""Runners of tasks that have no ecosystem of their own: ``Makefile``, ``justfile``, ``Taskfile.yml``."""

import re

from ..fact import Command
from .purpose import purpose_of, rank_of
from .told import Manifest, Told

_TARGET = re.compile(r"([A-Za-z0-9][\w./-]*(?:[ \t]+[A-Za-z0-9][\w./-]*)*)[ \t]*:{1,2}(?![=:])")
_RECIPE = re.compile(r"@?([A-Za-z][\w-]*)(?:[ \t]+[^:\n]*)?:(?!=)")
_TASK = re.compile(r"  ([A-Za-z][\w:-]*):[ \t]*$", re.MULTILINE)


def makefile(manifest: Manifest) -> Told:
    """Its targets whose names tell what they are for; one without any is run as it is."""
    targets = [name for line in manifest.text.splitlines() if (m := _TARGET.match(line)) for name in m[1].split()]
    known = _known(manifest, "make", targets)
    if not known and targets:
        known = (Command("build", "make", manifest.path),)
    return Told(kind="Make", commands=known)


def justfile(manifest: Manifest) -> Told:
    recipes = [m[1] for line in manifest.text.splitlines() if (m := _RECIPE.match(line))]
    return Told(kind="just", commands=_known(manifest, "just", recipes))


def taskfile(manifest: Manifest) -> Told:
    _, _, tasks = manifest.text.partition("\ntasks:")
    return Told(kind="Task", commands=_known(manifest, "task", _TASK.findall(tasks)))


def _known(manifest: Manifest, runner: str, tasks: list[str]) -> tuple[Command, ...]:
    ranked = sorted(dict.fromkeys(tasks), key=rank_of)
    return tuple(
        Command(purpose, f"{runner} {task}", manifest.path)
        for task in ranked
        if (purpose := purpose_of(task)) is not None
    )
