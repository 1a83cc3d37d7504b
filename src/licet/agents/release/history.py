"""What changed in a git repository, out of texts that were read from it."""

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

MOST_CHANGES = 40
LONGEST = 100
"""Characters of one subject; the step that keeps them has a limit of its own."""

_LOGGED = re.compile(r"^[0-9a-f]{40,64} ([0-9a-f]{40,64}) .*\t(?:commit|merge|pull|cherry-pick)[^:]*: (.+)$")
_VERSION = re.compile(r"(\d+)\.(\d+)(?:\.(\d+))?")
_DECLARED = re.compile(r"""^\s*["']?version["']?\s*[=:]\s*["'](\d+\.\d+(?:\.\d+)?)["']""", re.MULTILINE)


class History(NamedTuple):
    """``since`` is the newest tag, empty where there is none. ``subjects`` are the changes after it, oldest first."""

    since: str
    subjects: tuple[str, ...]


def from_log(text: str, tags: Mapping[str, str]) -> History:
    """Out of what git logs of its head; ``tags`` are names by the commits that they are on."""
    since, subjects = "", []
    for line in text.splitlines():
        found = _LOGGED.match(line)
        if found is not None:
            subjects.append(found[2].strip()[:LONGEST])
            if found[1] in tags:
                since, subjects = tags[found[1]], []
    return History(since, tuple(subjects[-MOST_CHANGES:]))


def from_git_log(text: str, tags: Mapping[str, str]) -> History:
    """The same out of what a git server tells, the newest commit first."""
    since, subjects = "", []
    for line in text.splitlines():
        key, _, said = line.strip().partition(": ")
        value = said.strip().strip("'\"")
        if key == "Commit" and value in tags:
            since = tags[value]
            break
        if key == "Message" and value:
            subjects.append(value.partition("\\n")[0][:LONGEST])
    return History(since, tuple(reversed(subjects[:MOST_CHANGES])))


def tags_of(named: Mapping[str, str], packed: str) -> dict[str, str]:
    """Names of tags by commit: ``named`` are texts of files by name, ``packed`` is what git packed of them."""
    tags = {text.strip(): name for name, text in named.items()}
    name = ""
    for line in packed.splitlines():
        digest, _, ref = line.partition(" ")
        if line.startswith("^") and name:  # the commit that a tag with a message of its own is on
            tags[line[1:].strip()] = name
        name = ref.removeprefix("refs/tags/") if ref.startswith("refs/tags/") else ""
        if name:
            tags[digest] = name
    return tags


def unreleased(changelog: str) -> tuple[str, ...]:
    """What a changelog lists before its first version."""
    found: list[str] = []
    for line in changelog.splitlines():
        if line.startswith("#") and _VERSION.search(line):
            break
        if line.lstrip().startswith(("- ", "* ")):
            found.append(line.lstrip()[2:].strip()[:LONGEST])
    return tuple(found[:MOST_CHANGES])


def version_of(texts: Iterable[str]) -> str:
    """The version that a manifest declares; empty where none does."""
    return next((found[1] for text in texts if (found := _DECLARED.search(text))), "")


def next_versions(current: str) -> tuple[str, ...]:
    """What may come after it: a patch, a minor and a major version."""
    found = _VERSION.search(current)
    if found is None:
        return ("0.1.0", "1.0.0")
    major, minor, patch = (int(part or 0) for part in found.groups())
    return (f"{major}.{minor}.{patch + 1}", f"{major}.{minor + 1}.0", f"{major + 1}.0.0")


__all__ = [
    "MOST_CHANGES",
    "History",
    "from_git_log",
    "from_log",
    "next_versions",
    "tags_of",
    "unreleased",
    "version_of",
]
