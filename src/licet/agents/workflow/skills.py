"""Skills from directories: each a folder with a SKILL.md, and resources one level below it.

Everything is opened by directory handle and never through a link, so nothing outside the folders is ever read.
"""

import hashlib
import json
import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from ...errors import ConfigurationError
from ...intrinsics.refusal import refusal
from ...intrinsics.schemas import RESOURCE_KINDS
from ...intrinsics.skills import Skill, SkillHead
from ...model.names import canonical
from ...project.yaml_file import NotRead, read

HEAD = "SKILL.md"
MOST_FOLDERS = 1_000
MOST_FILES = 128
"""Resources of one skill."""

MOST_BYTES = 1 << 20
"""Of one file of a skill."""

_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*", re.ASCII)
_FILE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,127}", re.ASCII)
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_REGULAR = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_KEYS = frozenset({"name", "description", "tools", "license", "metadata"})


class BadSkill(ConfigurationError):  # noqa: N818 - it says what became of the folder
    """A folder of skills holds one that cannot be used. The message names the file, the line where there is one, and
    what to do.
    """


class Front(NamedTuple):
    """What stands at the head of a SKILL.md, and the instructions after it."""

    name: str
    description: str
    tools: tuple[str, ...]
    instructions: str


class SkillFolders:
    """The skills in some folders, each named as its own folder is.

    ``only`` are the names that may be used; None: all of them. ``writable`` are the roots that the run may write: a
    skill that an agent can write is no skill but its own text.

    Raises:
        ConfigurationError: there is no such folder, or it lies in a writable root.
    """

    def __init__(
        self,
        folders: Iterable[str | os.PathLike[str]],
        *,
        only: frozenset[str] | None = None,
        writable: Iterable[str | os.PathLike[str]] = (),
    ) -> None:
        self._folders = tuple(os.path.realpath(folder) for folder in folders)
        self._only = only
        roots = [os.path.realpath(root) for root in writable]
        for folder in self._folders:
            if not os.path.isdir(folder):
                raise ConfigurationError(f"{folder}: there is no such folder of skills")
            for root in roots:
                if os.path.commonpath((root, folder)) in (root, folder):
                    told = "the agent may write there; keep skills outside its roots, or let it run read_only"
                    raise ConfigurationError(f"{folder}: these skills lie in the root {root}, and {told}")

    def listed(self) -> Sequence[SkillHead]:
        """Every skill by name; one that cannot be used says why."""
        found: list[SkillHead] = []
        for name, folder in sorted(self._names().items()):
            try:
                skill = _whole(folder, name)
                found.append(SkillHead(name, skill.description, tools=skill.tools))
            except BadSkill as exc:
                found.append(SkillHead(name, "", str(exc)))
        return found

    def read(self, name: str, /) -> Skill:
        """One skill, whole, as it is now."""
        folder = self._names().get(name)
        if folder is None:
            raise refusal("unknown_skill", f"there is no skill {name[:80]!r}; list_skills names those that there are")
        try:
            return _whole(folder, name)
        except BadSkill as exc:
            raise refusal("bad_skill", str(exc)) from None

    def _names(self) -> dict[str, str]:
        """Name -> the folder that it is in; the first folder that has it counts."""
        names: dict[str, str] = {}
        for folder in self._folders:
            with os.scandir(folder) as entries:
                for entry in sorted(entries, key=lambda entry: entry.name)[:MOST_FOLDERS]:
                    held = self._only is None or entry.name in self._only
                    if held and _NAME.fullmatch(entry.name) and (entry.is_symlink() or entry.is_dir()):
                        names.setdefault(entry.name, folder)
        return names


def _whole(root: str, name: str) -> Skill:
    where = f"{name}/{HEAD}"
    with _opened(root, name, where) as folder:
        head = _content(folder, HEAD, where)
        front = front_of(head, where)
        if front.name != name:
            raise BadSkill(f"{where}: name: it is {front.name!r}, and its folder {name!r}; give both one name")
        resources = dict(_resources(folder, name))
    parts = {HEAD: _digest(head)} | {f"{kind}/{file}": _digest(data) for (kind, file), data in resources.items()}
    digest = _digest(json.dumps(parts, sort_keys=True).encode())
    return Skill(name, front.description, f"sha256:{digest}", front.instructions, front.tools, resources)


