"""Undoing a run of another process: from its entries and what is kept beside the ledger, and from nothing else."""

import os
import stat
from pathlib import Path
from typing import Any

import pytest

from desk import RUN, Desk
from licet import GrantSet, PathPolicy, Principal, Runtime, tool
from licet.bundles.files import tools
from licet.errors import RollbackError
from licet.ledger.call import fields_of
from licet.model.context import CallContext
from licet.runtime.rollback import Returned, RolledBack


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


# --- whole ---


async def test_every_file_is_again_what_it_was_before_the_run(desk: Desk) -> None:
    (desk.root / "old").write_text("0")
    (desk.root / "old").chmod(0o640)
    (desk.root / "empty").write_text("")
    before = desk.tree()
    await desk.run(
        ("write", {"path": "old", "content": "1"}),
        ("read", {"path": "old"}),
        ("edit", {"path": "old", "edits": [{"old_text": "1", "new_text": "2"}]}),
        ("write", {"path": "empty", "content": "full"}),
        ("write", {"path": "a/b/new", "content": "new"}),
        ("write", {"path": "a/c", "content": "new"}),
        ("write", {"path": "a/b/new", "content": "newer"}),
    )
    (desk.root / "old").chmod(0o600)
    done = desk.rollback()
    assert desk.tree() == before
    assert stat.S_IMODE((desk.root / "old").stat().st_mode) == 0o640
    assert [Path(file.path).name for file in done.files] == ["new", "c", "empty", "old"], "newest first"
    assert [file.existed for file in done.files] == [False, False, True, True]
    assert len(done.calls) == 6
    assert done.left == {"read": 1}
    assert list(desk.root.rglob("*.tmp")) == []


async def test_the_act_is_on_the_ledger_by_the_person_with_its_calls(desk: Desk) -> None:
    await desk.write(a="1", b="2")
    done = desk.rollback(at_us=5)
    begun, entry = desk.entries()[-2:]
    assert (begun.kind, entry.kind, begun.actor, entry.actor) == (
        "run.rollback_begun",
        "run.rolled_back",
        "operator",
        "operator",
    )
    calls = [fields_of(e.body)["call"] for e in desk.entries("tool.requested")]
    assert fields_of(entry.body) == fields_of(begun.body) == {"calls": calls[::-1]}
    assert fields_of(entry.trace) == {"at_us": 5}
    assert done == RolledBack(
        RUN,
        tuple(calls[::-1]),
        (Returned(str(desk.root / "b"), False), Returned(str(desk.root / "a"), False)),
        entry,
        {},
    )


async def test_doing_it_again_changes_nothing_and_names_the_entry(desk: Desk) -> None:
    await desk.write(a="1")
    first = desk.rollback()
    (desk.root / "a").write_text("mine")
    entries = len(desk.entries())
    again = desk.rollback()
    assert (again.calls, again.files, again.entry) == ((), (), first.entry)
    assert (desk.root / "a").read_text() == "mine"
    assert len(desk.entries()) == entries


async def test_a_run_that_goes_on_is_rolled_back_from_where_it_was_left(desk: Desk) -> None:
    (desk.root / "a").write_text("0")
    await desk.write(a="1")
    desk.rollback()
    await desk.write(a="2", b="2")
    assert len(desk.rollback().calls) == 2
    assert desk.tree() == {"a": "0"}


async def test_a_run_of_several_processes_is_one_run(desk: Desk) -> None:
    (desk.root / "a").write_text("0")
    for text in "123":
        await desk.write(a=text)
    assert len(desk.rollback().calls) == 3
    assert desk.tree() == {"a": "0"}


async def test_only_this_run_is_undone(desk: Desk) -> None:
    await desk.write(a="1")
    await desk.run(("write", {"path": "b", "content": "2"}), run="run-2")
    desk.rollback()
    assert desk.tree() == {"b": "2"}


async def test_a_run_that_wrote_nothing_has_nothing_to_undo(desk: Desk) -> None:
    (desk.root / "a").write_text("0")
    await desk.run(("read", {"path": "a"}))
    entries = len(desk.entries())
    done = desk.rollback()
    assert (done.calls, done.entry, done.left) == ((), None, {"read": 1})
    assert len(desk.entries()) == entries


async def test_names_that_are_no_text_are_undone_too(desk: Desk, tmp_path: Path) -> None:
    odd = os.fsdecode(b"od\xff d")
    (desk.root / odd).mkdir()
    (desk.root / odd / "file").write_text("0")
    (desk.root / "way").symlink_to(odd)
    await desk.run(("write", {"path": "way/file", "content": "1"}), ("write", {"path": "way/new", "content": "1"}))
    desk.rollback()
    assert (desk.root / odd / "file").read_text() == "0"
    assert not (desk.root / odd / "new").exists()


async def test_a_run_that_may_go_everywhere_is_undone_where_it_went(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "anywhere").write_text("0")
    await desk.run(
        ("write", {"path": str(tmp_path / "anywhere"), "content": "1"}),
        ("write", {"path": str(desk.root / ".git" / "hooks" / "x"), "content": "1"}),
        paths=PathPolicy.danger_full_access(),
        mode="danger_full_access",
    )
    desk.rollback()
    assert (tmp_path / "anywhere").read_text() == "0"
    assert desk.tree() == {}


