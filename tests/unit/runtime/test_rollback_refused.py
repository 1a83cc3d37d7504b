"""A rollback that is refused changes nothing; one that fails half-way goes on when it is done again."""

import os
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from desk import RUN, Desk
from licet import tool
from licet.errors import ConfigurationError, LedgerUnavailableError, RollbackError, ToolFailedError
from licet.ledger.call import fields_of
from licet.ledger.memory import MemoryLedger
from licet.ledger.sqlite import SqliteLedger
from licet.model.entry import Draft
from licet.runtime.rollback import rollback
from licet.workspace.undo import Undo


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


# --- or not at all ---


@pytest.mark.parametrize("change", ["changed", "gone", "folder", "link", "linked twice", "moved away"])
async def test_one_file_that_something_else_changed_refuses_the_whole_run(desk: Desk, change: str) -> None:
    for name in "abc":
        (desk.root / name).write_text("0")
    await desk.write(a="1", b="1", c="1")
    file = desk.root / "b"
    if change == "changed":
        file.write_text("mine")
    elif change == "linked twice":
        os.link(file, desk.root / "other")
    elif change == "moved away":
        (desk.root / "elsewhere").mkdir()
        file.rename(desk.root / "elsewhere" / "b")
    else:
        file.unlink()
    if change == "folder":
        file.mkdir()
    elif change == "link":
        (desk.root / "target").write_text("1")
        file.symlink_to("target")
    with desk.refused(r"1 of 3 files are not as the run left them: '[^']*/b'"):
        desk.rollback()


async def test_a_change_between_two_writes_of_the_run_is_not_undone_either(desk: Desk) -> None:
    (desk.root / "a").write_text("0")
    await desk.write(a="1")
    (desk.root / "a").write_text("mine")
    await desk.write(a="2")
    with desk.refused("not as the run left them"):
        desk.rollback()


async def test_a_file_that_somebody_put_back_by_hand_was_changed_too(desk: Desk) -> None:
    (desk.root / "a").write_text("0")
    await desk.write(a="1")
    (desk.root / "a").write_text("0")
    with desk.refused("not as the run left them"):
        desk.rollback()


async def test_a_later_run_has_to_be_undone_first(desk: Desk) -> None:
    (desk.root / "a").write_text("0")
    await desk.write(a="1")
    await desk.run(("write", {"path": "a", "content": "2"}), run="run-2")
    with desk.refused("not as the run left them"):
        desk.rollback()
    desk.rollback("run-2")
    desk.rollback()
    assert desk.tree() == {"a": "0"}


@pytest.mark.parametrize("what", ["gone", "damaged", "all gone"])
async def test_nothing_is_undone_if_one_content_is_not_kept_any_more(desk: Desk, what: str) -> None:
    (desk.root / "a").write_text("zero")
    (desk.root / "b").write_text("null")
    await desk.write(a="1", b="1", c="1")
    for blob in sorted(desk.blobs.iterdir()):
        if blob.read_text() == "zero" or what == "all gone":
            blob.unlink()
            if what == "damaged":
                blob.write_text("Zero")
    with desk.refused("cannot be put back"):
        desk.rollback()


async def test_a_call_without_an_end_is_looked_at_first(desk: Desk) -> None:
    (desk.root / "a").write_text("0")
    await desk.write(a="1")
    with closing(SqliteLedger(desk.path)) as ledger:
        requested = desk.entries("tool.requested")[0]
        body = requested.body.replace(fields_of(requested.body)["call"].encode(), b"c9")
        ledger.append(Draft(RUN, requested.kind, requested.actor, body, requested.trace), durable=False)
    with desk.refused("c9 has no end.*settle"):
        desk.rollback()


async def test_what_only_a_tool_itself_can_undo_refuses_the_whole_run(desk: Desk) -> None:
    @tool(writes=True, checkpoint=lambda arguments, context: {"row": 1}, restore=lambda token, context: None)
    def insert() -> dict[str, int]:
        return {"row": 1}

    await desk.run(("write", {"path": "a", "content": "1"}), ("insert", {}), more=[insert])
    with desk.refused(r"only its own tool can undo .* \(insert\)"):
        desk.rollback()


@pytest.mark.parametrize(
    "token",
    [
        {"kind": "file"},
        {"kind": "file", "file": "a", "root": "/", "id": "0" * 32, "path": "a", "mode": 0, "folders": 0},
        [],
        "text",
        0,
        False,
    ],
)
async def test_a_token_that_only_looks_like_one_of_a_file_undoes_nothing(desk: Desk, token: Any) -> None:
    @tool(writes=True, checkpoint=lambda arguments, context: token, restore=lambda token, context: None)
    def odd() -> dict[str, int]:
        return {}

    await desk.run(("odd", {}), more=[odd])
    with desk.refused("only its own tool"):
        desk.rollback()


# --- a disk that fails, a process that dies ---


