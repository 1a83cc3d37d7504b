"""``licet explore --model``: a model behind its provider's SDK explores, within its grants and its bounds."""

import json
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from exploring import Explore, document
from process import Terminal, environment, licet

from licet.cli import main
from loopback import Call, Hang, Loopback, Reply, Said, Status, anthropic, bedrock, gemini, openai_chat
from loopback.models import KEY, alone

REPORT = """\
# Spam

**Spam** makes eggs, see `README.md`. [Click](http://evil.example/) <img src=x onerror=alert(1)> \x1b[31mred
- run `make test` (from `Makefile`)
"""
LOOK = Said("I look around.", (Call("ls", "{}", "c1"), Call("read", '{"path": "README.md"}', "c2")))
Serve = Callable[..., Loopback]


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Iterator[Serve]:
    """A server for OpenAI's wire, if no other is named, to which the environment points every SDK."""
    alone(monkeypatch)
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY"):
        monkeypatch.setenv(name, KEY)
    monkeypatch.delenv("GOOGLE_API_KEY", raising=False)
    monkeypatch.setenv("AWS_REGION", "eu-central-1")
    with ExitStack() as stack:

        def begin(*replies: Reply, wire: object = openai_chat) -> Loopback:
            server = stack.enter_context(Loopback(wire, *replies))
            monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/v1")
            monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
            monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", server.url)
            monkeypatch.setenv("AWS_ENDPOINT_URL_BEDROCK_RUNTIME", server.url)
            return server

        yield begin


@pytest.mark.parametrize(
    ("name", "wire"),
    [("openai:m", openai_chat), ("anthropic:m", anthropic), ("google:m", gemini), ("bedrock:m", bedrock)],
)
def test_a_model_explores_and_its_words_are_the_report(
    name: str, wire: object, serve: Serve, explore: Explore, project: Path, home: Path
) -> None:
    outside = Call("read", '{"path": "../../etc/passwd"}', "c3"), Call("wipe", '{"path": "."}', "c4")
    server = serve(LOOK, Said("", outside), Said(REPORT), wire=wire)
    said = explore("--model", name, project)
    assert said.code == 0, said.err
    assert said.out.startswith("# spam\n\n## Spam\n\n**Spam** makes eggs, see `README.md`.")
    assert "- run `make test` (from `Makefile`)" in said.out
    assert "\\[Click\\]" in said.out
    assert "&lt;img" in said.out
    assert "<img" not in said.out
    assert "\\u001b" in said.out
    assert f"Written by:** `{name}`; nobody checked it" in said.out
    assert "**4 calls**" in said.out
    assert "2 refused" in said.out
    assert len(server.asked) == 3
    assert KEY not in said.out + said.err
    assert KEY.encode() not in (home / "ledger.db").read_bytes()


def test_the_report_in_json_holds_the_words_as_they_are(serve: Serve, explore: Explore, project: Path) -> None:
    serve(LOOK, Said(REPORT))
    told = document(explore("--json", "--model", "openai:m", project))
    assert told["findings"] is None
    assert told["told"]["text"] == REPORT.strip()
    assert (told["told"]["stop"], told["told"]["model"]) == ("done", "openai:m")
    assert told["account"]["planner"] == "openai:m"
    assert told["account"]["verified"]


def test_without_a_model_nothing_is_asked(serve: Serve, explore: Explore, project: Path) -> None:
    server = serve(Said(REPORT))
    assert explore(project).code == 0
    assert server.asked == []


