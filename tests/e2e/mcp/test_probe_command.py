"""``licet probe -- COMMAND``: two columns against a real server, and what never reaches it."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from grove import ORACLE, other_server

import licet.policy.judge
from licet.cli import main
from licet.schema.pin import Pin
from licet.sources.mcp.server import McpServer

Run = Callable[..., "subprocess.CompletedProcess[str]"]
PATIENCE_S = 120.0


@pytest.fixture
def probing(tmp_path: Path) -> Run:
    (tmp_path / "tmp").mkdir()
    kept = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR", "COLUMNS")}
    environment = {**kept, "LICET_HOME": str(tmp_path / "home"), "TMPDIR": str(tmp_path / "tmp")}

    def run(*words: str, code: str = "") -> "subprocess.CompletedProcess[str]":
        python = ["-c", code] if code else ["-m", "licet"]
        return subprocess.run(
            [sys.executable, *python, *words],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )

    return run


def running(word: str) -> list[str]:
    """Command lines on this machine that hold a word."""
    found = []
    for process in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = process.read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if word in line:
            found.append(line)
    return found


def tried(report: Any, attack: str) -> list[Any]:
    return next(row["tries"] for row in report["attacks"] if row["attack"] == attack)


def test_a_probe_of_the_oracles_server_holds_in_every_line_and_exits_0(probing: Run, tmp_path: Path) -> None:
    done = probing("probe", "--", *ORACLE)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == (
        f"starting {ORACLE[0]} and 3 arguments twice, behind a relay that hands on calls only of tools that are "
        "read-only by hint\n"
    )
    assert "\x1b" not in done.stdout
    lines = done.stdout.splitlines()
    assert sum(" refused " in line for line in lines) == 6
    assert sum(" contained: " in line for line in lines) == 2
    assert re.search(r"definition changed after listing \(5\) +ran oracle +refused schema_changed", done.stdout)
    assert re.search(r"text that looks like a call +ran oracle +contained: no call", done.stdout)
    assert re.search(r"one byte of entry \d+ flipped in a copy: verify finds it there", done.stdout)
    assert lines[-1].endswith(" got through by the SDK's client, 0 through licet.")
    assert "1 tool, 1 read-only by hint" in lines[-1]
    assert list((tmp_path / "tmp").iterdir()) == []
    assert probing("ledger", "verify").returncode == 0


def test_no_tool_that_may_write_is_ever_called_however_loosely_a_server_compares_names(
    probing: Run, tmp_path: Path
) -> None:
    script = other_server(tmp_path)
    done = probing("probe", "--json", "--", sys.executable, str(script))
    report = json.loads(done.stdout)
    assert (done.returncode, report["ok"], report["got_through"]["through_licet"]) == (0, True, 0)
    assert report["tools"] == {"listed": 4, "read_only_by_hint": 2}
    assert not (tmp_path / "written").exists()
    assert (tmp_path / "read").exists(), "those that only read are called, in both columns"
    writing = tried(report, "tool that may write, read-only")
    assert [one["called_directly"] for one in writing] == ["entered Write", "entered unsaid"], "it was on its way"
    assert {one["code"] for one in writing} == {"mode_forbids"}
    changed = tried(report, "definition changed after listing")
    assert [one["reason"] for one in changed] == [
        "title",
        "description",
        "input_schema",
        "output_schema",
        "annotations",
    ]
    assert all(one["called_directly"] for one in tried(report, "other spellings")[:1]), "this server is careless"
    entries = [one["entry"] for row in report["attacks"] for one in row["tries"] if one["entry"]]
    assert all(set(entry) == {"seq", "kind"} for entry in entries)
    assert running(str(script)) == [], "no server and no relay is left"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--"], "there is no command after --"),
        (["--", ""], "there is no command after --"),
        ([".", "--", "true"], "do not go with -- COMMAND"),
        (["--from", "a:b", "--", "true"], "do not go with -- COMMAND"),
        (["--", "true"], "true is no MCP server (exited)"),
        (["--", "licet-no-such-command", "s3cret"], "is no MCP server (exited); it said: FileNotFoundError"),
        (["--", sys.executable, "-c", "import sys; sys.exit('it needs a token')"], "it said: it needs a token"),
        (["--", sys.executable, "-c", "import sys; sys.exit('\\x1b[31mred')"], "it said: \\u001b[31mred"),
    ],
)
def test_what_is_no_server_exits_2_with_one_line_and_its_last_words(probing: Run, words: list[str], told: str) -> None:
    done = probing("probe", *words)
    assert done.returncode == 2, done.stdout + done.stderr
    complaint = done.stderr.splitlines()[-1]
    assert complaint.startswith("licet: ")
    assert told in complaint
    assert "s3cret" not in done.stderr
    assert (done.stdout, "Traceback" in done.stderr) == ("", False)


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_probe_that_is_ended_takes_its_server_along(tmp_path: Path, sent: signal.Signals, code: int) -> None:
    pipe, made = tmp_path / "pipe", tmp_path / "tmp"
    os.mkfifo(pipe)
    made.mkdir()
    script = tmp_path / "endless.py"
    script.write_text(f"import time\nopen({str(pipe)!r}, 'w').close()\ntime.sleep(600)\n")
    command = [sys.executable, "-m", "licet", "probe", "--", sys.executable, str(script)]
    environment = {**os.environ, "LICET_HOME": str(tmp_path / "home"), "TMPDIR": str(made)}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, env=environment, text=True, **pipes) as process:
        pipe.read_text()  # ends when the server has begun
        process.send_signal(sent)
        out, err = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, out, "Traceback" in err) == (code, "", False)
    assert running(str(script)) == []
    assert list(made.iterdir()) == []


@pytest.mark.requirement("mcp.optional-extra")
def test_without_the_extra_it_says_what_to_install(probing: Run) -> None:
    code = (
        "import sys\n"
        "class Refuses:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name.partition('.')[0] in ('mcp', 'mcp_types', 'anyio', 'pydantic'):\n"
        "            raise ModuleNotFoundError(f'No module named {name!r}', name=name)\n"
        "sys.meta_path.insert(0, Refuses())\n"
        "from licet.cli import main\n"
        "sys.exit(main(sys.argv[1:]))\n"
    )
    done = probing("probe", "--", *ORACLE, code=code)
    assert (done.returncode, done.stdout) == (2, "")
    assert "licet[mcp]" in done.stderr
    assert probing("probe", "--help", code=code).returncode == 0


def test_a_corridor_that_does_not_see_a_changed_definition_is_found_and_exits_1(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LICET_HOME", str(tmp_path / "home"))
    known: dict[str, Any] = {}
    looked = McpServer._pin_of

    def blind(self: McpServer, own_name: str, listed: Any) -> Pin | Any:
        return known.setdefault(own_name, looked(self, own_name, listed))

    monkeypatch.setattr(McpServer, "_pin_of", blind)
    assert main(["probe", "--", *ORACLE]) == 1
    said = capsys.readouterr().out
    assert re.search(r"definition changed after listing \(5\) +ran oracle +PASSED: ran oracle", said)
    assert said.splitlines()[-1].endswith("1 through licet.")


def test_a_corridor_that_lets_bad_arguments_in_is_found_and_exits_1(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LICET_HOME", str(tmp_path / "home"))
    kept = tuple(named for named in licet.policy.judge._ORDER if named[0] != "arguments")
    monkeypatch.setattr(licet.policy.judge, "_ORDER", kept)
    assert main(["probe", "--", *ORACLE]) == 1
    assert re.search(r"bad and extra arguments \(8\) .* PASSED: ", capsys.readouterr().out)