def front_of(content: bytes, where: str) -> Front:
    """What a SKILL.md says. Raises BadSkill."""
    if not content.startswith((b"---\n", b"---\r\n")):
        raise BadSkill(f"{where}:1: a skill begins with a line ---, then name and description, then --- again")
    lines = content.splitlines(keepends=True)
    last = next((at for at, line in enumerate(lines[1:], 1) if line.rstrip() == b"---"), 0)
    if not last:
        raise BadSkill(f"{where}:1: the front matter has no end; close it with a line ---")
    try:
        document = read(b"".join(lines[1:last]), where)
        text = b"".join(lines[last + 1 :]).decode()
    except NotRead as exc:
        raise BadSkill(f"{where}:{exc.line + 1}: {exc.problem}") from None
    except UnicodeDecodeError:
        raise BadSkill(f"{where}: the instructions are no UTF-8; save it as UTF-8") from None

    def wrong(key: str, problem: str) -> BadSkill:
        return BadSkill(f"{where}:{document.line((key,)) + 1}: {key}: {problem}")

    told: Mapping[str, Any] = document.value if isinstance(document.value, dict) else {}
    for key in told:
        if key not in _KEYS:
            raise wrong(str(key), f"there is no such key; there are {', '.join(sorted(_KEYS))}")
    for key, most in (("name", 64), ("description", 1024)):
        if not isinstance(told.get(key), str) or not 0 < len(told[key]) <= most:
            raise wrong(key, f"it is a text of 1 to {most} characters")
    tools = told.get("tools") or []
    if not isinstance(tools, list):
        raise wrong("tools", "it is a list of names of tools")
    try:
        names = tuple(canonical(tool) for tool in tools)
    except ConfigurationError as exc:
        raise wrong("tools", str(exc)) from None
    return Front(told["name"], told["description"], names, text)


def _resources(folder: int, skill: str) -> Iterator[tuple[tuple[str, str], bytes]]:
    count = 0
    for kind in RESOURCE_KINDS:
        where = f"{skill}/{kind}"
        try:
            os.stat(kind, dir_fd=folder, follow_symlinks=False)
        except FileNotFoundError:
            continue
        with _opened(folder, kind, where) as held:
            for name in sorted(os.listdir(held)):
                count += 1
                if count > MOST_FILES:
                    raise BadSkill(f"{where}: a skill has at most {MOST_FILES} resources; drop some")
                if not _FILE.fullmatch(name):
                    raise BadSkill(f"{where}: {name[:80]!r} is no name of a resource; use letters, digits and _ . -")
                yield (kind, name), _content(held, name, f"{where}/{name}")


@contextmanager
def _opened(parent: int | str, name: str, where: str) -> Iterator[int]:
    """A folder in an open one, or in one whose links were resolved already."""
    try:
        if isinstance(parent, str):
            with _held(os.open(parent, _FOLDER)) as above:
                handle = os.open(name, _FOLDER, dir_fd=above)
        else:
            handle = os.open(name, _FOLDER, dir_fd=parent)
    except OSError as exc:
        told = "it is a link or no folder; put the folder itself there"
        raise BadSkill(f"{where}: it cannot be opened ({exc.strerror}): {told}") from None
    with _held(handle):
        yield handle


@contextmanager
def _held(handle: int) -> Iterator[int]:
    try:
        yield handle
    finally:
        os.close(handle)


def _content(folder: int, name: str, where: str) -> bytes:
    try:
        handle = os.open(name, _REGULAR, dir_fd=folder)
    except OSError as exc:
        raise BadSkill(f"{where}: it cannot be opened ({exc.strerror}); put the file itself there, no link") from None
    with _held(handle):
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            raise BadSkill(f"{where}: it is no file; a skill's resources stand one level below it")
        if status.st_nlink > 1:
            raise BadSkill(f"{where}: it has {status.st_nlink} names, so it may lie elsewhere too; copy it")
        with open(handle, "rb", closefd=False) as file:
            data = file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise BadSkill(f"{where}: it has more than {MOST_BYTES} bytes; use a smaller file")
    return data


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
