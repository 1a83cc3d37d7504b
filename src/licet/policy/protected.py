"""Names that a tool may not write, because whoever writes them can change what is allowed or make commands run.

Pure: names in, an answer out. What stands beside a ``licet.yaml`` needs a look at the folder; the workspace takes it.
"""

import unicodedata
from collections.abc import Sequence
from functools import lru_cache

STATE = ".licet"
"""The folder of licet's own state: refused for reading too."""

CONFIGURATION = "licet.yaml"
"""The file that makes its folder a licet project."""

PROJECT_FOLDERS = frozenset({"config", "contracts", "manifests", "scenarios", "skills"})
"""Ordinary names elsewhere; part of the policy where they stand beside a ``licet.yaml``."""

_POLICY = "it is part of licet's own configuration"
_REPOSITORY = "its hooks and settings run commands"
_AGENT = "it holds an agent's settings"
_EDITOR = "it holds an editor's tasks and settings"
_SHELL = "a shell runs it"

PROTECTED = {
    CONFIGURATION: _POLICY,
    "licet.yml": _POLICY,
    "licet.lock": _POLICY,
    ".git": _REPOSITORY,
    ".gitconfig": _REPOSITORY,
    ".gitmodules": _REPOSITORY,
    ".hg": _REPOSITORY,
    ".jj": _REPOSITORY,
    ".svn": _REPOSITORY,
    ".husky": _REPOSITORY,
    ".mcp.json": "it names servers that a client starts",
    ".claude": _AGENT,
    ".claude.json": _AGENT,
    ".codex": _AGENT,
    ".continue": _AGENT,
    ".cursor": _AGENT,
    ".gemini": _AGENT,
    ".windsurf": _AGENT,
    ".devcontainer": _EDITOR,
    ".idea": _EDITOR,
    ".vscode": _EDITOR,
    ".zed": _EDITOR,
    ".envrc": _SHELL,
    ".bash_login": _SHELL,
    ".bash_logout": _SHELL,
    ".bash_profile": _SHELL,
    ".bashrc": _SHELL,
    ".profile": _SHELL,
    ".zlogin": _SHELL,
    ".zprofile": _SHELL,
    ".zshenv": _SHELL,
    ".zshrc": _SHELL,
    ".ssh": "it holds keys and says who may log in",
}
"""Folded name of a file or folder at any depth -> the reason, as the end of a sentence."""

_LEDGER_FILES = (".licet", ".licet-wal", ".licet-shm", ".licet-journal")


@lru_cache(maxsize=4096)
def fold(name: str) -> str:
    """The form under which names are equal on any file system that ignores case, width, trailing dots or joiners."""
    if not name.isascii():
        visible = "".join(c for c in unicodedata.normalize("NFKC", name) if unicodedata.category(c) != "Cf")
        name = unicodedata.normalize("NFKC", visible.casefold())
    return name.lower().partition(":")[0].rstrip(" .")


def why_unwritable(names: Sequence[str]) -> str:
    """Why a path of these components may not be written, or an empty text."""
    for name in names:
        folded = fold(name)
        reason = PROTECTED.get(folded, "")
        if reason:
            return reason
        if folded.endswith(_LEDGER_FILES):
            return "it holds licet's own records"
    return ""


def why_unreadable(names: Sequence[str]) -> str:
    """Why a path of these components may not even be read, or an empty text."""
    return "it holds licet's own records" if STATE in map(fold, names) else ""
