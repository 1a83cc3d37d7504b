"""Sizes that pages name: changing one is a decision, and never a slip."""

from licet.workspace import journal, kept, openat2, reads, undo, walk, workspace


def test_limits_of_the_workspace_are_these() -> None:
    assert workspace.MAX_FILE_BYTES == journal.MAX_KEPT_BYTES == 67_108_864
    assert (walk.MAX_LINKS, walk.MAX_PATH_BYTES) == (40, 4095)
    assert (journal._MAX_NAMED, undo.MAX_NAMED, reads._MAX_FILES) == (20, 20, 100_000)
    assert kept._ID_LENGTH == len(kept.new_id()) == 32
    assert openat2._ATTEMPTS == workspace._ATTEMPTS == 8
