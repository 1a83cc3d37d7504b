"""The person at the controlling terminal reads everything, and only their word ``yes`` is a yes."""

import asyncio
import os
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from doubles import until
from licet.approvals.terminal import TerminalApprover, question
from licet.ports import ApprovalRequest

PROMPT = b"Type yes to run exactly this, anything else to refuse: "


def request(**fields: Any) -> ApprovalRequest:
    facts: dict[str, Any] = {
        "call_id": "c1",
        "run_id": "r1",
        "principal": "alice",
        "mode": "workspace_write",
        "tool": "launch",
        "pin": "sha256:abc",
        "description": "Starts the rocket.",
        "arguments": '{"to":"moon"}',
        "reasons": ("it is declared unsafe", "the operator asks"),
        "expires_s": 300.0,
    }
    return ApprovalRequest(**{**facts, **fields})


class Person:
    """The other end of a terminal."""

    def __init__(self) -> None:
        self.end, self.line = os.openpty()
        self.device = os.ttyname(self.line)
        os.set_blocking(self.end, False)
        self.seen = b""

    def types(self, text: bytes) -> None:
        os.write(self.end, text)

    def has_read(self) -> bytes:
        """All that was on the screen up to now."""
        with suppress(BlockingIOError):
            self.seen += os.read(self.end, 65536)
        return self.seen

    def was_asked(self, times: int = 1) -> bool:
        return self.has_read().count(PROMPT) == times


@pytest.fixture
def person() -> Iterator[Person]:
    someone = Person()
    yield someone
    os.close(someone.end)
    os.close(someone.line)


async def answered(person: Person, text: bytes) -> bool:
    asking = asyncio.ensure_future(TerminalApprover(person.device).approve(request()))
    await until(person.was_asked)
    person.types(text)
    return await asking


async def test_yes_is_a_yes(person: Person) -> None:
    assert await answered(person, b"yes\n") is True
    assert await answered_again(person, b"  yes \n") is True


async def answered_again(person: Person, text: bytes) -> bool:
    person.seen = b""
    return await answered(person, text)


@pytest.mark.parametrize("text", [b"\n", b"no\n", b"y\n", b"YES\n", b"yes please\n", b"yesyes\n", b"\x04", b"y es\n"])
async def test_everything_else_is_a_no(person: Person, text: bytes) -> None:
    assert await answered(person, text) is False


async def test_a_yes_at_the_end_of_a_long_line_is_a_no(person: Person) -> None:
    assert await answered(person, b" " * 62 + b"yes\n") is False
    assert await answered_again(person, b" " * 61 + b"yes\n") is True


async def test_what_was_typed_before_the_question_is_no_answer_to_it(person: Person) -> None:
    person.types(b"yes\nyes\n")
    assert await answered(person, b"no\n") is False
    assert await answered_again(person, b" " * 64 + b"yes\n") is False
    assert await answered_again(person, b"no\n") is False


async def test_nobody_is_asked_about_a_second_call_before_the_first_is_answered(person: Person) -> None:
    approver = TerminalApprover(person.device)
    both = [asyncio.ensure_future(approver.approve(request(tool=tool))) for tool in ("launch", "land")]
    await until(person.was_asked)
    for _ in range(100):
        await asyncio.sleep(0)
    assert person.was_asked()
    person.types(b"yes\n")
    await until(lambda: person.was_asked(2))
    person.types(b"no\n")
    assert sorted(await asyncio.gather(*both)) == [False, True]


async def test_the_loop_goes_on_while_a_person_reads(person: Person) -> None:
    asking = asyncio.ensure_future(TerminalApprover(person.device).approve(request()))
    await until(person.was_asked)
    waiting = [thread for thread in threading.enumerate() if thread.name == "licet-terminal"]
    assert [thread.daemon for thread in waiting] == [True]  # it never holds exit
    assert not asking.done()
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    person.types(b"yes\n")  # late: to nobody
    await asyncio.to_thread(waiting[0].join)
    await asyncio.sleep(0)


def test_a_person_who_answers_after_the_loop_has_ended_disturbs_nobody(person: Person) -> None:
    async def asked_and_left() -> None:
        asking = asyncio.ensure_future(TerminalApprover(person.device).approve(request()))
        assert not asking.done()
        await until(person.was_asked)

    asyncio.run(asked_and_left())
    (waiting,) = (thread for thread in threading.enumerate() if thread.name == "licet-terminal")
    person.types(b"yes\n")
    waiting.join()  # a traceback in it would be a warning, and so an error


async def test_without_a_terminal_the_answer_is_no(tmp_path: Path) -> None:
    file = tmp_path / "answers"
    file.write_bytes(b"yes\n" * 9)
    for device in (str(tmp_path / "none"), str(tmp_path), str(file), os.devnull):
        assert await TerminalApprover(device).approve(request()) is False
    assert file.read_bytes() == b"yes\n" * 9


async def test_a_terminal_that_goes_away_is_a_no() -> None:
    person = Person()
    asking = asyncio.ensure_future(TerminalApprover(person.device).approve(request()))
    await until(person.was_asked)
    os.close(person.line)
    os.close(person.end)
    assert await asking is False


async def test_the_terminal_does_not_become_the_controlling_one(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[tuple[str, int]] = []

    def open_(path: str, flags: int) -> int:
        opened.append((path, flags))
        raise OSError("no such device")

    monkeypatch.setattr(os, "open", open_)
    assert await TerminalApprover().approve(request()) is False
    assert opened == [("/dev/tty", os.O_RDWR | os.O_NOCTTY)]


def test_it_has_the_name_that_it_was_given() -> None:
    assert (TerminalApprover().name, TerminalApprover(name="duty officer").name) == ("terminal", "duty officer")


@pytest.mark.requirement("own.approval-binding")
def test_the_question_shows_every_fact_and_nothing_that_acts_on_a_terminal() -> None:
    told = question(request())
    for fact in ("alice", "launch", "workspace_write", "sha256:abc", "Starts the rocket.", '{"to":"moon"}'):
        assert fact in told
    assert "it is declared unsafe; the operator asks" in told
    nasty = "\x1b[2J\u202e\u200b\x07\r"
    for field in ("principal", "tool", "description", "arguments"):
        shown = question(request(**{field: f"before{nasty}after"}))
        assert not any(character in shown for character in nasty if character not in "[2J")
        assert "before" in shown
        assert "after" in shown
    assert "\x1b" not in question(request(reasons=(nasty,)))
