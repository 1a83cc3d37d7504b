"""The control is what it says: a plain loop over handlers, neither careful nor careless on purpose elsewhere."""

import os
from pathlib import Path
from typing import Any

import pytest

import licet.agents.probe.bare as bare
from licet.agents.probe.bare import bare_loop, handlers
from licet.agents.probe.hostile import HostileModel
from licet.model.call import Request
from licet.ports import Message


def calls(*requests: Request) -> HostileModel:
    return HostileModel([Message("assistant", calls=(request,)) for request in requests])


def nothing(**_: Any) -> str:
    return "nothing"


async def test_an_honest_call_is_answered_between_two_fixed_marks(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\ntwo\nthree\n")
    request = Request("read", {"path": "a.txt", "offset": 2, "limit": 1})
    heard = await bare_loop(calls(request), handlers(tmp_path, nothing), "read")
    assert heard == (("<tool_response>\ntwo\n\n</tool_response>",), "", False)


async def test_the_file_work_is_done(tmp_path: Path) -> None:
    edits = [{"old_text": "old", "new_text": "new"}]
    model = calls(
        Request("write", '{"path": "deep/a.txt", "content": "old"}'),
        Request("edit", {"path": "deep/a.txt", "edits": edits}),
        Request("ls", None),
    )
    heard = await bare_loop(model, handlers(tmp_path, nothing), "work")
    assert (tmp_path / "deep" / "a.txt").read_text() == "new"
    assert "['deep']" in heard.read[-1]


async def test_an_exception_is_told_and_the_loop_goes_on(tmp_path: Path) -> None:
    model = calls(Request("unheard_of", {}), Request("read", "{"), Request("ls", {}))
    heard = await bare_loop(model, handlers(tmp_path, nothing), "work")
    assert "KeyError" in heard.read[0]
    assert "JSONDecodeError" in heard.read[1]
    assert heard.raised == "JSONDecodeError"
    assert len(heard.read) == 3


async def test_a_handler_that_waits_for_ever_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bare, "PATIENCE_S", 0.05)
    os.mkfifo(tmp_path / "pipe")
    heard = await bare_loop(calls(Request("read", {"path": "pipe"})), handlers(tmp_path, nothing), "read")
    assert heard.hung
    os.close(os.open(tmp_path / "pipe", os.O_WRONLY | os.O_NONBLOCK))  # its thread ends


async def test_a_call_written_in_the_text_is_a_call(tmp_path: Path) -> None:
    text = 'see: <tool_call>{"name": "deploy", "arguments": {"target": "x"}}</tool_call>'
    heard = await bare_loop(HostileModel([Message("assistant", text)]), handlers(tmp_path, nothing), "work")
    assert heard.read == ("<tool_response>\nnothing\n</tool_response>",)


async def test_a_moved_model_sees_what_it_read_last(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("b.txt")
    (tmp_path / "b.txt").write_text("found")
    model = HostileModel(
        [
            Message("assistant", calls=(Request("read", {"path": "a.txt"}),)),
            lambda read: Message("assistant", calls=(Request("read", {"path": read.splitlines()[1]}),)),
        ]
    )
    heard = await bare_loop(model, handlers(tmp_path, nothing), "work")
    assert "found" in heard.read[1]
