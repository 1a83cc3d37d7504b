"""A small world of files with every trap in it, and the spellings that try to get out of its root.

The world is built below a folder of its own. ``{top}`` in a spelling stands for that folder, so that two copies of the
world can be compared.
"""

import os
import socket
from itertools import product
from pathlib import Path

SECRET = "OUTSIDE-THE-ROOT"
"""Stands in each file outside; whoever reads it has escaped."""

RECORDS = "RECORDS-OF-LICET"
"""Stands in each file of licet's state."""

LONG = "n" * 255

INSIDE = [
    "ok.txt",
    "sub/file.txt",
    "sub/deep/file.txt",
    ".hidden",
    "..x",
    ".../file.txt",
    "..../file.txt",
    "new\nline.txt",
    "with space.txt",
    "-rf",
    "~",
    "$HOME",
    "%2e%2e",
    "üñí.txt",
    LONG,
    "ordinary/config/app.txt",
    "ordinary/skills/note.txt",
]

PROTECTED = [
    "licet.yaml",
    "licet.lock",
    "config/agents.yaml",
    "contracts/tools.json",
    "skills/one/SKILL.md",
    ".git/config",
    ".git/hooks/pre-commit",
    ".mcp.json",
    ".vscode/tasks.json",
    ".claude/settings.json",
    "nested/.git",
    "conf/real.yaml",
]
"""Files that no tool may change. ``conf/real.yaml`` is one because ``licet.lock`` of the second kind links to it."""

STATE = [".licet/ledger.db", "sub/.licet/ledger.db"]

LINKS = {
    "in_rel": "ok.txt",
    "in_rel_up": "sub/../ok.txt",
    "in_dir": "sub",
    "sub/up": "..",
    "sub/deep/top": "../..",
    "dot": ".",
    "in_abs": "{top}/ws/ok.txt",
    "in_dir_abs": "{top}/ws/sub",
    "out_rel": "../outside/secret.txt",
    "out_abs": "{top}/outside/secret.txt",
    "out_dir": "../outside",
    "out_dir_abs": "{top}/outside",
    "out_sibling": "../ws-evil/secret.txt",
    "out_and_back": "../ws/ok.txt",
    "out_second": "../second/ok.txt",
    "up": "..",
    "sub/out_rel": "../../outside/secret.txt",
    "dangling_in": "nothing",
    "dangling_out": "../outside/new.txt",
    "dangling_out_abs": "{top}/outside/new.txt",
    "dangling_dir": "../outside/new/dir",
    "loop_a": "loop_b",
    "loop_b": "loop_a",
    "itself": "itself",
    "through_file": "ok.txt/x",
    "slashed": "sub/",
    "slashed_file": "ok.txt/",
    "proc_root": "/proc/self/root",
    "proc_cwd": "/proc/self/cwd",
    "proc_version": "/proc/version",
    "stdin": "/dev/stdin",
    "null": "/dev/null",
    "to_git": ".git",
    "to_hooks": ".git/hooks",
    "to_policy": "licet.yaml",
    "to_config": "config",
    "to_state": ".licet",
    "to_ledger": ".licet/ledger.db",
    ".envrc": "conf/real.yaml",
    "fifo_link": "fifo",
}
CHAIN = 45
"""``chain0`` takes one link to ``ok.txt``, ``chain44`` takes 45."""

