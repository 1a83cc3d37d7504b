"""``licet conformance`` as a person runs it: a process, its exit code, what it prints and what it writes."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import get_args
from xml.etree import ElementTree

import pytest
from process import Terminal

from licet.conformance.vector import chosen
from licet.conformance.verdict import Verdict

ROOT = Path(__file__).parent.parent.parent
RUNTIME = ROOT / "tests" / "conformance" / "licet_runtime.py"
FOREIGN = ROOT / "tests" / "unit" / "conformance" / "foreign_server.py"

BROKEN = """
import sys
sys.path.insert(0, {folder!r})
from licet_runtime import LicetRuntime

class Careless(LicetRuntime):
    async def call(self, name, arguments, call_id):
        if isinstance(arguments, dict) and "bogus" in arguments:
            return {{"ok": True, "content": "\\x1b[2Jdone", "code": None}}
        return await super().call(name, arguments, call_id)
"""

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def licet(tmp_path: Path) -> Run:
    def run(*words: "str | Path") -> "subprocess.CompletedProcess[str]":
        command = [sys.executable, "-m", "licet", "conformance", *map(str, words)]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
        assert "Traceback" not in done.stderr
        assert "\x1b" not in done.stdout + done.stderr
        return done

    return run


@pytest.fixture
def careless(tmp_path: Path) -> str:
    (tmp_path / "careless.py").write_text(BROKEN.format(folder=str(RUNTIME.parent)))
    return "careless.py:Careless"


def test_a_runtime_that_keeps_the_contract_ends_with_0_and_a_plain_table(licet: Run) -> None:
    done = licet(f"{RUNTIME}:LicetRuntime")
    assert done.returncode == 0, done.stdout
    head, *rows, last = done.stdout.splitlines()
    assert head.split("  ")[0] == "vector"
    assert len(rows) == 110
    assert " 0 red, 7 not applicable." in last


def test_one_suite_one_profile_and_one_vector_can_be_chosen(licet: Run) -> None:
    assert "48 vectors" in licet(f"{RUNTIME}:LicetRuntime", "--suite", "profile").stdout
    assert "profile.govern " not in licet("--list", "--suite", "profile", "--profile", "observe").stdout
    assert "1 vectors" in licet(f"{RUNTIME}:LicetRuntime", "--only", "names.unknown").stdout


def test_what_is_red_ends_with_1_and_is_shown_with_its_escapes_in_clear(licet: Run, careless: str) -> None:
    done = licet(careless, "--suite", "core")
    assert done.returncode == 1
    assert "U+001B" in done.stdout
    assert "arguments.extra            garbled" in done.stdout


def test_a_baseline_takes_what_is_red_and_fails_on_what_passes_unexpectedly(
    licet: Run, careless: str, tmp_path: Path
) -> None:
    report = licet(careless, "--suite", "core", "--json")
    (tmp_path / "baseline.json").write_text(report.stdout)
    again = licet(careless, "--suite", "core", "--baseline", "baseline.json")
    assert (again.returncode, "all as the baseline says." in again.stdout) == (0, True)
    better = licet(f"{RUNTIME}:LicetRuntime", "--suite", "core", "--baseline", "baseline.json", "--junit", "j.xml")
    assert better.returncode == 1
    assert "arguments.extra is passed instead of garbled" in better.stdout
    root = ElementTree.parse(tmp_path / "j.xml").getroot()
    failed = [case.get("name") for case in root.iter("testcase") if case.find("failure") is not None]
    assert failed == ["arguments.extra", "hidden.bad-arguments"]


def test_the_document_holds_every_outcome(licet: Run) -> None:
    document = json.loads(licet(f"{RUNTIME}:LicetRuntime", "--suite", "core", "--json").stdout)
    assert (document["format"], document["ok"], len(document["outcomes"])) == ("licet-conformance/1", True, 62)
    assert all(one["told"] for one in document["outcomes"] if one["verdict"] == "not applicable")


def test_a_subject_in_javascript_speaks_json_lines(licet: Run) -> None:
    done = licet("--suite", "core", "--lines", "--", "node", ROOT / "docs" / "samples" / "subject.mjs")
    assert done.returncode == 0, done.stdout
    assert "46 passed, 0 red, 16 not applicable." in done.stdout


def test_an_mcp_server_is_examined_as_it_is(licet: Run) -> None:
    done = licet("--", sys.executable, FOREIGN)
    assert done.returncode == 0, done.stdout
    assert "16 passed, 0 red" in done.stdout


def test_a_gateway_is_started_before_the_suites_own_server(licet: Run) -> None:
    gateway = (sys.executable, "-m", "licet", "serve", "--", "{upstream}")
    wanted = ("arguments.nested-extra", "names.distinct", "changed.description", "hidden.called")
    done = licet(*(word for one in wanted for word in ("--only", one)), "--", *gateway)
    assert done.returncode == 0, done.stdout
    assert "3 passed, 0 red, 1 not applicable." in done.stdout


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((), "name what is examined"),
        (("nothing",), "'nothing' is no target"),
        (("a.b:C", "--suite", "cor"), "there is no suite 'cor'; use core or profile"),
        (("a.b:C", "--profile", "Observe"), "there is no profile 'Observe'"),
        (("a.b:C", "--only", "x.y"), "there is no vector 'x.y'"),
        (("a.b:C", "--baseline", "none.json"), "--baseline none.json: No such file"),
        (("a.b:C", "--junit", "none/x.xml"), "--junit none/x.xml: there is no folder"),
        (("a.b:C", "--patience", "0"), "--patience is above 0"),
        (("a.b:C", "--lines"), "--lines goes with a command after --"),
        (("a.b:C", "--", "x"), "name one target"),
        (("--",), "there is no command after --"),
        (("--", "licet-no-such-command"), "the command 'licet-no-such-command' was not found"),
        (("http://127.0.0.1:1/", "--header", "a"), "--header 'a' is not NAME=VARIABLE"),
    ],
)
def test_a_mistake_ends_with_2_and_says_what_instead(licet: Run, words: tuple[str, ...], told: str) -> None:
    done = licet(*words)
    assert (done.returncode, done.stdout) == (2, "")
    assert told in done.stderr


def test_a_terminal_is_shown_colours_and_nothing_of_a_subjects_own(careless: str, tmp_path: Path) -> None:
    shown = Terminal(tmp_path, "conformance", careless, "--only", "arguments.extra", "--only", "arguments.type")
    assert shown.end() == 1
    assert "\x1b[" in shown.text
    assert "\x1b[2J" not in shown.text
    assert "garbled" in shown.text


def test_a_url_at_which_nobody_listens_is_red(licet: Run) -> None:
    done = licet("http://127.0.0.1:9/mcp", "--only", "names.valid")
    assert (done.returncode, "died" in done.stdout) == (1, True)


def test_the_page_leads_a_newcomer_to_a_table_of_a_bare_server(licet: Run, tmp_path: Path) -> None:
    page = (ROOT / "docs" / "conformance.md").read_text("utf-8")
    written = page.partition("cat > server.py <<'END'\n")[2].partition("END\n")[0]
    (tmp_path / "server.py").write_text(written)
    done = licet("--suite", "core", "--", sys.executable, "server.py")
    assert done.returncode in (0, 1), "whether the SDK is careful is its own affair"
    assert "names.unknown              passed" in done.stdout
    assert done.stdout.count("\n") == 64


def test_the_page_names_every_verdict_and_counts_the_vectors_right() -> None:
    page = (ROOT / "docs" / "conformance.md").read_text("utf-8")
    assert [one for one in get_args(Verdict) if f"| `{one}` |" not in page] == []
    counts = {suite: len(chosen([suite])) for suite in ("core", "profile")}
    assert all(f"| {count} |\n" in page for count in counts.values())
