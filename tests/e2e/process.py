"""The command line as processes of their own, with a project to work on, and one with a terminal."""

import os
import pty
import select
import subprocess
import sys
import time
from pathlib import Path

PATIENCE_S = 30.0
TOOLS = """
import os
import time
from licet import tool


@tool(read_only=True)
def odd() -> dict:
    return {"a": "\\x1b]0;t\\x07 \\u202e", "lines": "a\\nb"}


@tool(read_only=True)
def many() -> list:
    return [f"entry {number} of many" for number in range(50_000)]


@tool(writes=True)
def endless() -> dict:
    open("entered", "w").close()
    while True:
        time.sleep(0.01)


@tool(writes=True, approval=True)
def launch(what: str) -> dict:
    open("launched", "w").close()
    return {"launched": what}


@tool(read_only=True)
def shouts() -> str:
    os.system("echo from a child")
    os.write(1, b"by number\\n")
    print("from Python")
    return "quiet"


tools = [shouts, odd, many, endless, launch]
"""
OURS = ("--from", "ours:tools")


def made_project(parent: Path) -> Path:
    """A folder with a file to read and a module of tools; the state of its commands lies beside it."""
    folder = parent / "project"
    folder.mkdir()
    (folder / "ours.py").write_text(TOOLS)
    (folder / "a.txt").write_text("one\n")
    return folder


def environment(folder: Path, **more: str) -> dict[str, str]:
    """Nothing of whoever runs the tests, but where Python is."""
    state = str(folder.parent / "state")
    return {"PATH": os.environ["PATH"], "HOME": str(folder), "LICET_HOME": state, "LANG": "C.UTF-8", **more}


def licet(folder: Path, *words: str | bytes, **options: object) -> "subprocess.CompletedProcess[str]":
    """One command as its own process, without a terminal to ask."""
    more = options.pop("env", {})
    assert isinstance(more, dict)
    return subprocess.run(
        [sys.executable, "-m", "licet", *words],
        cwd=folder,
        env=environment(folder, **more),
        start_new_session=True,
        text=True,
        timeout=PATIENCE_S,
        **{"capture_output": "stdout" not in options, "stdin": subprocess.DEVNULL, **options},  # type: ignore[call-overload]
    )


TAKE_TERMINAL = """
import os, sys
os.close(os.open(os.ttyname(1), os.O_RDWR))  # the leader of a session gets the first terminal that it opens
os.execv(sys.executable, [sys.executable, "-m", "licet", *sys.argv[1:]])
"""


class Terminal:
    """A command that has a terminal of its own to speak to and to ask."""

    def __init__(self, folder: Path, *words: str, stdin: Path | None = None, **more: str) -> None:
        self.text = ""
        self._master, screen = pty.openpty()
        keys = screen if stdin is None else os.open(stdin, os.O_RDONLY)
        settings = environment(folder, **{"TERM": "xterm-256color", "COLUMNS": "100", **more})
        self._process = subprocess.Popen(
            [sys.executable, "-c", TAKE_TERMINAL, *words],
            cwd=folder,
            env=settings,
            stdin=keys,
            stdout=screen,
            stderr=screen,
            start_new_session=True,
        )
        for handle in {keys, screen}:
            os.close(handle)

    def until(self, text: str) -> None:
        """Read until this was said, or the command has ended."""
        deadline = time.monotonic() + PATIENCE_S
        while text not in self.text and self._read(deadline):
            pass
        assert text in self.text, self.text

    def type(self, text: str) -> None:
        os.write(self._master, text.encode())

    def end(self) -> int:
        """Read to the end; the exit code."""
        deadline = time.monotonic() + PATIENCE_S
        while self._read(deadline):
            pass
        os.close(self._master)
        return self._process.wait(PATIENCE_S)

    def _read(self, deadline: float) -> bool:
        ready, _, _ = select.select([self._master], [], [], max(0.0, deadline - time.monotonic()))
        assert ready, f"nothing more came after: {self.text}"
        try:
            piece = os.read(self._master, 65536)
        except OSError:  # the other side is closed
            return False
        self.text += piece.decode(errors="replace")
        return bool(piece)
