"""A project with one server, what it may list instead, and somebody at a terminal."""

import copy
from pathlib import Path
from typing import Any

import pytest
from fake_servers import TOOL
from said import Said

from licet.cli import ask
from licet.project.lock import Lock, read
from licet.project.trust import trust

CONFIG = """\
mcpServers:
  eye: {command: look, args: ["--token", "${EYE_TOKEN}"], env: {EYE: "${EYE_TOKEN}"}}
tools:
  mcp/eye.*: {read_only: hinted}
"""
CANARY = "canary-5b1f"


def configure(project: Path, home: Path, text: str = CONFIG) -> None:
    (project / "licet.yaml").write_text(text)
    trust(project / "licet.yaml", home)


def held(file: Path) -> Lock:
    lock = read(file)
    assert lock is not None
    return lock


def saying(answer: bool | None, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A person at the terminal who gives one answer; what they were shown."""
    shown: list[str] = []

    def ask_them(text: str) -> bool | None:
        shown.append(text)
        return answer

    monkeypatch.setattr(ask, "ask", ask_them)
    return shown


def changed(pointer: str, value: Any) -> dict[str, Any]:
    now = copy.deepcopy(TOOL)
    *way, last = pointer.split("/")[1:]
    place: Any = now
    for step in way:
        place = place[step]
    place[last] = value
    return now


def refused(said: Said) -> str:
    """The digest that a refusal without a terminal prints."""
    assert said.code == 3
    assert "nobody is at a terminal to say yes" in said.err
    return said.err.split("--digest ")[1].split()[0]
