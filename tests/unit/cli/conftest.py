"""The command line in this process: what it says, its exit code, and the ledger that it leaves."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from said import TOOLS, Licet, Said

from licet.cli import main, principal


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The state folder of the test, not made yet."""
    folder = tmp_path / "state"
    monkeypatch.setenv("LICET_HOME", str(folder))
    monkeypatch.setenv("TZ", "UTC")
    monkeypatch.delenv("COLUMNS", raising=False)
    return folder


@pytest.fixture
def licet(home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Licet:
    """Runs a command as nobody at a terminal would."""
    monkeypatch.setattr(principal, "terminal_approver", lambda: None)

    def run(*words: str) -> Said:
        capsys.readouterr()
        code = main(words)
        said = capsys.readouterr()
        assert "Traceback" not in said.err
        return Said(code, said.out, said.err)

    return run


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The working directory, with a file to read and a module of tools."""
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "a.txt").write_text("one\ntwo\n")
    (folder / "ours.py").write_text(TOOLS)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("SEEN", str(folder / "seen"))
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    before = set(sys.modules)
    yield folder
    for name in set(sys.modules) - before:
        if getattr(sys.modules[name], "__file__", None) and Path(sys.modules[name].__file__ or "").parent == folder:
            del sys.modules[name]


@pytest.fixture
def seen(project: Path) -> Callable[[], list[str]]:
    """What the bodies of the project's tools did."""

    def read() -> list[str]:
        file = project / "seen"
        return file.read_text().split() if file.exists() else []

    return read
