"""The command line as a process: exit codes, pipes, an interrupt, and what it costs to start."""

import json
import os
import select
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from process import OURS, PATIENCE_S, environment, licet, made_project


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return made_project(tmp_path)


def test_every_exit_code_of_the_table(project: Path) -> None:
    read = ("call", "read", '{"path": "a.txt"}', "--root", ".")
    assert licet(project, *read, "--grant", "read").returncode == 0
    assert licet(project, *read, "--mode", "bogus").returncode == 2
    assert licet(project, "call", "read", "nope").returncode == 2
    assert licet(project, *read).returncode == 3
    assert licet(project, "why", "read").returncode == 3
    assert licet(project, "call", "read", '{"path": "gone"}', "--root", ".", "--grant", "read").returncode == 4
    assert licet(project, *read, "--grant", "read", "--ledger", "a.txt").returncode == 4
    copy = project / "copy.db"
    copy.write_bytes(
        (project.parent / "state" / "ledger.db").read_bytes().replace(b'"path":"a.txt"', b'"path":"b.txt"', 1)
    )
    assert licet(project, "ledger", "verify", str(copy)).returncode == 1


def test_the_script_and_the_module_are_one_command(project: Path) -> None:
    script = Path(sys.executable).with_name("licet")
    said = subprocess.run([script, "--version"], capture_output=True, text=True, check=True, timeout=PATIENCE_S)
    assert said.stdout == licet(project, "--version").stdout
    assert said.stdout.startswith("licet ")


def test_every_run_says_its_id_on_standard_error_and_runs_lists_it(project: Path) -> None:
    said = licet(project, "call", "ls", "--grant", "ls", "--root", ".", "--json")
    run_id = json.loads(said.stdout)["run"]
    assert f"licet: run {run_id}\n" in said.stderr
    assert [run["run_id"] for run in json.loads(licet(project, "runs", "--json").stdout)] == [run_id]


@pytest.mark.parametrize("command", ["", "tools", "call", "why", "runs", "rollback", "ledger", "explore", "probe"])
def test_help_is_plain_and_complete(command: str, project: Path) -> None:
    said = licet(project, *([command] if command else []), "--help")
    assert (said.returncode, said.stderr) == (0, "")
    assert said.stdout.startswith("usage: licet")
    assert "\x1b" not in said.stdout
    assert max(map(len, said.stdout.splitlines())) <= 90


def test_no_command_shows_the_help_as_a_usage_error(project: Path) -> None:
    said = licet(project)
    assert (said.returncode, said.stdout) == (2, "")
    assert "COMMAND" in said.stderr


# --- bytes, pipes, streams ---


def test_arguments_that_are_no_text_are_answered_without_a_traceback(project: Path) -> None:
    for words in (
        (b"call", b"\xff\xfe"),
        (b"call", b"read", b'{"path": "\xff"}'),
        (b"call", b"read", b"--grant", b"\xff"),
        (b"call", b"read", b"--root", b"\xff"),
        (b"call", b"read", b"--ledger", b"/nowhere/\xff"),
        (b"call", b"ls", b"--grant", b"ls", b"--root", b".", b"--run", b"\xff"),
        (b"tools", b"--from", b"\xff:\xff"),
        (b"runs", b"\xff"),
        (b"ledger", b"show", b"\xff"),
        (b"\xff",),
        (b"--\x1b[31m",),
        (b"call", b"read", b"\x1b[31m\n"),
    ):
        said = licet(project, *words)
        assert said.returncode in (2, 3, 4), words
        assert "Traceback" not in said.stderr
        assert "\x1b" not in said.stderr
        assert said.stdout == ""


@pytest.mark.parametrize(
    ("words", "unbuffered"),
    [
        (("call", "many", *OURS, "--grant", "many"), ""),
        (("call", "many", *OURS, "--grant", "many", "--json"), "1"),
        (("tools", "--json"), ""),
        (("ledger", "show"), ""),
        (("ledger", "show"), "1"),
        (("ledger", "show", "--json"), "1"),
        (("runs",), "1"),
        (("--help",), ""),
        (("--help",), "1"),
    ],
)
def test_a_reader_that_goes_away_is_no_error(words: tuple[str, ...], unbuffered: str, project: Path) -> None:
    licet(project, "call", "ls", "--grant", "ls", "--root", ".")
    reading, writing = os.pipe()
    os.close(reading)
    try:
        said = licet(project, *words, stdout=writing, stderr=subprocess.PIPE, env={"PYTHONUNBUFFERED": unbuffered})
    finally:
        os.close(writing)
    assert said.returncode == 0
    assert [line for line in said.stderr.splitlines() if not line.startswith("licet: run ")] == []


