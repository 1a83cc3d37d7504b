"""What an exploration finds, as frozen facts. All text in them is the project's own and nothing in it is trusted."""

from dataclasses import dataclass
from typing import Literal, NamedTuple

Purpose = Literal["install", "build", "run", "test", "check"]
PURPOSES: tuple[Purpose, ...] = ("install", "build", "run", "test", "check")


class Said(NamedTuple):
    """Something the project says of itself, and the file that says it."""

    text: str
    source: str


class Language(NamedTuple):
    """``lines`` are counted, but for those of the ``estimated`` files, which were not read."""

    name: str
    files: int
    lines: int
    estimated: int


class Command(NamedTuple):
    """A line for the shell. ``source`` is the file that it was read from."""

    purpose: Purpose
    line: str
    source: str


class Pipeline(NamedTuple):
    """A file of a CI system, and the commands in it."""

    source: str
    commands: tuple[str, ...]


class Folder(NamedTuple):
    """``files`` counts everything below it, ``purpose`` is what it says of itself or None; ``depth`` begins at 1."""

    path: str
    depth: int
    files: int
    purpose: Said | None


class EntryPoint(NamedTuple):
    """Where the program begins: what starts it, and what that leads to."""

    name: str
    target: str
    source: str


class Sized(NamedTuple):
    """One file with its size."""

    path: str
    bytes: int
    lines: int | None


class Mark(NamedTuple):
    """One TODO or FIXME."""

    path: str
    line: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """What is known of a project. Lists are complete, but for ``biggest``, and ranked; whoever shows them cuts them.

    ``estimated`` is how many of the ``lines`` are not counted. ``notes`` say what was not seen, in sentences.
    """

    name: str
    descriptions: tuple[Said, ...]
    files: int
    lines: int
    estimated: int
    languages: tuple[Language, ...]
    licences: tuple[Said, ...]
    commands: tuple[Command, ...]
    pipelines: tuple[Pipeline, ...]
    folders: tuple[Folder, ...]
    entry_points: tuple[EntryPoint, ...]
    biggest: tuple[Sized, ...]
    marks: tuple[Mark, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """What the exploration itself was: how many calls, how many gave nothing, and where that can be checked."""

    planner: str
    run_id: str
    principal: str
    mode: str
    calls: int
    by_tool: tuple[tuple[str, int], ...]
    refused: int
    failed: int
    seconds: float
    ledger: str
    head: str
    entries: int
    verified: bool
    verification: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What a model says of the project. ``own``: after it explored; else from the findings.

    ``calls`` are those that it asked for, ``refused`` and ``failed`` those of them that gave nothing. ``stop`` is why
    it said no more, ``tokens`` what was sent and what it wrote, where that was counted.
    """

    model: str
    text: str
    own: bool
    calls: int
    refused: int
    failed: int
    stop: str = "done"
    tokens: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """Findings and the account of how they were found. ``root`` is the absolute path explored.

    ``told`` is there if a model took part, ``findings`` unless it explored alone.
    """

    root: str
    findings: Findings | None
    account: Account
    told: Told | None = None

    @property
    def name(self) -> str:
        """The folder's."""
        return self.root.rstrip("/").rpartition("/")[2] or self.root
