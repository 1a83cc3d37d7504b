"""``licet explore`` in this process, and a small project to explore."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from exploring import Explore, Said

from licet.cli import main


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "home" / "state"
    monkeypatch.setenv("LICET_HOME", str(folder))
    return folder


@pytest.fixture
def explore(home: Path, capsys: pytest.CaptureFixture[str]) -> Explore:
    def run(*words: "str | Path") -> Said:
        capsys.readouterr()
        code = main(["explore", *map(str, words)])
        said = capsys.readouterr()
        assert "Traceback" not in said.err
        assert "\x1b" not in said.out + said.err
        return Said(code, said.out, said.err)

    return run


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "spam"
    (root / "src" / "spam").mkdir(parents=True)
    (root / "README.md").write_text("# Spam\n\nSpam makes eggs for everybody.\n")
    (root / "LICENSE").write_text("Apache License\nVersion 2.0\n")
    (root / "pyproject.toml").write_text("[project]\nname='spam'\n[project.scripts]\nspam='spam:main'\n")
    (root / "Makefile").write_text("test:\n\tpytest\n")
    (root / "src" / "spam" / "__init__.py").write_text('"""What spam is made of."""\n# TODO: eggs\n')
    (root / ".gitignore").write_text("ignored/\n")
    (root / "ignored").mkdir()
    (root / "ignored" / "x.py").write_text("x\n")
    return root


@pytest.fixture
def closed(tmp_path: Path) -> Iterator[Path]:
    """A folder that nobody may enter, its owner included."""
    folder = tmp_path / "closed"
    folder.mkdir(mode=0)
    yield folder
    folder.chmod(0o700)
