"""All findings of one configuration."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ...errors import ConfigurationError
from ..config import Project, Reading, reading, shown_path
from ..place import quoted, shown
from ..whole_file import contents
from ..word import is_pattern
from ..yaml_file import MAX_BYTES, NotRead
from .agents import agents
from .finding import Finding, accepted, in_order
from .known import Known, is_about
from .servers import servers

if TYPE_CHECKING:
    from ..agent import Agent
    from ..locked import Lock

_HIDDEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0"
    "\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)


class Inspection(NamedTuple):
    """``file`` is how messages name the file. ``accepted`` are findings that a comment on their line allows."""

    file: str
    findings: tuple[Finding, ...]
    accepted: tuple[Finding, ...]


class Written(NamedTuple):
    """A configuration as it was read once. ``read`` is None where it is no YAML, and ``wrong`` says why."""

    path: Path
    content: bytes
    read: Reading | None
    wrong: NotRead | None = None

    @property
    def project(self) -> Project:
        """What it says, as far as it could be made out."""
        found = None if self.read is None else self.read.project
        return Project(path=self.path) if found is None else found


def inspect(path: Path) -> Inspection:
    """Everything that somebody should look at. Reads the file and its lock; starts nothing, trusts nothing.

    Raises:
        ConfigurationError: there is no such file, or it cannot be read.
    """
    return inspection_of(written(path))


def written(path: Path) -> Written:
    """What stands in a configuration. Raises ConfigurationError: there is no such file, or it cannot be read."""
    content = content_of(path)
    try:
        return Written(path, content, reading(path, content))
    except NotRead as exc:
        return Written(path, content, None, exc)


def inspection_of(held: Written, cast: "Iterable[Agent]" = ()) -> Inspection:
    """All findings of a configuration. ``cast`` are the agents of manifests beside it, which use its servers too."""
    hidden_ = hidden(held.content)
    if held.read is None:
        wrong = () if held.wrong is None else (Finding(held.wrong.line, "configuration", held.wrong.problem),)
        return sorted_out(held.path, held.content, (*hidden_, *wrong))
    return sorted_out(held.path, held.content, (*hidden_, *_findings(held.path, held.read, tuple(cast))))


def sorted_out(path: Path, content: bytes, findings: Iterable[Finding]) -> Inspection:
    """The findings of a file, those apart that a comment on their line allows."""
    found = in_order(findings)
    lines = content.decode("utf-8", "replace").split("\n")
    allowed = [finding for finding in found if accepted(finding, lines)]
    open_ = [finding for finding in found if finding not in allowed]
    return Inspection(shown_path(path), tuple(open_), tuple(allowed))


def content_of(path: Path) -> bytes:
    """What a file holds. Raises ConfigurationError: there is none, or it cannot be read."""
    try:
        content = contents(path, 4 * MAX_BYTES)
    except OSError as exc:
        raise ConfigurationError(f"{shown_path(path)}: it cannot be read: {exc.strerror}") from exc
    if content is None:
        raise ConfigurationError(f"{shown_path(path)}: there is no such file")
    return content


def _findings(path: Path, read: Reading, cast: "tuple[Agent, ...]") -> Iterator[Finding]:
    for place, text in read.problems:
        where = f"{shown(place)}: " if place else ""
        yield Finding(read.source.line(place), "configuration", where + text)
    if read.project is None or read.problems:
        return  # what a broken part would have said is not there: the rest would be judged wrongly
    lock: Lock | None = None
    try:
        lock = lock_of(path)
    except ConfigurationError as exc:
        yield Finding(1, "lock", str(exc))
    else:
        if lock is None and read.project.servers:
            line = read.source.line(("mcpServers",))
            yield Finding(line, "unpinned", "there is no licet.lock, so nothing is pinned; run `licet lock`")
    known = Known(read.project, lock)
    yield from servers(read.project, lock)
    yield from agents(read.project, known)
    yield from _unused(read.project, known, (*read.project.agents.values(), *cast))


def lock_of(path: Path) -> "Lock | None":
    """The lock beside a configuration; None: there is none. Raises ConfigurationError: it cannot be read."""
    from ..lock import beside
    from ..lock import read as read_lock

    try:
        return read_lock(beside(path))
    except OSError as exc:
        raise ConfigurationError(f"{beside(path)}: it cannot be read: {exc.strerror}") from exc


def hidden(content: bytes) -> Iterator[Finding]:
    """Lines with characters that nobody sees."""
    if content.isascii():
        return
    for number, line in enumerate(content.decode("utf-8", "replace").removeprefix("\ufeff").split("\n"), 1):
        odd = _HIDDEN.search(line)
        if odd is not None:
            text = f"the line holds U+{ord(odd[0]):04X}, which nobody sees; take it out"
            yield Finding(number, "hidden_characters", text)


def _unused(project: Project, known: Known, agents: "tuple[Agent, ...]") -> Iterator[Finding]:
    for server in project.servers:
        if not any(_reaches(agent, server.name, known) for agent in agents):
            text = f"no agent is granted a tool of {server.name}; grant one, or set disabled: true"
            yield Finding(server.line, "unused_server", text)
    for name, _ in project.words:
        if _matches_something(name, known):
            continue
        line = 0 if project.source is None else _line_of_word(project, name)
        yield Finding(line, "unused_word", f"{quoted(name)} matches no tool, so the word has no effect; mend the name")


def _reaches(agent: "Agent", server: str, known: Known) -> bool:
    return (
        any(known.server_of(grant.tool) == server for grant in agent.tools)
        or server in agent.groups
        or (agent.engine is not None and agent.engine.name(server.partition("/")[0]) == server)
        or any(is_about(pattern, server) for pattern in agent.globs)
    )


def _matches_something(name: str, known: Known) -> bool:
    if is_pattern(name):
        return bool(known.covered(name) or known.unlisted(name))
    server = known.server_of(name)
    if server == "local":
        return name in known.local
    unlisted = known.lock is None or server not in known.lock.servers
    return server in known.declared and (unlisted or name in known.pinned)


def _line_of_word(project: Project, name: str) -> int:
    assert project.source is not None
    places = (("tools", name), ("tools", name.removeprefix("local/")))
    return next((project.source.line(place) for place in places if place in project.source.lines), 1)


__all__ = [
    "Inspection",
    "Written",
    "content_of",
    "hidden",
    "inspect",
    "inspection_of",
    "lock_of",
    "sorted_out",
    "written",
]
