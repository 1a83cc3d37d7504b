"""The tour of the docs, command by command, in a real git repository: what the page shows is what is said."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "release-notes.md").read_text("utf-8")
RUN = "s383ebe153388b339"
"""The run's id on the page."""

FILES = {
    "pyproject.toml": '[project]\nname = "spam"\nversion = "1.2.0"\n',
    "README.md": "# Spam\n",
    "spam.py": 'def menu():\n    return ["spam"]  # TODO: eggs\n',
    "CHANGELOG.md": "# Changelog\n\n## Unreleased\n\n- Allow a breakfast without spam\n\n## 1.2.0\n",
}
LATER = ("Fix the eggs, which were cold", "Remove ham from the menu", "test: count the eggs")


@pytest.fixture
def spam(tmp_path: Path) -> Path:
    folder = tmp_path / "spam"
    folder.mkdir()
    for name, text in FILES.items():
        (folder / name).write_text(text)
    said(folder, "git", "init", "-q")
    said(folder, "git", "add", "-A")
    for subject in ("Release 1.2.0", *LATER):
        said(folder, "git", *WHO, "commit", "-q", "--allow-empty", "-m", subject)
        if subject not in LATER:
            said(folder, "git", "tag", "v1.2.0")
    return folder


WHO = ("-c", "user.name=A", "-c", "user.email=a@b.example", "-c", "commit.gpgsign=false")


def said(folder: Path, *words: str) -> str:
    """What a command said, what was for the person first."""
    settings = {"PATH": os.environ["PATH"], "HOME": str(folder.parent), "LICET_HOME": str(folder.parent / "state")}
    done = subprocess.run(words, cwd=folder, env=settings, capture_output=True, text=True, timeout=60)
    return done.stderr + done.stdout


def is_like(shown: str, line: str) -> bool:
    """A line of the page may end in ``...`` where it does not show the rest."""
    return line.startswith(shown[:-3]) if shown.endswith("...") else line == shown


def missing(shown: list[str], lines: list[str]) -> str | None:
    """The first line of the page that was not said in its place. ``...`` alone stands for any lines."""
    at, anywhere = 0, False
    for line in shown:
        if line == "...":
            anywhere = True
            continue
        if anywhere:
            at = next((place for place in range(at, len(lines)) if is_like(line, lines[place])), len(lines))
        if at >= len(lines) or not is_like(line, lines[at]):
            return line
        at, anywhere = at + 1, False
    return None if anywhere or at == len(lines) else f"nothing for: {lines[at]}"


def test_the_tour_is_what_happens(spam: Path) -> None:
    blocks = re.findall(r"^```\n\$ licet (.+?)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert len(blocks) == 7
    run_id = RUN
    for command, shown in blocks:
        words = shlex.split(command.replace(RUN, run_id))
        lines = said(spam, sys.executable, "-m", "licet", *words)
        if words[0] == "run":
            run_id = lines.split()[1]
        assert missing(shown.splitlines(), lines.replace(run_id, RUN).splitlines()) is None, lines
    assert "<script" not in (spam / "notes.html").read_text()
    assert "Remove ham from the menu" in (spam / "notes.html").read_text()
    assert "count the eggs" not in (spam / "notes.html").read_text()