@pytest.mark.parametrize("call", ["open", "fsync", "fchmod"])
async def test_a_disk_that_is_full_while_it_makes_ready_undoes_nothing(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    for name in "ab":
        (desk.root / name).write_text("0")
    await desk.write(a="1", b="1")
    real, staged = getattr(os, call), []

    def full(*arguments: Any, **options: Any) -> Any:
        on_stage = str(arguments[0]).endswith(".tmp") or call != "open"
        if on_stage and (staged or call == "fchmod"):
            raise OSError(28, "No space left on device")
        if on_stage:
            staged.append(arguments)
        return real(*arguments, **options)

    with closing(SqliteLedger(desk.path)) as ledger:
        before, entries = desk.tree(), len(desk.entries())
        monkeypatch.setattr(os, call, full)
        with pytest.raises(RollbackError, match=r"nothing was undone.*cannot be put back: .*the disk is full"):
            rollback(ledger, RUN, "operator")
        monkeypatch.undo()
    assert desk.tree() == before
    assert len(desk.entries()) == entries
    assert len(desk.rollback().files) == 2


async def test_a_folder_that_may_not_be_written_undoes_nothing(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    (desk.root / "a").write_text("0")
    await desk.write(a="1", b="1")
    monkeypatch.setattr("licet.workspace.target.Target.may_be_changed", False)
    with desk.refused("may not be written"):
        desk.rollback()


async def test_nothing_is_undone_without_a_ledger(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    (desk.root / "a").write_text("0")
    await desk.write(a="1")

    def broken(*_: Any, **__: Any) -> None:
        raise LedgerUnavailableError("the disk failed")

    with closing(SqliteLedger(desk.path)) as ledger:
        monkeypatch.setattr(ledger, "append", broken)
        with pytest.raises(LedgerUnavailableError):
            rollback(ledger, RUN, "operator")
    assert desk.tree() == {"a": "1"}


@pytest.mark.parametrize("after", [0, 1, 2, 3])
async def test_a_rollback_that_stopped_half_way_goes_on_when_it_is_done_again(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    for name in "ab":
        (desk.root / name).write_text("0")
    await desk.run(*(("write", {"path": path, "content": "1"}) for path in ("a", "b", "d/c")))
    put_back, done = Undo._put_back, []

    def failing(undo: Undo, one: Any) -> None:
        if len(done) == after:
            raise ToolFailedError("the disk failed")
        put_back(undo, one)
        done.append(one)

    monkeypatch.setattr(Undo, "_put_back", failing)
    if after < 3:
        with pytest.raises(RollbackError, match=f"stopped after {after} of 3 files") as stopped:
            desk.rollback()
        assert stopped.value.reason == "stopped"
        assert [entry.kind for entry in desk.entries()][-1] == "run.rollback_begun"
    monkeypatch.setattr(Undo, "_put_back", put_back)
    desk.rollback()
    assert desk.tree() == {"a": "0", "b": "0"}
    assert [entry.kind for entry in desk.entries()][-1] == "run.rolled_back"
    assert len(desk.entries("run.rolled_back")) == 1


async def test_what_changed_while_a_rollback_lay_half_done_is_found(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in "ab":
        (desk.root / name).write_text("0")
    await desk.write(a="1", b="1")
    monkeypatch.setattr(Undo, "_remove_folders", lambda undo: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        desk.rollback()
    monkeypatch.undo()
    (desk.root / "b").write_text("mine")
    with desk.refused("1 of 2 files"):
        desk.rollback()


async def test_a_file_that_changes_between_the_look_and_the_act_is_left_alone(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    (desk.root / "a").write_text("0")
    await desk.write(a="1", b="1")
    prepare = Undo.prepare

    def raced(undo: Undo) -> bool:
        found = prepare(undo)
        (desk.root / "a").write_text("mine")
        return found

    monkeypatch.setattr(Undo, "prepare", raced)
    with pytest.raises(RollbackError, match=r"stopped after 1 of 2 files, at '.*/a'"):
        desk.rollback()
    assert desk.tree() == {"a": "mine"}
    assert list(desk.root.rglob(".*")) == []


async def test_what_was_made_ready_and_then_changed_is_not_used(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    (desk.root / "a").write_text("0")
    await desk.write(a="1")
    prepare = Undo.prepare

    def raced(undo: Undo) -> bool:
        found = prepare(undo)
        (staged,) = desk.root.glob(".*.tmp")
        staged.write_text("not what was kept")
        return found

    monkeypatch.setattr(Undo, "prepare", raced)
    with pytest.raises(RollbackError, match="stopped after 0 of 1"):
        desk.rollback()
    assert desk.tree() == {"a": "1"}


# --- bad input ---


async def test_what_is_no_run_or_no_file_is_refused(desk: Desk) -> None:
    await desk.write(a="1")
    with pytest.raises(ConfigurationError, match="no run 'run-9'"):
        desk.rollback("run-9")
    with pytest.raises(ConfigurationError, match="in a file"):
        rollback(MemoryLedger(), RUN, "operator")
    with closing(SqliteLedger(desk.path)) as ledger, pytest.raises(ConfigurationError, match="who they are"):
        rollback(ledger, RUN, "  ")
