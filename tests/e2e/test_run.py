"""``licet run`` as a process of its own: cold, piped, on a terminal, interrupted, and over MCP."""

import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from process import Terminal, environment, licet, made_project

from licet.ledger.verify import verify_file

SLOW = """\
name: slow
goal: A goal.
default_seed: one
cast: [reader]
genesis_text: It begins.
governor: {max_turns: 1000000, max_calls_per_turn: 1, max_total_calls: 1, max_total_tokens: 1000000000}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return made_project(tmp_path)


@pytest.fixture
def slow(folder: Path) -> Path:
    """The same with a scenario that takes very many turns, trusted."""
    for name, text in (("scenarios/slow", SLOW), ("agents/reader", "name: reader\nmay_emit: [reader.said]\n")):
        path = folder / "config" / f"{name}.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (folder / "licet.yaml").write_text("agents: {}\n")
    assert licet(folder, "trust", "--yes").returncode == 0
    return folder


@contextmanager
def playing(folder: Path, *words: str) -> "Iterator[subprocess.Popen[str]]":
    """The slow scenario, under way; at the end it is over whatever happened."""
    with subprocess.Popen(
        [sys.executable, "-m", "licet", "run", "slow", *words],
        cwd=folder,
        env=environment(folder),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def test_cold_and_piped_it_is_plain_text_with_the_runs_id_on_standard_error(folder: Path) -> None:
    done = licet(folder, "run", "oracle-grove")
    assert done.returncode == 0
    assert "\x1b" not in done.stdout + done.stderr
    assert done.stderr.startswith("run s")
    assert done.stdout.startswith("The oracle's grove  seed midsummer\n")
    assert done.stdout.count("oracle.spoke") == 4
    assert verify_file(folder.parent / "state" / "ledger.db").ok


def test_a_terminal_sees_the_story_in_colour_and_the_same_words(folder: Path) -> None:
    terminal = Terminal(folder, "run", "oracle-grove", "--seed", "red")
    assert terminal.end() == 0
    assert "\x1b[" in terminal.text
    for word in ("The oracle's grove", "fortune-teller", "oracle.spoke", "world.observed", "8 turns"):
        assert word in terminal.text
    plain = Terminal(folder, "run", "oracle-grove", "--seed", "red", NO_COLOR="1")
    assert plain.end() == 0
    assert "\x1b[3" not in plain.text.replace("\x1b[3m", "")


def test_a_reader_that_goes_away_is_no_error(folder: Path) -> None:
    piped = f"{sys.executable} -m licet run oracle-grove | head -1; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(
        ["bash", "-c", piped],
        cwd=folder,
        env=environment(folder),
        capture_output=True,
        text=True,
        timeout=30,
        check=True,
    )
    assert done.stdout.splitlines() == ["The oracle's grove  seed midsummer", "0"]
    assert "Traceback" not in done.stderr


def test_an_interrupt_is_exit_130_and_the_ledger_is_whole_and_says_so(slow: Path) -> None:
    with playing(slow) as process:
        assert process.stdout is not None
        for _ in range(20):
            process.stdout.readline()
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "Traceback" not in said
    ledger = slow.parent / "state" / "ledger.db"
    assert verify_file(ledger).ok
    shown = licet(slow, "ledger", "show", "--kind", "ended", "--json").stdout
    assert [entry["body"]["stop"] for entry in json.loads(shown)] == ["broken"]


@pytest.mark.requirement("grove.same-ledger-over-mcp", "env.mcp-oracle")
def test_over_mcp_by_option_and_by_environment_the_story_is_the_same(folder: Path) -> None:
    ways: list[tuple[list[str], dict[str, str]]] = [
        ([], {}),
        (["--mcp"], {"MCP_SERVERS": "licet-no-such-server"}),
        (["--mcp", "http"], {}),
        ([], {"MCP_ORACLE": "1"}),
    ]
    told = []
    for words, env in ways:
        done = licet(folder, "run", "oracle-grove", "--json", *words, env=env)
        assert done.returncode == 0, done.stderr
        told.append(json.loads(done.stdout))
    assert all(one["events"] == told[0]["events"] for one in told)
    runs = [one["run"] for one in told]
    assert [licet(folder, "ledger", "diff", runs[0], run).returncode for run in runs] == [0] * len(ways)
    shown = json.loads(licet(folder, "ledger", "show", "--kind", "completed", "--json").stdout)
    vias = {run: {entry["trace"]["via"] for entry in shown if entry["run_id"] == run} for run in runs}
    assert list(vias.values()) == [{"in_process"}, {"mcp_stdio"}, {"mcp_http"}, {"mcp_stdio"}]


def test_the_groves_server_ends_with_the_command_however_it_ends(slow: Path) -> None:
    with playing(slow, "--mcp", "http") as process:
        assert process.stdout is not None
        process.stdout.readline()
        below = _below(process.pid)
        assert any("grove.server" in command for command in below.values())
        process.kill()
    for pid in below:
        _ended(pid)


def _below(pid: int) -> dict[int, str]:
    """The processes that one has started: their commands."""
    found: dict[int, str] = {}
    for task in Path(f"/proc/{pid}/task").iterdir():
        for child in map(int, (task / "children").read_text().split()):
            found[child] = Path(f"/proc/{child}/cmdline").read_bytes().decode().replace("\0", " ")
    return found


def _ended(pid: int) -> None:
    """Wait until a process that is no child of this one is gone."""
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    try:
        ready, _, _ = select.select([handle], [], [], 30.0)
        assert ready, f"{pid} still runs"
    finally:
        os.close(handle)
