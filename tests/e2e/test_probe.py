"""``licet probe`` as a person runs it: a process, its exit code, what it prints and what it leaves behind."""

import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]

TOOLS = '''
import pathlib
from typing import Literal
from licet import tool

def greet(name: str, times: int = 1) -> dict:
    """Greet."""
    pathlib.Path("ran").write_text("greet")
    raise SystemExit(7)

@tool(writes=True)
def book(title: str, room: Literal["north", "south"], tags: list[str] | None = None) -> dict:
    """Book."""
    pathlib.Path("ran").write_text("book")
    raise SystemExit(7)

tools = [greet, book]
nothing = []
number = 7
'''


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "tmp").mkdir()
    kept = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR", "COLUMNS")}
    return {**kept, "LICET_HOME": str(tmp_path / "home"), "TMPDIR": str(tmp_path / "tmp"), "TERM": "xterm-256color"}


@pytest.fixture
def licet(tmp_path: Path, environment: dict[str, str]) -> Run:
    def run(*words: str, **rest: str) -> "subprocess.CompletedProcess[str]":
        command = [sys.executable, "-m", "licet", *words]
        return subprocess.run(
            command, cwd=tmp_path, env={**environment, **rest}, capture_output=True, text=True, timeout=60, check=False
        )

    return run


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    (root / "src").mkdir(parents=True)
    (root / "README.md").write_text("# A project\n")
    (root / "src" / "main.py").write_text("print('hello')\n")
    return root


def test_a_probe_of_the_sample_is_plain_short_and_exits_0(licet: Run, tmp_path: Path) -> None:
    done = licet("probe")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert len(lines) <= 24
    assert "\x1b" not in done.stdout
    assert all(len(line) <= 100 for line in lines if not line.startswith("ledger "))
    assert sum(" refused " in line for line in lines) >= 16
    assert sum(" contained: " in line for line in lines) == 4
    assert "PASSED" not in done.stdout
    assert re.search(r"one byte of entry \d+ flipped in a copy: verify finds it there", done.stdout)
    assert lines[-1].endswith("got through directly, 0 through licet.")
    assert (tmp_path / "home").stat().st_mode & 0o777 == 0o700
    assert list((tmp_path / "tmp").iterdir()) == []


def test_the_project_is_left_as_it_is(licet: Run, project: Path) -> None:
    before = {path: (path.lstat().st_mtime_ns, path.lstat().st_ino) for path in (project, *project.rglob("*"))}
    assert licet("probe", str(project)).returncode == 0
    assert {path: (path.lstat().st_mtime_ns, path.lstat().st_ino) for path in (project, *project.rglob("*"))} == before


def test_json_is_one_document(licet: Run, project: Path) -> None:
    done = licet("probe", "project", "--json")
    told = json.loads(done.stdout)
    assert (done.returncode, told["ok"], told["got_through"]["through_licet"]) == (0, True, 0)
    assert told["copied"]["files"] == 2
    entries = [attempt["entry"] for attack in told["attacks"] for attempt in attack["tries"] if attempt["entry"]]
    assert all(set(entry) == {"seq", "kind"} for entry in entries)


def test_the_ledger_can_be_named_and_verified_afterwards(licet: Run, tmp_path: Path) -> None:
    assert licet("probe", "--ledger", "mine.db").returncode == 0
    assert not (tmp_path / "home").exists()
    assert licet("ledger", "verify", "mine.db").returncode == 0


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["nowhere"], "does not exist"),
        (["tools.py"], "is not a directory"),
        ([""], "does not exist"),
        (["a\nb"], "does not exist"),
        (["project", "--from", "tools:tools"], "not allowed with"),
        (["--seed", "x"], "invalid int"),
        (["--from", "tools"], "MODULE:ATTR"),
        (["--from", "nowhere:tools"], "no module 'nowhere'"),
        (["--from", "tools:absent"], "no 'absent'"),
        (["--from", "tools:number"], "holds no tool"),
        (["--from", "tools:nothing"], "no tool to probe"),
        (["--from", "broken:tools"], "raised SystemExit"),
        (["--ledger", ""], "names no file"),
    ],
)
def test_bad_input_exits_2_and_says_what_instead(
    licet: Run, tmp_path: Path, project: Path, words: list[str], told: str
) -> None:
    (tmp_path / "tools.py").write_text(TOOLS)
    (tmp_path / "broken.py").write_text("raise SystemExit(0)\n")
    done = licet("probe", *words)
    assert done.returncode == 2
    assert told in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    assert list((tmp_path / "tmp").iterdir()) == []


