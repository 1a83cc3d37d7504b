"""A subject that lies, hangs, ends or prints what it should not gets a verdict with a name: never a crash or a pass."""

import json
import sys
from pathlib import Path

import pytest

from licet.conformance.run import run
from licet.conformance.target import Lines, python
from licet.conformance.vector import chosen
from licet.conformance.verdict import Outcome

LOOP = """
import json, os, sys, time
tools = []
def say(message):
    sys.stdout.write(json.dumps(message) + "\\n")
    sys.stdout.flush()
def reply(result):
    say({"id": message["id"], "result": result})
for line in sys.stdin:
    message = json.loads(line)
    do = message.get("do", "cancel")
    if do == "setup":
        tools = message["tools"]
    if do == "list":
        reply([{key: tool[key] for key in ("name", "description", "input_schema")} for tool in tools])
        continue
    if do == "call":
        CALLED
        continue
    if do != "cancel":
        say({"id": message["id"], "result": None})
"""
VECTOR = chosen(only=["arguments.required"])

CALLS = {
    "says that it succeeded, and executes nothing": (
        "lied",
        'reply({"ok": True, "content": "x"})',
    ),
    "gives no answer": ("hung", "pass"),
    "ends": ("died", "os._exit(7)"),
    "is killed": ("died", "os.kill(os.getpid(), 9)"),
    "closes its output": ("died", "os.close(1); time.sleep(60)"),
    "prints terminal escapes": ("garbled", 'print("\\x1b[2J\\x1b]0;owned\\x07", flush=True)'),
    "prints what is no JSON": ("garbled", 'print("hello", flush=True)'),
    "answers deeper than anybody reads": ("garbled", 'print("[" * 100_000, flush=True)'),
    "answers with a list": ("garbled", "reply([1])"),
    "answers without words": ("garbled", 'reply({"ok": False})'),
    "answers with escapes for a model": (
        "garbled",
        'reply({"ok": False, "content": "\\x1b[1m"})',
    ),
    "answers with neither result nor error": ("garbled", 'say({"id": message["id"]})'),
    "answers twice": ("garbled", 'reply({"ok": False, "content": "x"}); ' * 2),
    "answers what nobody asked": ("garbled", 'say({"hello": 1})'),
    "writes a line without end": ("garbled", 'sys.stdout.write("x" * (9 << 20)); sys.stdout.flush(); time.sleep(60)'),
    "says that it raised": ("raised", 'say({"id": message["id"], "error": "KeyError: path"})'),
    "executes what is not there": (
        "failed",
        'say({"execute": 1, "tool": "x"}); reply({"ok": False, "content": "x"})',
    ),
}


async def outcome(body: str, tmp_path: Path, patience_s: float = 5.0) -> Outcome:
    script = tmp_path / "subject.py"
    script.write_text(LOOP.replace("CALLED", body))
    report = await run(Lines([sys.executable, str(script)], {}), VECTOR, patience_s=patience_s)
    assert not report.ok
    return report.outcomes[0]


@pytest.mark.parametrize("what", CALLS)
async def test_a_subject_gets_the_verdict_of_what_it_does(what: str, tmp_path: Path) -> None:
    verdict, body = CALLS[what]
    found = await outcome(body, tmp_path, 0.3 if verdict == "hung" else 5.0)
    assert found.verdict == verdict, found.told
    assert found.told


async def test_the_last_words_of_a_subject_that_ended_are_told(tmp_path: Path) -> None:
    found = await outcome('sys.stderr.write("no database\\n"); sys.stderr.flush(); os._exit(7)', tmp_path)
    assert found.told == "it ended with the exit code 7; its last words: no database"


async def test_a_target_gets_no_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A_SECRET", "hunter2")
    seen = tmp_path / "seen"
    await outcome(f'open({str(seen)!r}, "w").write(json.dumps(dict(os.environ))); os._exit(1)', tmp_path)
    assert json.loads(seen.read_text()).keys() <= {"LC_CTYPE"}, "what Python itself sets is no secret"


async def test_a_subject_that_broke_is_started_anew_for_the_next_vector(tmp_path: Path) -> None:
    script = tmp_path / "subject.py"
    script.write_text(LOOP.replace("CALLED", "os._exit(1)"))
    report = await run(Lines([sys.executable, str(script)], {}), chosen(only=["arguments.required", "names.listed"]))
    assert {one.vector: one.verdict for one in report.outcomes} == {
        "arguments.required": "died",
        "names.listed": "passed",
    }


CLASS = """
import time
class Bad:
    async def setup(self, tools, options): {setup}
    async def list(self): return []
    async def call(self, name, arguments, call_id): return {{"ok": False, "content": "no"}}
    async def close(self): {close}
"""


@pytest.mark.parametrize(
    ("setup", "close", "verdict"),
    [
        ("time.sleep(60)", "pass", "hung"),
        ("raise SystemExit(3)", "pass", "died"),
        ("raise KeyError('x')", "pass", "raised"),
        ("print('\\x1b[2J')", "pass", "failed"),
        ("pass", "raise KeyError('x')", "raised"),
    ],
    ids=["blocks its loop", "exits", "raises", "prints", "raises at the end"],
)
async def test_a_class_in_python_is_examined_in_a_process_of_its_own(
    setup: str, close: str, verdict: str, tmp_path: Path
) -> None:
    script = tmp_path / "bad.py"
    script.write_text(CLASS.format(setup=setup, close=close))
    report = await run(python(f"{script}:Bad", {}), VECTOR, patience_s=1.0)
    assert report.outcomes[0].verdict == verdict, report.outcomes[0].told


@pytest.mark.parametrize(
    "source", ["x = 1", "raise KeyError('x')", "def broken("], ids=["no class", "raises", "syntax"]
)
async def test_a_class_that_cannot_be_imported_is_red_and_says_why(source: str, tmp_path: Path) -> None:
    script = tmp_path / "bad.py"
    script.write_text(source)
    report = await run(python(f"{script}:Bad", {}), VECTOR, patience_s=5.0)
    assert report.outcomes[0].verdict == "died"
    assert "Error" in report.outcomes[0].told