async def test_several_roots_are_one_run(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "second").mkdir()
    (tmp_path / "link").symlink_to("second")
    await desk.run(
        ("write", {"path": "a", "content": "1"}),
        ("write", {"path": str(tmp_path / "link" / "b"), "content": "1"}),
        paths=PathPolicy.allowed_roots(desk.root, tmp_path / "link"),
    )
    desk.rollback()
    assert desk.tree() == {}
    assert list((tmp_path / "second").iterdir()) == []


# --- where it may reach ---


async def test_a_rollback_touches_only_what_its_operator_names(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "second").mkdir()
    await desk.run(
        ("write", {"path": "a", "content": "1"}),
        ("write", {"path": str(tmp_path / "second" / "b"), "content": "1"}),
        paths=PathPolicy.allowed_roots(desk.root, tmp_path / "second"),
    )
    with desk.refused("1 of 2 files"):
        desk.rollback(roots=[str(desk.root)])
    assert (tmp_path / "second" / "b").exists()
    assert len(desk.rollback(roots=[str(tmp_path)]).files) == 2


async def test_a_link_that_was_put_on_the_way_leads_nowhere(desk: Desk, tmp_path: Path) -> None:
    """The folder that the run wrote in was replaced by a link to another, in which the same file stands."""
    for folder in (desk.root / "in", desk.root / "other", tmp_path / "outside"):
        folder.mkdir()
        (folder / "a").write_text("0")
    await desk.run(("write", {"path": "in/a", "content": "1"}))
    (desk.root / "in").rename(tmp_path / "moved")
    for where in (desk.root / "other", tmp_path / "outside"):
        (where / "a").write_text("1")
        (desk.root / "in").symlink_to(where)
        with pytest.raises(RollbackError, match="unreadable"):
            desk.rollback()
        (desk.root / "in").unlink()
        assert (where / "a").read_text() == "1"


async def test_no_tool_of_a_run_opens_what_is_kept(desk: Desk) -> None:
    """The ledger lies inside the project here: what it keeps is evidence all the same."""
    desk.path = desk.root / "ledger.db"
    (desk.root / "a").write_text("secret")
    await desk.write(a="1")
    blob = next((desk.root / "ledger.db.blobs").iterdir()).relative_to(desk.root)
    who = Principal(
        "agent", grants=[GrantSet.full()], mode="workspace_write", paths=PathPolicy.current_project(desk.root)
    )
    async with Runtime(tools(), ledger=desk.path) as runtime:
        for name, arguments in (
            ("read", {"path": str(blob)}),
            ("write", {"path": str(blob), "content": "x"}),
            ("write", {"path": "ledger.db.blobs/new", "content": "x"}),
            ("ls", {"path": "ledger.db.blobs"}),
        ):
            result = await runtime.call(who, name, arguments)
            assert (result.success, result.reason, result.effect) == (False, "path_protected", "none"), name
        found = await runtime.call(who, "grep", {"pattern": "secret"})
        assert "secret" not in str(found.unwrap()["matches"] if "matches" in found.output else found.output)


async def test_the_token_holds_no_content(desk: Desk) -> None:
    (desk.root / "a").write_text("the old secret")
    await desk.write(a="the new one")
    (entry,) = desk.entries("tool.checkpointed")
    assert b"secret" not in entry.body
    token = fields_of(entry.body)["token"]
    assert (token["path"], token["existed"], token["file"]) == ("a", True, str(desk.root / "a"))
    assert token["blob"] == token["digest"]
    assert token["after"].startswith("sha256:")


# --- tools of yours ---


def keep(arguments: dict[str, Any], context: CallContext) -> dict[str, Any]:
    return context.workspace.journal.checkpoint(arguments["path"])


def put_back(token: Any, context: CallContext) -> None:
    context.workspace.journal.restore(token)


@tool(writes=True, paths=["path"], checkpoint=keep, restore=put_back)
def note(context: CallContext, path: str, text: str) -> dict[str, Any]:
    """Says what it wrote, as the file tools do."""
    written = context.workspace.write_bytes(path, text.encode())
    return {"path": written.shown, "digest": written.digest}


@tool(writes=True, paths=["path"], checkpoint=keep, restore=put_back)
def mute(path: str) -> dict[str, Any]:
    """Does not even ask for the context that its checkpoint gets; writes nothing."""
    return {}


async def test_a_tool_of_yours_that_keeps_a_file_and_says_what_it_wrote_is_undone(desk: Desk) -> None:
    (desk.root / "notes").write_text("0")
    await desk.run(*(("note", {"path": "notes", "text": text}) for text in "12"), more=[note])
    desk.rollback()
    assert desk.tree() == {"notes": "0"}


async def test_a_tool_that_does_not_say_what_it_wrote_is_undone_only_if_it_wrote_nothing(desk: Desk) -> None:
    (desk.root / "notes").write_text("0")
    await desk.run(("mute", {"path": "notes"}), more=[mute])
    (desk.root / "notes").write_text("who knows")
    with desk.refused("not as the run left them"):
        desk.rollback()
    (desk.root / "notes").write_text("0")
    assert desk.rollback().files == ()