def test_a_refusal_stays_a_refusal_though_nobody_reads_it(project: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        said = licet(project, "call", "read", "--json", stdout=writing, stderr=writing)
    finally:
        os.close(writing)
    assert said.returncode == 3


def test_output_that_cannot_be_written_is_exit_4_with_the_reason(project: Path) -> None:
    licet(project, "call", "ls", "--grant", "ls", "--root", ".")
    with open("/dev/full", "w") as full:
        said = licet(project, "ledger", "show", stdout=full, stderr=subprocess.PIPE)
    assert said.returncode == 4
    assert "No space left" in said.stderr
    assert "Exception ignored" not in said.stderr
    assert "Traceback" not in said.stderr


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams_are_no_trouble(closed: str, project: Path) -> None:
    command = f'"{sys.executable}" -m licet call ls --grant ls --root . {closed}'
    done = subprocess.run(
        ["sh", "-c", command], cwd=project, env=environment(project), capture_output=True, text=True, timeout=PATIENCE_S
    )
    assert done.returncode == 0
    assert "Traceback" not in done.stderr


def test_what_a_tool_and_its_children_print_stays_out_of_the_document(project: Path) -> None:
    said = licet(project, "call", "shouts", *OURS, "--grant", "shouts", "--json")
    assert json.loads(said.stdout)["output"] == "quiet"
    for printed in ("from a child", "by number", "from Python"):
        assert printed in said.stderr


def test_a_working_directory_that_is_gone_is_said_so(project: Path) -> None:
    command = f'mkdir gone && cd gone && rmdir ../gone && "{sys.executable}" -m licet runs --ledger x'
    done = subprocess.run(
        ["sh", "-c", command], cwd=project, env=environment(project), capture_output=True, text=True, timeout=PATIENCE_S
    )
    assert done.returncode == 4
    assert "the working directory does not exist any more" in done.stderr


def test_characters_that_the_encoding_lacks_are_shown_by_number(project: Path) -> None:
    (project / "\u00e9.txt").touch()
    said = licet(project, "call", "ls", "--grant", "ls", "--root", ".", env={"PYTHONIOENCODING": "ascii"})
    assert said.returncode == 0
    assert "\\xe9.txt" in said.stdout


def test_a_pipe_gets_no_escape_and_one_line(project: Path) -> None:
    said = licet(project, "call", "odd", *OURS, "--grant", "odd", env={"TERM": "xterm-256color", "FORCE_COLOR": "1"})
    assert "\x1b" not in said.stdout
    assert said.stdout.count("\n") == 1
    assert "\x1b" not in licet(project, "runs", env={"TERM": "xterm-256color", "FORCE_COLOR": "1"}).stdout


# --- interrupts and crashes ---


@pytest.fixture
def endless(project: Path) -> Iterator["subprocess.Popen[str]"]:
    """A call that is under way and will not end by itself."""
    words = ("call", "endless", *OURS, "--grant", "endless", "--mode", "workspace-write", "--call-id", "mine")
    started = subprocess.Popen(
        [sys.executable, "-m", "licet", *words],
        cwd=project,
        env=environment(project),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    deadline = time.monotonic() + PATIENCE_S
    while not (project / "entered").exists():
        assert started.poll() is None
        assert time.monotonic() < deadline
        select.select([], [], [], 0.005)
    with started:
        yield started
        started.kill()


def test_an_interrupt_is_exit_130_and_the_call_stands_as_abandoned(
    endless: "subprocess.Popen[str]", project: Path
) -> None:
    endless.send_signal(signal.SIGINT)
    _, said = endless.communicate(timeout=PATIENCE_S)
    assert endless.returncode == 130
    assert "Traceback" not in said
    assert "licet: interrupted" in said
    entries = json.loads(licet(project, "ledger", "show", "--json").stdout)
    assert [entry["kind"] for entry in entries] == ["tool.requested", "tool.abandoned"]
    assert licet(project, "ledger", "verify").returncode == 0


def test_a_killed_call_is_unknown_until_a_person_settles_it_and_never_runs_again(
    endless: "subprocess.Popen[str]", project: Path
) -> None:
    endless.kill()
    endless.wait(PATIENCE_S)
    (project / "entered").unlink()
    assert json.loads(licet(project, "ledger", "verify", "--json").stdout)["unknown"] == ["mine"]
    assert json.loads(licet(project, "runs", "--json").stdout)[0]["unknown"] == 1
    words = ("call", "endless", *OURS, "--grant", "endless", "--mode", "workspace-write", "--call-id", "mine")
    again = licet(project, *words)
    assert again.returncode == 4
    assert "licet ledger settle mine" in again.stderr
    assert licet(project, "ledger", "settle", "mine", "failed", "--note", "looked").returncode == 0
    assert licet(project, *words).returncode == 4
    assert not (project / "entered").exists()
    assert json.loads(licet(project, "ledger", "verify", "--json").stdout)["unknown"] == []


# --- what it costs ---


def seconds(*words: str) -> float:
    """The median of several starts."""
    taken = []
    for _ in range(9):
        begun = time.perf_counter()
        subprocess.run([sys.executable, *words], stdout=subprocess.DEVNULL, check=True, timeout=PATIENCE_S)
        taken.append(time.perf_counter() - begun)
    return statistics.median(taken)


HELP = [("--help",), ("--version",), *((command, "--help") for command in ("tools", "call", "why", "runs", "ledger"))]


def test_help_costs_little_more_than_the_interpreter(project: Path) -> None:
    """At most 4 times, measured; 6 here, because others use the machine that runs the tests."""
    bare = seconds("-c", "pass")
    assert seconds("-m", "licet", "--help") <= 6 * bare


@pytest.mark.parametrize("words", HELP, ids=" ".join)
def test_help_imports_nothing_heavy(words: tuple[str, ...], project: Path) -> None:
    heavy = {
        "asyncio",
        "sqlite3",
        "rich",
        "jsonschema_rs",
        "re2",
        "orjson",
        "inspect",
        "dataclasses",
        "hashlib",
        "shutil",
    }
    script = (
        "import sys\nfrom licet.cli import main\ncode = main(sys.argv[1:])\n"
        f"print(*sorted({heavy!r} & set(sys.modules)), file=sys.stderr)\nsys.exit(code)"
    )
    said = subprocess.run(
        [sys.executable, "-c", script, *words], capture_output=True, text=True, check=True, timeout=PATIENCE_S
    )
    assert said.stderr.split() == []
