"""One thing that somebody should look at, and how a line of the file says that somebody did."""

import re
from collections.abc import Iterable
from typing import NamedTuple

_ALLOWED = re.compile(r"#\s*licet:\s*allow\s+([a-z_, ]+)")


class Finding(NamedTuple):
    """``code`` is stable. ``text`` says what and what instead."""

    line: int
    code: str
    text: str


def accepted(finding: Finding, lines: list[str]) -> bool:
    """Whether its line ends in ``# licet: allow CODE``. What is plainly wrong cannot be allowed."""
    if finding.code in PLAINLY_WRONG or not 0 < finding.line <= len(lines):
        return False
    said = _ALLOWED.search(lines[finding.line - 1])
    return said is not None and finding.code in re.split(r"[,\s]+", said[1])


def in_order(findings: Iterable[Finding]) -> list[Finding]:
    """By line, each once."""
    return sorted(dict.fromkeys(findings))


PLAINLY_WRONG = frozenset(("configuration", "lock"))
"""With one of these the configuration does not load."""

CODES = {
    "configuration": "the file does not load",
    "lock": "licet.lock does not load",
    "unpinned": "a server or tool is not in licet.lock, so it is refused",
    "launch_changed": "a server is started in another way than the one that was pinned",
    "unknown_grant": "a grant names a server, a group or a tool of licet that there is not",
    "unclassified": "nobody said whether a granted tool only reads",
    "fails_open": "a pattern or group grants tools that nobody named to an agent that may write",
    "whole_server": "a pattern grants all tools of a server",
    "empty_set": "a pattern or group covers no tool",
    "missing_tool": "a profile has a tool that its engine does not offer",
    "contract": "the contract file beside the configuration is wrong, or is not the one in force",
    "unused_word": "an entry under tools matches no tool",
    "unused_name": "a name is chosen for a tool that is not granted",
    "unused_server": "no agent reaches a server",
    "unknown_argument": "a rule is about an argument that the tool does not have",
    "name_collision": "two tools of one agent would be served under one name",
    "idle_worker": "an agent of a cast works on tasks, and would have none",
    "missing_root": "a root is no folder",
    "danger_full_access": "an agent may change everything, or reach every path",
    "unversioned": "a command fetches whichever version of a package is newest",
    "secret": "a value in clear looks like a secret",
    "shell": "a command is a shell with a script, or a whole command line",
    "starts_licet": "a server is licet itself",
    "ignored_key": "a key had an effect in another client and has none here",
    "hidden_characters": "a line holds characters that nobody sees",
}
"""Every code, and what it says."""
