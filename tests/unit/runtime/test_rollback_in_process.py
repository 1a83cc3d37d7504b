"""Undoing a run while its process lives; and what another process finds if that process dies meanwhile."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from desk import RUN, Desk
from licet import GrantSet, PathPolicy, Principal, Runtime
from licet.bundles.files import tools
from licet.errors import RollbackError
from licet.ledger.call import fields_of
from licet.runtime.run import Run
from licet.testing import RecordingLedger
from licet.workspace import journal
from licet.workspace.blobs import Blobs


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def holder(desk: Desk) -> Principal:
    paths = PathPolicy.current_project(desk.root)
    return Principal("agent", grants=[GrantSet.full()], mode="workspace_write", paths=paths)


async def write(run: Run, path: str, content: str) -> str:
    result = await run.call("write", {"path": path, "content": content})
    result.unwrap()
    return result.call_id


@pytest.mark.parametrize("on_disk", [True, False])
async def test_a_run_undoes_itself_and_says_so_before_and_after(
    desk: Desk, ledger: RecordingLedger, on_disk: bool
) -> None:
    (desk.root / "a").write_text("0")
    async with Runtime(tools(), ledger=desk.path if on_disk else ledger) as runtime:
        async with runtime.run(holder(desk), id=RUN) as run:
            calls = [await write(run, path, text) for path, text in (("a", "1"), ("d/b", "1"), ("a", "2"))]
            assert await run.rollback() == calls[::-1]
            assert await run.rollback() == []
        told = [(e.kind, fields_of(e.body)["calls"]) for e in runtime.ledger.entries(RUN) if e.kind.startswith("run.")]
    assert told == [("run.rollback_begun", calls[::-1]), ("run.rolled_back", calls[::-1])]
    assert desk.tree() == {"a": "0"}
    assert desk.blobs.exists() == on_disk


async def test_what_is_kept_on_disk_is_not_kept_in_memory_too(desk: Desk) -> None:
    (desk.root / "a").write_text("0")
    async with Runtime(tools(), ledger=desk.path) as runtime, runtime.run(holder(desk)) as run:
        await write(run, "a", "1")
        held = next(iter(run.workspace("danger_full_access").journal._held.values()))
        assert held.data is None
        assert Blobs(str(desk.blobs)).get(held.kept.blob or "") == b"0"


async def test_a_change_between_two_writes_refuses_the_run_as_a_whole(desk: Desk, ledger: RecordingLedger) -> None:
    """Undoing the second write would put back what somebody else wrote, and then the first could not be undone."""
    (desk.root / "a").write_text("0")
    async with Runtime(tools(), ledger=ledger) as runtime, runtime.run(holder(desk)) as run:
        await write(run, "b", "1")
        await write(run, "a", "1")
        (desk.root / "a").write_text("mine")
        await write(run, "a", "2")
        with pytest.raises(RollbackError, match="1 of the files"):
            await run.rollback()
    assert desk.tree() == {"a": "2", "b": "1"}
    assert not any(kind.startswith("run.") for kind in ledger.kinds)


async def test_a_file_that_got_a_second_name_refuses_the_run_as_a_whole(desk: Desk, ledger: RecordingLedger) -> None:
    async with Runtime(tools(), ledger=ledger) as runtime, runtime.run(holder(desk)) as run:
        await write(run, "a", "1")
        (desk.root / "b").hardlink_to(desk.root / "a")
        with pytest.raises(RollbackError, match="'a'"):
            await run.rollback()


@pytest.mark.parametrize("undone", [0, 1, 2, 3])
async def test_a_process_that_died_while_it_undid_its_run_is_finished_by_another(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, undone: int
) -> None:
    (desk.root / "a").write_text("0")
    put_back = journal.Journal._put_back
    done: list[Any] = []

    def killed(self: journal.Journal, held: Any) -> None:
        if len(done) == undone:
            raise SystemExit
        put_back(self, held)
        done.append(held)

    async def never_told(*_: Any) -> None:
        raise SystemExit

    runtime = Runtime(tools(), ledger=desk.path)
    run = runtime.begin(holder(desk), id=RUN)
    for path, text in (("a", "1"), ("a", "2"), ("d/b", "1")):
        await write(run, path, text)
    monkeypatch.setattr(journal.Journal, "_put_back", killed)
    monkeypatch.setattr(runtime._corridor, "rolled_back", never_told)
    with pytest.raises(SystemExit):
        await run.rollback()
    monkeypatch.undo()
    runtime.close()
    assert [e.kind for e in desk.entries()][-1] == "run.rollback_begun"
    assert len(desk.rollback().calls) == 3
    assert desk.tree() == {"a": "0"}


async def test_writes_after_a_rollback_that_was_never_finished_are_undone_with_it(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    (desk.root / "a").write_text("0")
    runtime = Runtime(tools(), ledger=desk.path)
    run = runtime.begin(holder(desk), id=RUN)
    await write(run, "a", "1")
    await write(run, "a", "2")

    async def killed(*_: Any) -> None:
        raise SystemExit

    monkeypatch.setattr(runtime._corridor, "rolled_back", killed)
    with pytest.raises(SystemExit):
        await run.rollback()
    runtime.close()
    assert desk.tree() == {"a": "0"}
    await desk.write(a="3")
    assert len(desk.rollback().calls) == 3
    assert desk.tree() == {"a": "0"}


async def test_a_write_whose_previous_content_cannot_be_kept_never_happens(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    (desk.root / "a").write_text("0")

    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Blobs, "put", full)
    async with Runtime(tools(), ledger=desk.path) as runtime, runtime.run(holder(desk), id=RUN) as run:
        result = await run.call("write", {"path": "a", "content": "1"})
        assert (result.code, result.reason) == ("tool_failed", "not_kept")
        assert str(desk.path) not in (result.error or "")
        assert "No space left" in (result.error or "")
    assert desk.tree() == {"a": "0"}
    assert [e.kind for e in desk.entries()][1:] == ["tool.requested", "tool.failed"]


async def test_what_one_run_keeps_on_disk_is_bounded(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal, "MAX_KEPT_BYTES", 10)
    for name in "ab":
        (desk.root / name).write_text("x" * 6)
    async with Runtime(tools(), ledger=desk.path) as runtime, runtime.run(holder(desk), id=RUN) as run:
        await write(run, "a", "1")
        result = await run.call("write", {"path": "b", "content": "1"})
        assert (result.code, result.reason) == ("tool_failed", "too_large")
        await write(run, "c", "a new file takes no room")
        await run.rollback()
        result = await run.call("write", {"path": "b", "content": "1"})
        assert result.reason == "too_large", "what is on disk stays there"
    assert [(file.stat().st_size) for file in desk.blobs.iterdir()] == [6]


async def test_checkpoints_do_not_hold_the_loop_up(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk that takes its time to sync holds up this call, and no other."""
    (desk.root / "a").write_text("0")
    loop, entered = asyncio.get_running_loop(), asyncio.Event()
    put, go_on = Blobs.put, asyncio.Event()

    def slow(blobs: Blobs, data: bytes) -> str:
        loop.call_soon_threadsafe(entered.set)
        asyncio.run_coroutine_threadsafe(go_on.wait(), loop).result()  # a deadlock, were this the loop's own thread
        return put(blobs, data)

    monkeypatch.setattr(Blobs, "put", slow)
    async with Runtime(tools(), ledger=desk.path) as runtime, runtime.run(holder(desk), id=RUN) as run:
        writing = asyncio.create_task(write(run, "a", "1"))
        await entered.wait()
        (await run.call("read", {"path": "a"})).unwrap()
        assert desk.tree() == {"a": "0"}, "nothing is written before it is kept"
        assert desk.entries("tool.checkpointed") == [], "nor told"
        go_on.set()
        await writing
    assert desk.tree() == {"a": "1"}
