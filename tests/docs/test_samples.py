"""Every piece of Python that a reader may copy runs, and prints what the page says."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SAMPLES = sorted((ROOT / "docs" / "samples").glob("*.py"))
PAGES = sorted((ROOT / "docs").rglob("*.md"))
PROMISE = "# prints:"


def fences(page: Path) -> list[str]:
    """The Python blocks of a page, as a reader would copy them."""
    return re.findall(r"^```python\n(.*?)^```$", page.read_text("utf-8"), re.MULTILINE | re.DOTALL)


def printed_by(source: str) -> str:
    """What the comment blocks after ``# prints:`` say, in order."""
    said, inside = "", False
    for line in source.splitlines():
        if line.strip() == PROMISE:
            inside = True
        elif not line.lstrip().startswith("#") or "--8<--" in line:
            inside = False
        elif inside:
            said += line.lstrip()[2:] + "\n"
    return said


def run(source: str, folder: Path) -> "subprocess.CompletedProcess[str]":
    (folder / "sample.py").write_text(source, "utf-8")
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(folder), "LICET_HOME": str(folder / "state")}
    command = [sys.executable, "-W", "error", "sample.py"]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.stem)
def test_sample_runs_and_prints_what_it_says(sample: Path, tmp_path: Path) -> None:
    source = sample.read_text("utf-8")
    assert PROMISE in source or "print(" not in source, "a sample says what it prints"
    done = run(source, tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert done.stdout == printed_by(source)


@pytest.mark.parametrize("block", range(len(fences(ROOT / "README.md"))))
def test_python_of_the_readme_runs(block: int, tmp_path: Path) -> None:
    done = run(fences(ROOT / "README.md")[block], tmp_path)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT / "docs")))
def test_python_on_a_page_comes_from_a_tested_sample(page: Path) -> None:
    for block in fences(page):
        included = re.fullmatch(r'--8<-- "(\w+\.py)(?::(\w+))?"\n', block)
        assert included, f"include this from docs/samples: {block}"
        sample = ROOT / "docs" / "samples" / included[1]
        assert sample.is_file()
        assert not included[2] or f"--8<-- [start:{included[2]}]" in sample.read_text("utf-8")


def test_every_sample_stands_on_a_page() -> None:
    pages = "".join(page.read_text("utf-8") for page in PAGES)
    assert [sample.name for sample in SAMPLES if f'--8<-- "{sample.name}' not in pages] == []