TARGETS = [
    *INSIDE,
    *PROTECTED,
    *STATE,
    *LINKS,
    *(f"{link}/secret.txt" for link in ("out_dir", "out_dir_abs", "up/outside", "sub/up/up/outside")),
    *(f"{link}/deep/secret.txt" for link in ("out_dir", "out_dir_abs")),
    *("in_dir/file.txt", "in_dir/deep/file.txt", "in_dir/../ok.txt", "sub/up/ok.txt", "dot/dot/ok.txt"),
    *("sub/deep/top/ok.txt", "sub/deep/top/../outside/secret.txt", "slashed/file.txt", "in_dir_abs/file.txt"),
    *("to_git/config", "to_hooks/pre-commit", "to_hooks/new", "to_config/agents.yaml", "to_config/new.yaml"),
    *("to_state/ledger.db", "to_state/new", "in_dir/.licet/ledger.db", "sub/up/.git/config"),
    *("proc_root/{top}/outside/secret.txt", "proc_root/etc/hostname", "proc_cwd/x", "stdin/x"),
    *("dangling_in/new.txt", "dangling_out/new.txt", "dangling_dir/new.txt"),
    *(f"chain{n}" for n in (0, 1, 38, 39, 40, 44)),
    *("fifo", "socket", "hard", "hard_in_a", "hard_in_b", "locked.txt"),
]

OUTSIDE = [
    "..",
    "../",
    "../ws",
    "../ws/ok.txt",
    "../ws-evil/secret.txt",
    "../outside/secret.txt",
    "sub/../../outside/secret.txt",
    "sub/deep/../../../outside/secret.txt",
    "./../outside/secret.txt",
    ".//..//outside/secret.txt",
    "nothing/../../outside/secret.txt",
    "ok.txt/../../outside/secret.txt",
    "in_dir/../../outside/secret.txt",
    "../second/ok.txt",
    "{top}",
    "{top}/",
    "{top}/outside/secret.txt",
    "{top}/outside/new.txt",
    "{top}/ws-evil/secret.txt",
    "{top}/wsx",
    "{top}/ws/../outside/secret.txt",
    "{top}/ws/sub/../../outside/secret.txt",
    "{top}/ws/./../outside/secret.txt",
    "{top}/WS/ok.txt",
    "/proc/self/root{top}/outside/secret.txt",
    "/proc/self/root{top}/ws/ok.txt",
    "/proc/self/cwd",
    "/proc/self/fd/0",
    "/proc/version",
    "/dev/stdin",
    "/dev/null",
    "/dev/fd/0",
    "//{top}/outside/secret.txt",
    "file://{top}/outside/secret.txt",
    "..\\outside\\secret.txt",
    "~/secret.txt",
    "%2e%2e/outside/secret.txt",
    "\uff0e\uff0e/outside/secret.txt",
    "\u2025/outside/secret.txt",
    "..\u200b/outside/secret.txt",
    "..\uff0foutside\uff0fsecret.txt",
    "",
    "\0",
    "ok.txt\0",
    "ok.txt\0.png",
    "../outside/secret.txt\0",
    "sub\0/../../outside/secret.txt",
    "\n",
    " ",
    " ok.txt",
    "n" * 256,
    "d/" * 3000,
    "x" * 5000,
    "sub/" * 40 + "file.txt",
    "sub/up/" * 30 + "ok.txt",
    "sub/up/" * 45 + "ok.txt",
    "missing/../ok.txt",
    "missing/new.txt",
    "missing/deeper/new.txt",
    "ok.txt/",
    "ok.txt/.",
    "ok.txt/..",
    "ok.txt/new.txt",
    "sub/new.txt",
    "sub",
    "sub/.",
    "sub/..",
    ".",
    "./",
    "/",
]

PROTECTED_SPELLINGS = [
    ".GIT/config",
    ".Git/hooks/pre-commit",
    ".git./config",
    ".git /config",
    ".git::$INDEX_ALLOCATION/config",
    "\uff0egit/config",
    ".\uff47\uff49\uff54/config",
    ".g\u200cit/config",
    ".gi\u0131t",
    "LICET.YAML",
    "Licet.Lock",
    "licet.yaml.",
    "L\u0130CET.YAML",
    "licet.yaml ",
    "\u017fub/.git/x",
    ".v\u017fcode/tasks.json",
    ".\u212aube",
    ".Mcp.Json",
    ".VSCODE/new.json",
    ".LICET/ledger.db",
    ".licet./ledger.db",
    "audit.licet",
    "audit.licet-wal",
    "sub/.git",
    "sub/.git/config",
    "sub/deep/.git/hooks/post-checkout",
    "sub/.vscode/settings.json",
    "manifests/new.yaml",
    "scenarios/new.yaml",
    "Config/agents.yaml",
    "SKILLS/new/SKILL.md",
    ".cursor/mcp.json",
    ".codex/config.toml",
    ".husky/pre-commit",
    "sub/.envrc",
    ".idea/workspace.xml",
]

