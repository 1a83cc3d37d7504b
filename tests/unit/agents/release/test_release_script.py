"""The scripts of release notes: what they make of a history, and under which headings changes stand."""

from types import SimpleNamespace
from typing import Any

import pytest

from licet.agents.release.history import from_git_log, from_log, next_versions, tags_of, unreleased, version_of
from licet.agents.release.notes import Notes, headings, markdown, page, sorted_under
from licet.agents.release.writer import write_notes
from licet.intrinsics.surfaces import validate

A, B, C = ("a" * 40, "b" * 40, "c" * 40)
LOG = "".join(
    f"{before} {after} A <a@b.example> 1 +0000\t{said}\n"
    for before, after, said in (
        ("0" * 40, A, "commit (initial): Add spam"),
        (A, B, "commit: Fix: the eggs"),
        (B, B, "checkout: moving from main to other"),
        (B, C, "commit (amend): Remove ham"),
    )
)
STYLE = "# Headings\n\n- Added: add, adds\n- Fixed: fix\n- Left out: test\n- Changed\n"


def test_gits_own_log_gives_the_subjects_after_the_newest_tag() -> None:
    assert from_log(LOG, {A: "v1"}) == ("v1", ("Fix: the eggs", "Remove ham"))
    assert from_log(LOG, {}) == ("", ("Add spam", "Fix: the eggs", "Remove ham"))
    assert from_log("no log\n\x00", {A: "v1"}) == ("", ())


def test_what_a_git_server_tells_gives_the_same() -> None:
    told = f"Commit history:\nCommit: '{C}'\nAuthor: A\nMessage: 'Remove ham'\n\nCommit: {B}\nMessage: Fix: the eggs\n"
    told += f"\nCommit: {A}\nMessage: Add spam\n"
    assert from_git_log(told, {A: "v1"}) == from_log(LOG, {A: "v1"})


def test_tags_are_found_whether_they_are_files_packed_or_have_a_message() -> None:
    packed = f"# pack-refs with: peeled\n{B} refs/heads/main\n{B} refs/tags/v2\n^{C}\n"
    assert tags_of({"v1": f"{A}\n"}, packed) == {A: "v1", B: "v2", C: "v2"}


def test_a_changelog_tells_what_is_unreleased_and_a_manifest_its_version() -> None:
    assert unreleased("# Log\n## Unreleased\n- one\n* two\n## 1.0.0\n- old\n") == ("one", "two")
    assert version_of(["", '"version": "2.1.0",']) == "2.1.0"
    assert version_of(["versions = 3"]) == ""


@pytest.mark.parametrize(
    ("current", "after"),
    [("1.2.3", ("1.2.4", "1.3.0", "2.0.0")), ("v0.9", ("0.9.1", "0.10.0", "1.0.0")), ("", ("0.1.0", "1.0.0"))],
)
def test_what_may_come_next(current: str, after: tuple[str, ...]) -> None:
    assert next_versions(current) == after


def test_changes_stand_under_the_headings_of_the_style_and_some_nowhere() -> None:
    found = sorted_under(headings(STYLE), ["Adds ham", "fix(core): eggs", "test: more", "Rename spam", "Adds ham"])
    assert found == {"Added": ("Adds ham",), "Fixed": ("fix(core): eggs",), "Changed": ("Rename spam",)}
    assert sorted_under({}, ["anything"]) == {"Changes": ("anything",)}


def test_the_page_is_of_the_protocol_and_says_what_the_text_says() -> None:
    notes = Notes("1.3.0", "v1.2.0", {"Added": ("Adds <ham>",)}, "nothing is left")
    validate(page(notes))
    assert "# Release 1.3.0\n\n1 change since v1.2.0.\n\n## Added\n\n- Adds <ham>\n" in markdown(notes)


def answered(success: bool = True, **output: Any) -> Any:
    return SimpleNamespace(success=success, output=output)


def test_a_granted_log_of_a_git_server_is_asked_and_the_files_stand_in_for_it() -> None:
    stands = {"plan": [{"step": "look", "output": None}], "participants": []}
    asking = write_notes(stands, frozenset({"mcp/server1.git_log"}))
    next(asking)
    asking.send((answered(entries=[{"name": ".git"}]),))
    asking.send((answered(entries=[{"name": "logs"}]),))
    asking.send((answered(paths=[]),))
    (log,) = asking.send((answered(text=LOG),))
    assert (log.tool, log.arguments) == ("mcp/server1.git_log", {"repo_path": ".", "max_count": 100})
    (done,) = asking.send((answered(success=False),))
    assert "Remove ham" in done.arguments["output"]
