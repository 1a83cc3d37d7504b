"""A run keeps the skills that it began with: what changed, came or went since is refused."""

from pathlib import Path

import pytest

from licet.agents.workflow import SkillFolders
from licet.agents.workflow.pinned_skills import Pin, PinnedSkills, behind, pins_of
from licet.errors import ToolFailedError


def skill(folder: Path, name: str, text: str = "Instructions.\n") -> Path:
    (folder / name / "references").mkdir(parents=True, exist_ok=True)
    (folder / name / "SKILL.md").write_text(f"---\nname: {name}\ndescription: About {name}\n---\n{text}")
    return folder / name


def digests(folders: SkillFolders) -> dict[str, str]:
    return {name: pin.digest for name, pin in pins_of(folders).items()}


def test_what_is_as_it_was_is_read(tmp_path: Path) -> None:
    skill(tmp_path, "one")
    (tmp_path / "bad").mkdir()
    folders = SkillFolders([tmp_path])
    pins = pins_of(folders)
    pinned = PinnedSkills(folders, digests(folders))
    assert list(pins) == ["one"], "what cannot be used has no pin"
    assert pinned.read("one").digest == pins["one"].digest
    assert [head.problem == "" for head in pinned.listed()] == [False, True]


@pytest.mark.parametrize("change", ["text", "resource", "new"])
def test_what_changed_or_came_since_is_refused_and_listed_with_that(tmp_path: Path, change: str) -> None:
    held = skill(tmp_path, "one")
    folders = SkillFolders([tmp_path])
    pinned = PinnedSkills(folders, {} if change == "new" else digests(folders))
    if change == "text":
        skill(tmp_path, "one", "Other instructions.\n")
    elif change == "resource":
        (held / "references" / "more.md").write_text("more")
    with pytest.raises(ToolFailedError, match="begin another run") as refused:
        pinned.read("one")
    assert refused.value.reason == "skill_changed"
    (head,) = pinned.listed()
    assert (head.name, head.description) == ("one", "")
    assert "changed since the run began" in head.problem


def test_what_went_since_is_no_skill(tmp_path: Path) -> None:
    held = skill(tmp_path, "one")
    folders = SkillFolders([tmp_path])
    pinned = PinnedSkills(folders, digests(folders))
    (held / "SKILL.md").unlink()
    (held / "references").rmdir()
    held.rmdir()
    with pytest.raises(ToolFailedError) as refused:
        pinned.read("one")
    assert refused.value.reason == "unknown_skill"
    assert pinned.listed() == []


def test_tools_that_skills_name_wait_for_them_and_intrinsics_for_none() -> None:
    pins = [Pin("sha256:1", ("local/read", "local/load_skill")), Pin("sha256:2", ("mcp/git.log", "local/read"))]
    assert behind(pins) == ("local/read", "mcp/git.log")
