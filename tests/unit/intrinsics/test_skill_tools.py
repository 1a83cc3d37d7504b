"""Skills are listed, loaded as they are, and read only while they are what was loaded."""

from collections.abc import Sequence
from dataclasses import replace

from licet.errors import ToolFailedError
from licet.intrinsics import Skill, SkillHead
from licet.intrinsics.bounds import MOST_SKILLS
from licet.model.workflow import LoadedSkill
from workflows import STATE, Ask, View

DIGEST, OTHER = "sha256:" + "1" * 64, "sha256:" + "2" * 64
FILES = {
    ("scripts", "count.py"): b"print(1)\n",
    ("assets", "logo.png"): b"\x89PNG\x00\xff",
    ("references", "style.md"): "Straße".encode(),
    ("references", "zero.txt"): b"a\0b",
}


class Shelf:
    """One skill that works and one that does not."""

    digest = DIGEST

    def listed(self) -> Sequence[SkillHead]:
        return (
            SkillHead("broken", "", "SKILL.md:2: no name"),
            SkillHead("notes", "Writes notes", tools=("local/read",)),
        )

    def read(self, name: str, /) -> Skill:
        if name != "notes":
            raise ToolFailedError("no", reason="unknown_skill")
        return Skill("notes", "Writes notes", self.digest, "# Do it\n", ("local/grep",), FILES)


LOADED = replace(STATE, skills=(LoadedSkill(name="notes", digest=DIGEST),))


async def test_skills_are_listed_with_what_is_loaded_and_what_cannot_be_used(ask: Ask) -> None:
    for state, loaded in ((STATE, False), (LOADED, True)):
        result = await ask(View(state), "list_skills", skills=Shelf())
        assert result.output == {
            "command": "read",
            "skills": [{"name": "notes", "description": "Writes notes", "loaded": loaded, "tools": ["read"]}],
            "unusable": [{"name": "broken", "problem": "SKILL.md:2: no name"}],
        }


async def test_nobody_has_skills_that_were_not_handed_in(ask: Ask) -> None:
    assert (await ask(View(), "list_skills")).output == {"command": "read", "skills": [], "unusable": []}
    assert (await ask(View(), "load_skill", {"name": "notes"})).reason == "unknown_skill"


async def test_a_skill_is_loaded_with_its_digest_its_instructions_and_its_tools(ask: Ask) -> None:
    result = await ask(View(), "load_skill", {"name": "notes"}, skills=Shelf())
    told = {"name": "notes", "digest": DIGEST, "instructions": "# Do it\n", "tools": ["local/grep"]}
    assert result.output == {"command": "skill_loaded", **told}
    assert (await ask(View(LOADED), "load_skill", {"name": "notes"}, skills=Shelf())).output == result.output


async def test_a_skill_that_changed_is_read_no_more_until_it_is_loaded_anew(ask: Ask) -> None:
    shelf = Shelf()
    shelf.digest = OTHER
    resource = {"name": "notes", "kind": "scripts", "resource": "count.py"}
    assert (await ask(View(LOADED), "load_skill", {"name": "notes"}, skills=shelf)).reason == "skill_changed"
    assert (await ask(View(LOADED), "list_skill_resources", {"name": "notes"}, skills=shelf)).reason == "skill_changed"
    assert (await ask(View(LOADED), "load_skill_resource", resource, skills=shelf)).reason == "skill_changed"
    assert (await ask(View(LOADED), "unload_skill", {"name": "notes"}, skills=shelf)).success
    assert (await ask(View(), "load_skill", {"name": "notes"}, skills=shelf)).success


async def test_resources_are_read_of_a_loaded_skill_and_only_as_text(ask: Ask) -> None:
    listed = await ask(View(LOADED), "list_skill_resources", {"name": "notes"}, skills=Shelf())
    assert [(found["kind"], found["resource"], found["bytes"]) for found in listed.output["resources"]] == [
        ("assets", "logo.png", 6),
        ("references", "style.md", 7),
        ("references", "zero.txt", 3),
        ("scripts", "count.py", 9),
    ]
    read = {"name": "notes", "kind": "references", "resource": "style.md"}
    result = await ask(View(LOADED), "load_skill_resource", read, skills=Shelf())
    assert result.output == {"command": "read", **read, "text": "Straße"}
    for kind, name, reason in (
        ("assets", "logo.png", "binary_resource"),
        ("references", "zero.txt", "binary_resource"),
        ("scripts", "style.md", "unknown_resource"),
        ("references", "../SKILL.md", "unknown_resource"),
    ):
        refused = await ask(
            View(LOADED), "load_skill_resource", {"name": "notes", "kind": kind, "resource": name}, skills=Shelf()
        )
        assert refused.reason == reason
    for tool, arguments in (("list_skill_resources", {"name": "notes"}), ("load_skill_resource", read)):
        assert (await ask(View(), tool, arguments, skills=Shelf())).reason == "not_loaded"


async def test_only_a_skill_that_there_is_can_be_unloaded(ask: Ask) -> None:
    assert (await ask(View(), "unload_skill", {"name": "nowhere"}, skills=Shelf())).reason == "unknown_skill"
    assert (await ask(View(), "unload_skill", {"name": "notes"}, skills=Shelf())).success
    assert (await ask(View(LOADED), "unload_skill", {"name": "notes"})).success, "its folder may be gone"


async def test_only_so_many_skills_are_loaded_at_a_time(ask: Ask) -> None:
    full = replace(STATE, skills=tuple(LoadedSkill(name=f"s{n}", digest=DIGEST) for n in range(MOST_SKILLS)))
    assert (await ask(View(full), "load_skill", {"name": "notes"}, skills=Shelf())).reason == "too_many"


async def test_the_name_of_a_skill_is_no_path(ask: Ask) -> None:
    for name in ("../notes", "Notes", "a/b", ".", "", "a--b"):
        result = await ask(View(), "load_skill", {"name": name}, skills=Shelf())
        assert result.code == "invalid_arguments"