DECORATIONS = ("{0}", "./{0}", ".//{0}", "sub/../{0}", "in_dir/../{0}", "{0}/", "{0}/.", "{{top}}/ws/{0}")
_DECORATED = ("ok.txt", "in_rel", "out_rel", "out_dir", ".git/config", "licet.yaml", ".licet/ledger.db", "fifo", "hard")


def spellings() -> list[str]:
    """Every path that is tried; ``{top}`` is still in it."""
    decorated = [shape.format(path) for path, shape in product(_DECORATED, DECORATIONS)]
    absolute = [f"{{top}}/{shape}{path}" for path in ("ok.txt", "out_rel") for shape in ("ws//", "./ws/", "real_ws/")]
    return list(dict.fromkeys([*TARGETS, *OUTSIDE, *PROTECTED_SPELLINGS, *decorated, *absolute]))


def spelled(path: str, top: Path) -> str:
    """A spelling in one world."""
    return path.replace("{top}", str(top))


def build(top: Path) -> Path:
    """The world, and its root ``ws``. ``real_ws`` is another name of the root."""
    root = top / "ws"
    for path in (*INSIDE, *PROTECTED):
        _file(root / path, f"inside {path!r}\n")
    for path in STATE:
        _file(root / path, RECORDS)
    _file(top / "second" / "ok.txt", "inside the second root\n")
    for path in ("outside/secret.txt", "outside/deep/secret.txt", "ws-evil/secret.txt", "wsx", "outside/x"):
        _file(top / path, SECRET)
    for path, target in LINKS.items():
        (root / path).symlink_to(target.replace("{top}", str(top)))
    for number in range(CHAIN):
        (root / f"chain{number}").symlink_to(f"chain{number - 1}" if number else "ok.txt")
    (top / "real_ws").symlink_to("ws")
    os.mkfifo(root / "fifo")
    with socket.socket(socket.AF_UNIX) as server:
        here = os.getcwd()
        os.chdir(root)  # the path of a socket is short
        try:
            server.bind("socket")
        finally:
            os.chdir(here)
    os.link(top / "outside" / "secret.txt", root / "hard")
    _file(root / "hard_in_a", "inside twice\n")
    os.link(root / "hard_in_a", root / "hard_in_b")
    _file(root / "locked.txt", "inside and locked\n")
    (root / "locked.txt").chmod(0o400)
    return root


def guarded(top: Path) -> dict[str, tuple[int, bytes]]:
    """What may never change: everything outside, everything protected, licet's state; links as their text."""
    found: dict[str, tuple[int, bytes]] = {}
    roots = [top / "outside", top / "ws-evil", top / "wsx", *(top / "ws" / path for path in _guarded_names())]
    for path in roots:
        for each in (path, *(sorted(path.rglob("*")) if path.is_dir() and not path.is_symlink() else ())):
            found[str(each.relative_to(top))] = _state(each)
    found["top"] = (0, repr(sorted(os.listdir(top))).encode())
    return found


def _guarded_names() -> list[str]:
    folders = [".git", ".licet", "config", "contracts", "skills", ".vscode", ".claude"]
    return [*PROTECTED, *STATE, *folders, ".envrc", "hard"]


def _state(path: Path) -> tuple[int, bytes]:
    status = path.lstat()
    if path.is_symlink():
        return status.st_ino, os.readlink(path).encode()
    if path.is_dir():
        return status.st_ino, repr(sorted(os.listdir(path))).encode()
    return status.st_ino, path.read_bytes()


def _file(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