def test_without_a_ledger_nothing_is_attacked(licet: Run, tmp_path: Path) -> None:
    (tmp_path / "folder.db").mkdir()
    done = licet("probe", "--ledger", "folder.db")
    assert done.returncode == 4
    assert "not a regular file" in done.stderr
    assert done.stdout == ""


def test_the_default_ledger_does_not_stand_in_what_is_probed(licet: Run, tmp_path: Path, project: Path) -> None:
    done = licet("probe", str(project), LICET_HOME=str(project / "state"))
    assert done.returncode == 2
    assert "would stand inside" in done.stderr
    assert not (project / "state").exists()


def test_your_own_tools_are_fuzzed_and_never_run(licet: Run, tmp_path: Path) -> None:
    (tmp_path / "tools.py").write_text(TOOLS)
    done = licet("probe", "--from", "tools:tools", "--seed", "3")
    assert (done.returncode, done.stderr) == (0, "")
    assert not (tmp_path / "ran").exists()
    assert "seed 3" in done.stdout
    assert re.search(r"^greet +\d+ of \d+ bad calls ran +refused \d+, ", done.stdout, re.MULTILINE)
    assert re.search(r"^book +\d+ of \d+ bad calls ran +refused \d+, ", done.stdout, re.MULTILINE)
    assert done.stdout.splitlines()[-1].endswith("0 through licet.")


def test_the_same_seed_asks_the_same_calls(licet: Run, tmp_path: Path) -> None:
    (tmp_path / "tools.py").write_text(TOOLS)
    first, second = (json.loads(licet("probe", "--from", "tools:tools", "--json").stdout) for _ in range(2))
    assert [tool["bad"] for tool in first["tools"]] == [tool["bad"] for tool in second["tools"]]
    assert not (tmp_path / "ran").exists()


BROKEN = """
import sys
import licet.policy.judge as judge
from licet.cli import main
from licet.model.verdict import PERMIT
judge._ORDER = tuple((name, (lambda *_: PERMIT) if name == "mode" else check) for name, check in judge._ORDER)
sys.exit(main(["probe"]))
"""


def test_a_broken_corridor_exits_1_and_names_what_passed(tmp_path: Path, environment: dict[str, str]) -> None:
    command = [sys.executable, "-c", BROKEN]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1
    assert re.search(r"^hidden write, read-only .* PASSED: wrote hidden.txt", done.stdout, re.MULTILINE)


@pytest.mark.parametrize("no_color", ["", "1"])
def test_a_terminal_gets_colours_unless_it_asks_for_none(environment: dict[str, str], no_color: str) -> None:
    told = on_a_terminal([sys.executable, "-m", "licet", "probe"], {**environment, "NO_COLOR": no_color})
    assert "0 through licet" in re.sub(r"\x1b\[[0-9;]*m|\s+", " ", told)
    assert bool(re.search(r"\x1b\[3[0-9]m", told)) is not bool(no_color)


def on_a_terminal(command: list[str], environment: dict[str, str]) -> str:
    """What a command writes to a terminal of 100 columns."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(command, env={**environment, "COLUMNS": "100"}, stdin=theirs, stdout=theirs) as process:
        os.close(theirs)
        told = b""
        while True:
            try:
                block = os.read(ours, 65536)
            except OSError:  # the other end is closed
                break
            if not block:
                break
            told += block
        os.close(ours)
        assert process.wait(60) == 0
    return told.decode()


def test_a_terminated_probe_leaves_no_copy_behind(tmp_path: Path, environment: dict[str, str], project: Path) -> None:
    copies = tmp_path / "tmp"
    with subprocess.Popen([sys.executable, "-m", "licet", "probe", str(project)], env=environment) as process:
        deadline = time.monotonic() + 30
        while not list(copies.glob("licet-probe-*/licet/project/README.md")) and time.monotonic() < deadline:
            select.select([], [], [], 0.002)
        process.send_signal(signal.SIGTERM)
        code = process.wait(30)
    assert code in (0, 143)
    assert list(copies.iterdir()) == []