def test_a_provider_that_fails_says_how_to_go_on_and_the_run_goes_on_from_its_ledger(
    serve: Serve, explore: Explore, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    serve(LOOK, Status(400, {}, "invalid_request_error", f"no, {KEY}"))
    failed = explore("--model", "openai:m", project)
    assert failed.code == 4
    run_id = failed.err.splitlines()[0].removeprefix("run ")
    assert f"licet resume {run_id} goes on" in failed.err
    assert "openai:m gave no answer: HTTP 400" in failed.err
    assert KEY not in failed.err

    def licet(*words: str) -> tuple[int, str, str]:
        capsys.readouterr()
        code = main(list(words))
        said = capsys.readouterr()
        return code, said.out, said.err

    code, out, _ = licet("replay", run_id)
    assert code == 0
    assert "1 answer of openai:m" in out
    server = serve(Said(REPORT))
    code, out, err = licet("resume", run_id)
    assert code == 0, err
    assert out.startswith("# spam\n\n## Spam")
    roles = [message["role"] for message in server.asked[0].body["messages"]]
    assert roles == ["system", "user", "assistant", "tool", "tool"], "it reads what it had read"
    assert "Spam makes eggs" in str(server.asked[0].body)
    code, out, _ = licet("replay", run_id, "--json")
    assert code == 0
    assert json.loads(out)["model"]["answers"] == 2
    code, _, err = licet("resume", run_id)
    assert code == 2
    assert "ended this run with an answer" in err
    assert licet("ledger", "verify")[0] == 0


def test_a_run_without_a_model_begins_anew(explore: Explore, project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert explore(project).code == 0
    assert main(["resume", "last"]) == 2
    assert "begins anew: licet explore" in capsys.readouterr().err


def test_bounds_end_an_exploration_and_say_so(serve: Serve, explore: Explore, project: Path) -> None:
    server = serve(LOOK)
    said = explore("--model", "openai:m", "--max-calls", "3", project)
    assert said.code == 0
    assert "it was stopped by max calls" in said.out
    assert len(server.asked) == 2
    none = explore("--model", "openai:m", "--max-tokens", "10", project)
    assert none.code == 3, "there is no report"
    assert len(server.asked) == 2


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--model", "gpt-5"], "names no model; use one of"),
        (["--model", ""], "names no model"),
        (["--max-calls", "7"], "the bounds are those of a model"),
        (["--model", "openai:m", "--max-calls", "0"], "is no number above 0"),
        (["--model", "openai:m", "--max-tokens", "many"], "is no number above 0"),
    ],
)
def test_what_cannot_be_used_is_said_before_anything_is_asked(
    words: list[str], told: str, serve: Serve, explore: Explore, project: Path, home: Path
) -> None:
    server = serve(Said(REPORT))
    said = explore(*words, project)
    assert said.code == 2
    assert told in said.err
    assert server.asked == []
    assert not (home / "ledger.db").exists()


def test_a_missing_key_names_its_variable(
    serve: Serve, explore: Explore, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    serve(Said(REPORT))
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    said = explore("--model", "anthropic:m", project)
    assert (said.code, "ANTHROPIC_API_KEY is not set" in said.err) == (2, True)


def asked_at(server: Loopback) -> dict[str, str]:
    return {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": f"{server.url}/v1", "NO_PROXY": "127.0.0.1"}


def test_a_terminal_sees_the_words_come_and_then_the_report(serve: Serve, project: Path) -> None:
    server = serve(LOOK, Said(REPORT))
    terminal = Terminal(project, "explore", "--model", "openai:m", **asked_at(server))
    assert terminal.end() == 0, terminal.text
    assert "exploring: 0 calls, I look" in terminal.text
    assert "\x1b[31mred" not in terminal.text
    assert "\\u001b[31mred" in terminal.text
    assert "Written by:" in terminal.text


def test_an_interrupted_exploration_leaves_a_sound_ledger_and_says_how_to_go_on(serve: Serve, project: Path) -> None:
    server = serve(LOOK, Hang())
    command = [sys.executable, "-m", "licet", "explore", "--model", "openai:m"]
    environ = environment(project, **asked_at(server))
    with subprocess.Popen(
        command, cwd=project, env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert server.hung.wait(30)
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "licet resume s" in told
    assert "Traceback" not in told
    assert licet(project, "ledger", "verify").returncode == 0
    replayed = licet(project, "replay", "last")
    assert "1 answer of openai:m" in replayed.stdout
