"""The terminal approver in a runtime: the person sees all of a call, and a call waits for the person."""

import asyncio
import os
import pty
import threading
from collections.abc import Iterator

import pytest

from doubles import holder, until
from licet import Runtime, ToolCapability
from licet.approvals.terminal import TerminalApprover
from licet.ports import ApprovalRequest
from licet.runtime.limits import Limits
from licet.testing import fake_tool

REQUEST = ApprovalRequest(
    call_id="c", run_id="r", principal="alice\x1b[2J", mode="workspace_write", tool="rm\u202e", pin="sha256:0",
    description="Removes <all>\n", arguments='{"path":"\u202eetc\x07"}', reasons=("it is unsafe", "and\nmore"),
    expires_s=5.0,
)  # fmt: skip


class Person:
    """Sits at a terminal: what was shown can be read, and lines can be typed."""

    def __init__(self) -> None:
        self.master, self.slave = pty.openpty()
        self.device = os.ttyname(self.slave)
        self.shown = b""
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        while True:
            try:
                data = os.read(self.master, 65_536)
            except OSError:
                return
            self.shown += data

    def types(self, text: str) -> None:
        os.write(self.master, text.encode())


@pytest.fixture
def person() -> Iterator[Person]:
    sitting = Person()
    yield sitting
    os.close(sitting.slave)
    os.close(sitting.master)


async def asked(person: Person, answer: str, request: ApprovalRequest = REQUEST) -> bool:
    approver = TerminalApprover(person.device)
    asking = asyncio.create_task(approver.approve(request))
    await until(lambda: b"Type yes" in person.shown)
    person.types(answer)
    return await asking


async def test_arguments_longer_than_a_terminal_takes_at_once_are_shown_to_the_end(person: Person) -> None:
    long = REQUEST._replace(arguments='{"x":"' + "a" * 200_000 + 'END"}')
    assert await asked(person, "yes\n", long)
    assert b"END" in person.shown


async def test_a_call_runs_when_the_person_says_so_and_not_when_they_are_silent(person: Person) -> None:
    for answer, limits, code in (("yes\n", Limits(), None), ("", Limits(approval_s=0.05), "approval_expired")):
        tool, transport = fake_tool("t", capabilities=ToolCapability(unsafe=True))
        person.shown = b""
        async with Runtime([tool], approver=TerminalApprover(person.device), limits=limits) as runtime:
            call = asyncio.create_task(runtime.call(holder("t"), "t", {"n": 1}))
            await until(lambda: b"Type yes" in person.shown)
            person.types(answer)
            assert (await call).code == code
            person.types("\n")  # whoever still asks goes home
        assert len(transport.calls) == (code is None)
