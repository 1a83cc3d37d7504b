"""What a task is for, by the name that its project gave it."""

import re

from ..fact import Purpose

_TASKS: dict[Purpose, str] = {
    "install": "install setup bootstrap init deps dependencies develop",
    "build": "build all compile dist bundle package release",
    "run": "run start serve server dev up demo",
    "test": "test tests unittest unit-test pytest check-test e2e integration spec",
    "check": "check checks lint format fmt style typecheck type-check types mypy ruff pre-commit verify ci",
}

_NAMES: dict[str, Purpose] = {name: purpose for purpose, names in _TASKS.items() for name in names.split()}

_WORK = re.compile(
    r"\b(?:test|tests|pytest|tox|nox|ctest|check|lint|build|compile|make|mypy|ruff|eslint|clippy|vet|verify)\b"
)

_RANK: dict[str, int] = {name: place for place, name in enumerate(_NAMES)}


def purpose_of(task: str) -> Purpose | None:
    """The purpose of a task, a script or a target; None where its name does not say."""
    lower = task.lower().replace("_", "-")
    return _NAMES.get(lower) or _NAMES.get(lower.partition(":")[0])


def rank_of(task: str) -> int:
    """Sorts tasks of one purpose: the plainest name first."""
    return _RANK.get(task.lower().replace("_", "-"), len(_RANK))


def telling(command: str) -> bool:
    """Whether a command of a pipeline does the work, rather than prepare it."""
    return _WORK.search(command) is not None
