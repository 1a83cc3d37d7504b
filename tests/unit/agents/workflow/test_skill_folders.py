"""Skills from directories: read strictly, pinned whole, and never from outside their folder."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from licet.agents.workflow import SkillFolders
from licet.errors import ConfigurationError, ToolFailedError
from licet.intrinsics import Skill
from licet.testing import RecordingLedger
from workflows import Desk

HEAD = "---\nname: notes\ndescription: Writes release notes\ntools: [grep, mcp/git.log]\n---\n# How\n\nRead first.\n"


@pytest.fixture
def shelf(tmp_path: Path) -> Path:
    folder = tmp_path / "skills"
    (folder / "notes" / "references").mkdir(parents=True)
    (folder / "notes" / "SKILL.md").write_text(HEAD)
    (folder / "notes" / "references" / "style.md").write_text("Short words.")
    return folder


def notes(shelf: Path) -> Skill:
    return SkillFolders([shelf]).read("notes")


def problem(shelf: Path, name: str = "notes") -> str:
    """Why a skill cannot be used: the listing and the reader say the same."""
    (head,) = (head for head in SkillFolders([shelf]).listed() if head.name == name)
    with pytest.raises(ToolFailedError, check=lambda error: error.reason == "bad_skill") as caught:
        SkillFolders([shelf]).read(name)
    assert str(caught.value) == head.problem
    return head.problem


def test_a_skill_is_read_whole(shelf: Path) -> None:
    skill = notes(shelf)
    assert (skill.name, skill.description) == ("notes", "Writes release notes")
    assert skill.instructions == "# How\n\nRead first.\n"
    assert skill.tools == ("local/grep", "mcp/git.log")
    assert skill.resources == {("references", "style.md"): b"Short words."}
    assert [(head.name, head.description, head.problem) for head in SkillFolders([shelf]).listed()] == [
        ("notes", "Writes release notes", "")
    ]


def test_the_digest_covers_every_byte_and_every_name(shelf: Path) -> None:
    first, digests = notes(shelf).digest, set()
    style = shelf / "notes" / "references" / "style.md"
    for change in (
        lambda: style.write_text("Long words."),
        lambda: style.rename(style.with_name("tone.md")),
        lambda: (shelf / "notes" / "SKILL.md").write_text(HEAD + "More.\n"),
        lambda: (shelf / "notes" / "assets").mkdir() or (shelf / "notes" / "assets" / "a").write_text(""),
    ):
        change()
        digests.add(notes(shelf).digest)
    assert len(digests | {first}) == 5


def test_the_first_folder_that_has_a_skill_counts_and_names_can_be_withheld(shelf: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    (other / "notes").mkdir(parents=True)
    (other / "notes" / "SKILL.md").write_text(HEAD.replace("release", "other"))
    (other / "more").mkdir()
    (other / "more" / "SKILL.md").write_text(HEAD.replace("notes", "more", 1))
    both = SkillFolders([shelf, other])
    assert [(head.name, head.description) for head in both.listed()] == [
        ("more", "Writes release notes"),
        ("notes", "Writes release notes"),
    ]
    only = SkillFolders([shelf, other], only=frozenset({"more"}))
    assert [head.name for head in only.listed()] == ["more"]
    with pytest.raises(ToolFailedError, check=lambda error: error.reason == "unknown_skill"):
        only.read("notes")


FRONTS = [
    ("# no front matter\n", "SKILL.md:1: a skill begins with a line ---"),
    ("", "SKILL.md:1: a skill begins with a line ---"),
    ("---\nname: notes\n", "SKILL.md:1: the front matter has no end"),
    ("---\nname: notes\nname: notes\ndescription: d\n---\n", "SKILL.md:3: the key"),
    ("---\nname: &a notes\ndescription: *a\n---\n", "SKILL.md:2: "),
    ("---\nname: notes\ndescription: !!python/object d\n---\n", "SKILL.md:3: "),
    ("---\nname: notes\n---\n", "description: it is a text of 1 to 1024 characters"),
    ("---\nname: notes\ndescription: 7\n---\n", "SKILL.md:3: description: it is a text"),
    ("---\nname: other\ndescription: d\n---\n", "name: it is 'other', and its folder 'notes'"),
    ("---\nname: notes\ndescription: d\nrun: rm\n---\n", "SKILL.md:4: run: there is no such key"),
    ("---\nname: notes\ndescription: d\ntools: grep\n---\n", "SKILL.md:4: tools: it is a list"),
    ("---\nname: notes\ndescription: d\ntools: ['*']\n---\n", "SKILL.md:4: tools: '*' is not a tool's name"),
    ("---\n- name\n---\n", "name: it is a text of 1 to 64 characters"),
    ("---\n\n---\n", "SKILL.md:2: "),
]


@pytest.mark.parametrize(("text", "expected"), FRONTS)
def test_front_matter_is_strict_and_its_faults_have_a_line(text: str, expected: str, shelf: Path) -> None:
    (shelf / "notes" / "SKILL.md").write_text(text)
    assert f"notes/{expected}" in problem(shelf) or expected in problem(shelf)
    assert problem(shelf).startswith("notes/SKILL.md:")


def test_instructions_are_text(shelf: Path) -> None:
    (shelf / "notes" / "SKILL.md").write_bytes(HEAD.encode() + b"\xff")
    assert "no UTF-8" in problem(shelf)


def _linked_head(skill: Path, outside: Path) -> None:
    (skill / "SKILL.md").unlink()
    (skill / "SKILL.md").symlink_to(outside / "SKILL.md")


def _linked_folder(skill: Path, outside: Path) -> None:
    (skill / "assets").symlink_to(outside)


def _linked_file(skill: Path, outside: Path) -> None:
    (skill / "references" / "x").symlink_to(outside / "secret")


def _inner_link(skill: Path, outside: Path) -> None:
    (skill / "references" / "x").symlink_to("style.md")


def _hard_link(skill: Path, outside: Path) -> None:
    os.link(outside / "secret", skill / "references" / "x")


def _deeper(skill: Path, outside: Path) -> None:
    (skill / "scripts" / "sub").mkdir(parents=True)


def _pipe(skill: Path, outside: Path) -> None:
    os.mkfifo(skill / "references" / "x")


def _named_oddly(skill: Path, outside: Path) -> None:
    (skill / "references" / "a\nb").write_text("x")


def _hidden(skill: Path, outside: Path) -> None:
    (skill / "references" / ".hidden").write_text("x")


def _file_for_folder(skill: Path, outside: Path) -> None:
    (skill / "scripts").write_text("x")


def _large(skill: Path, outside: Path) -> None:
    (skill / "references" / "x").write_bytes(b"x" * (1 << 20) + b"x")


def _many(skill: Path, outside: Path) -> None:
    for number in range(129):
        (skill / "references" / str(number)).write_text("")


def _no_head(skill: Path, outside: Path) -> None:
    (skill / "SKILL.md").unlink()


OUTSIDE = [
    _linked_head, _linked_folder, _linked_file, _inner_link, _hard_link, _deeper, _pipe, _named_oddly, _hidden,
    _file_for_folder, _large, _many, _no_head,
]  # fmt: skip


@pytest.mark.parametrize("spoil", OUTSIDE, ids=lambda spoil: spoil.__name__.strip("_"))
def test_what_is_not_a_plain_file_one_level_inside_makes_the_skill_unusable(
    spoil: Callable[[Path, Path], None], shelf: Path, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret").write_text("hunter2")
    (outside / "SKILL.md").write_text(HEAD)
    spoil(shelf / "notes", outside)
    assert problem(shelf).startswith("notes/")
    assert "hunter2" not in problem(shelf)
    assert "\n" not in problem(shelf)


def test_a_skill_as_large_as_it_may_be_is_read(shelf: Path) -> None:
    for number in range(127):
        (shelf / "notes" / "references" / str(number)).write_text("")
    (shelf / "notes" / "references" / "style.md").write_bytes(b"x" * (1 << 20))
    assert len(notes(shelf).resources) == 128
    (shelf / "notes" / "scripts").mkdir()
    (shelf / "notes" / "scripts" / "one").write_text("")
    assert "at most 128 resources" in problem(shelf)


def test_a_skill_that_is_a_link_itself_is_unusable(shelf: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "SKILL.md").write_text(HEAD.replace("notes", "linked"))
    (shelf / "linked").symlink_to(tmp_path / "elsewhere")
    assert "link" in problem(shelf, "linked")
    assert [head.name for head in SkillFolders([shelf]).listed() if not head.problem] == ["notes"]


def test_what_stands_beside_the_three_folders_is_no_part_of_a_skill(shelf: Path) -> None:
    digest = notes(shelf).digest
    (shelf / "notes" / "more").mkdir()
    (shelf / "notes" / "LICENSE").write_text("x")
    (shelf / "README.md").write_text("x")
    (shelf / ".git").mkdir()
    assert notes(shelf).digest == digest
    assert [head.name for head in SkillFolders([shelf]).listed()] == ["notes"]


def test_skills_that_the_agent_could_write_are_refused(shelf: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(shelf)
    for writable in (tmp_path, shelf, shelf / "notes", tmp_path / "link"):
        with pytest.raises(ConfigurationError, match="may write there"):
            SkillFolders([shelf], writable=[writable])
    assert SkillFolders([shelf], writable=[tmp_path / "other"]).listed()
    with pytest.raises(ConfigurationError, match="no such folder"):
        SkillFolders([tmp_path / "nowhere"])


async def test_a_skill_is_pinned_from_its_loading_on(shelf: Path, ledger: RecordingLedger) -> None:
    desk = Desk(ledger, skills=SkillFolders([shelf])).begin()
    (result,) = await desk.turn(("load_skill", {"name": "notes"}))
    assert result.output["instructions"] == "# How\n\nRead first.\n"
    assert [skill.name for skill in desk.driver.state.skills] == ["notes"]
    style = ("load_skill_resource", {"name": "notes", "kind": "references", "resource": "style.md"})
    (read,) = await desk.turn(style)
    assert read.output["text"] == "Short words."
    (shelf / "notes" / "references" / "style.md").write_text("Do as I say.")
    (changed,) = await desk.turn(style)
    assert (changed.success, changed.reason) == (False, "skill_changed")
    await desk.turn(("unload_skill", {"name": "notes"}))
    assert desk.driver.state.skills == ()
    assert desk.replayed().state == desk.driver.state
