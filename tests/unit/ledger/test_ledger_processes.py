"""Processes: killed while they write, writing together, forked, leaving without a word."""

import os
import random
import signal
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from chained import requested
from licet.errors import LedgerUnavailableError
from licet.ledger.sqlite import SqliteLedger
from licet.ledger.verify import verify_file

WRITER = Path(__file__).with_name("writes_until_killed.py")
ROOT = Path(__file__).parents[3]
SEES_CAMPAIGNS = {**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT), *sys.path))}
"""The control tells a lie of theirs."""


def killed_while_writing(path: Path, name: str, after: int, *how: str) -> set[str]:
    """Let a process write, kill it once it named ``after`` calls, and give the calls that were acknowledged to it."""
    command = [sys.executable, str(WRITER), str(path), name, *how]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=SEES_CAMPAIGNS) as writer:
        assert writer.stdout is not None
        said = [writer.stdout.readline() for _ in range(after)]
        writer.send_signal(signal.SIGKILL)
        said += writer.stdout.readlines()
    return {line.removesuffix("\n") for line in said if line.endswith("\n")}


def test_a_killed_writer_loses_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    path, chance, acknowledged = tmp_path / "ledger.db", random.Random(7), set[str]()
    for kill in range(30):
        acknowledged |= killed_while_writing(path, f"k{kill}", chance.randint(1, 100))
        found = verify_file(path)
        assert found.ok, found.problem
    assert len(acknowledged) > 600
    assert acknowledged - set(found.unknown) == set()
    assert found.count - len(acknowledged) <= 30 * 16, "no more than what was in flight, or said to nobody"


def test_a_ledger_that_acknowledges_too_early_is_found_out_by_the_same_kills(tmp_path: Path) -> None:
    path, chance, acknowledged = tmp_path / "ledger.db", random.Random(7), set[str]()
    SqliteLedger(path).close()
    for kill in range(4):
        acknowledged |= killed_while_writing(path, f"k{kill}", chance.randint(1, 100), "careless")
    assert acknowledged - set(verify_file(path).unknown) != set()


WRITE_AS_TOLD = """
import sys
from licet.ledger.sqlite import SqliteLedger
from licet.model.entry import Draft
name, number = sys.argv[2], 0
ledger = SqliteLedger(sys.argv[1])
for line in sys.stdin:
    for _ in range(int(line)):
        body = b'{"call":"%b.%d"}' % (name.encode(), number)
        receipt = ledger.append(Draft("run", "tool.requested", name, body, b"{}"), durable=number % 3 == 0)
        if receipt is not None:
            receipt.wait()
        number += 1
    assert ledger.find(f"{name}.{number - 1}").opened is not None
    print(number, flush=True)
ledger.close()
"""


def test_processes_share_a_file_and_one_chain(tmp_path: Path) -> None:
    path, names = tmp_path / "ledger.db", ("a", "b", "c")

    def begin(name: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-c", WRITE_AS_TOLD, str(path), name]
        return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def tell(writer: subprocess.Popen[str], entries: int) -> None:
        assert writer.stdin is not None
        print(entries, file=writer.stdin, flush=True)

    writers = [begin(name) for name in names]
    for _ in range(5):  # in turns: each goes on where another one ended
        for writer in writers:
            tell(writer, 1)
            assert writer.stdout is not None
            assert writer.stdout.readline()
    for writer in writers:  # and all at once
        tell(writer, 145)
    for writer in writers:
        writer.communicate()
    assert [writer.returncode for writer in writers] == [0, 0, 0]
    found = verify_file(path)
    assert (found.ok, found.count) == (True, 450)
    assert [call[0] for call in found.unknown[:15]] == ["a", "b", "c"] * 5
    for name in names:
        assert [call for call in found.unknown if call[0] == name] == [f"{name}.{number}" for number in range(150)]


LEAVE = """
import sys
from licet.ledger.sqlite import SqliteLedger
from licet.model.entry import Draft
ledger = SqliteLedger(sys.argv[1])
for number in range(500):
    ledger.append(Draft("run", "tool.requested", "x", b'{"call":"c%d"}' % number, b"{}"), durable=False)
{leave}
"""


@pytest.mark.parametrize("leave", ["", "sys.exit(0)", "raise SystemExit", "del ledger"])
def test_a_process_that_leaves_without_closing_writes_what_is_in_line(tmp_path: Path, leave: str) -> None:
    path = tmp_path / "ledger.db"
    code = LEAVE.replace("{leave}", leave)
    left = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True)
    assert (left.stdout, left.stderr) == ("", "")
    assert os.listdir(tmp_path) == ["ledger.db"]
    found = verify_file(path)
    assert (found.ok, found.count) == (True, 500)


FORK = """
import os, sys, warnings
warnings.simplefilter("ignore", DeprecationWarning)
from licet.errors import LedgerUnavailableError
from licet.ledger.sqlite import SqliteLedger
from licet.ledger.verify import verify_file
from licet.model.entry import Draft

path = sys.argv[1]
closed = SqliteLedger(path + ".closed")
closed.close()
ledger = SqliteLedger(path)
draft = Draft("run", "a.b", "x", b"{}", b"{}")
ledger.append(draft, durable=True).wait()

def refused(use):
    try:
        use()
    except LedgerUnavailableError as told:
        return "fork" in str(told)
    return False

child = os.fork()
if child == 0:
    uses = (
        lambda: ledger.append(draft, durable=False), lambda: ledger.append(draft, durable=True), lambda: ledger.head,
        lambda: ledger.find("c"), ledger.entries, ledger.runs, ledger.unknown, ledger.flush,
        lambda: SqliteLedger(path), lambda: verify_file(path),
    )
    wrong = [number for number, use in enumerate(uses) if not refused(use)]
    ledger.close()
    SqliteLedger(path + ".closed").close()  # nothing of it was open
    other = SqliteLedger(path + ".child")
    other.append(draft, durable=True).wait()
    print("wrong", wrong, flush=True)
    sys.exit(len(wrong))  # a whole end of the interpreter, with every finaliser: what must not close stays open

assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
for number in range(50):
    ledger.append(draft, durable=True).wait()
ledger.close()
"""


def test_the_child_of_a_fork_is_refused_and_does_no_harm(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    forked = subprocess.run([sys.executable, "-c", FORK, str(path)], capture_output=True, text=True, check=False)
    assert (forked.returncode, forked.stdout, forked.stderr) == (0, "wrong []\n", "")
    assert verify_file(path).count == 51
    assert verify_file(tmp_path / "ledger.db.child").count == 1


def test_another_process_reads_what_is_acknowledged_at_once(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    code = "import sys; from licet.ledger.verify import verify_file; print(verify_file(sys.argv[1]).count)"
    with closing(SqliteLedger(path)) as ledger:
        receipt = ledger.append(requested("c1"), durable=True)
        assert receipt is not None
        receipt.wait()
        read = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True)
    assert read.stdout == "1\n"
    with pytest.raises(LedgerUnavailableError):
        ledger.flush()
