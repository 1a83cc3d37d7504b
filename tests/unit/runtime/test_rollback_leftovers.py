"""What a rollback that crashed has left behind is in nobody's way; and what a file may be after the steps of a run."""

from pathlib import Path

import pytest

from desk import Desk
from licet.errors import RollbackError
from licet.ledger.call import fields_of
from licet.model.paths import PathPolicy
from licet.workspace.blobs import Blobs
from licet.workspace.content import digest_of
from licet.workspace.kept import Kept, Step, allowed
from licet.workspace.undo import Undo
from licet.workspace.workspace import Workspace


async def test_what_a_crashed_rollback_made_ready_is_replaced_and_taken_away(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    (desk.root / "old").write_text("0")
    await desk.write(old="1", new="1")
    tokens = [fields_of(entry.body)["token"] for entry in desk.entries("tool.checkpointed")]
    for token in tokens:
        (desk.root / f".{token['id']}.tmp").write_text("half of it")
    done = desk.rollback()
    assert len(done.calls) == len(tokens) == 2
    assert desk.tree() == {"old": "0"}


def before(digest: str | None) -> Kept:
    return Kept("0" * 32, "/r", "/r/file", "file", digest, 0o644, 0, None, None)


@pytest.mark.parametrize(
    ("steps", "may_be"),
    [
        ([Step(before("a"), True, "b")], {"b"}),
        ([Step(before("a"), False, "b")], {"a", "b"}),
        ([Step(before("a"), False, None)], {"a"}),
        ([Step(before("a"), True, "b", undoing=True)], {"a", "b"}),
        ([Step(before("a"), True, "b"), Step(before("b"), True, "c")], {"c"}),
        ([Step(before("a"), True, "b"), Step(before("x"), True, "c")], set()),
        ([Step(before(None), True, "b")], {"b"}),
    ],
)
def test_a_file_may_be_only_what_the_steps_made_of_it(steps: list[Step], may_be: set[str | None]) -> None:
    assert allowed(steps) == may_be


def test_content_under_another_digest_than_the_file_had_is_not_put_back(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    file = tmp_path / "project" / "file"
    file.write_text("now")
    blobs = Blobs(str(tmp_path / "blobs"))
    other = blobs.put(b"something else")
    kept = Kept("0" * 32, str(file.parent), str(file), "file", digest_of(b"before"), 0o644, 0, None, other)
    with Workspace(PathPolicy.current_project(file.parent)) as workspace:
        undo = Undo(workspace, blobs, [[Step(kept, True, digest_of(b"now"))]])
        with pytest.raises(RollbackError, match="nothing was undone"):
            undo.prepare()
    assert [path.name for path in file.parent.iterdir()] == ["file"]
    assert file.read_text() == "now"
