"""A tool that a skill names waits for it: before it is loaded, and again after, it is neither offered nor callable."""

from typing import Any

import orjson
import pytest
from tests.workers import BOSS, HAND, Script, Works, ask, mark, spawn

from licet.agents import Event, ManifestAgent, Scene
from licet.agents.work.waiting import Answer
from licet.agents.workflow import replay
from licet.agents.workflow.pinned_skills import Pin, pins_of
from licet.agents.workflow.standing import told
from licet.errors import CapabilityViolation
from licet.intrinsics.skills import Skill, SkillHead
from licet.model.call import Request
from licet.testing import RecordingLedger

HELD = {
    "notes": Skill("notes", "Writes notes", "sha256:" + "1" * 64, "Write.", ("local/mark",)),
    "style": Skill("style", "Style", "sha256:" + "2" * 64, "Style.", ("local/mark", "local/load_skill")),
    "plain": Skill("plain", "Plain", "sha256:" + "3" * 64, "Plain."),
}


class Notes:
    """Two skills that name ``mark``, and one that names nothing."""

    def listed(self) -> tuple[SkillHead, ...]:
        return tuple(SkillHead(name, skill.description, tools=skill.tools) for name, skill in HELD.items())

    def read(self, name: str, /) -> Skill:
        return HELD[name]


PINS = pins_of(Notes())


def load(name: str = "notes") -> Request:
    return Request("load_skill", {"name": name})


def unload(name: str = "notes") -> Request:
    return Request("unload_skill", {"name": name})


def skilled(ledger: RecordingLedger, *boss: Any, **more: Any) -> Works:
    scripts = {"boss": Script(*boss), **more.pop("scripts", {})}
    return Works(ledger, scripts, skills=Notes(), **more)


def refused(ledger: RecordingLedger) -> list[tuple[str, str]]:
    """Tool and code of each refused call."""
    bodies = [orjson.loads(entry.body) for entry in ledger.entries() if entry.kind == "tool.refused"]
    return [(body["tool"], body["code"]) for body in bodies]


async def test_a_tool_that_a_skill_names_is_offered_and_called_exactly_while_it_is_loaded(
    ledger: RecordingLedger,
) -> None:
    works = skilled(ledger, [mark("early")], [load()], [mark("then")], [unload()], [mark("late")], "done")
    await works.play(skills=PINS)
    boss = works.scripts["boss"]
    assert ["mark" in names for names in boss.surfaces] == [False, False, True, True, False, False]
    assert works.marks == ["then"]
    assert refused(ledger) == [("local/mark", "not_granted")] * 2
    assert told(boss.read[0])["wait_for_a_skill"] == ["mark"]


async def test_within_a_turn_the_surface_stands_still(ledger: RecordingLedger) -> None:
    works = skilled(ledger, [load(), mark("same turn")], [mark("next")], "done")
    await works.play(skills=PINS)
    assert works.marks == ["next"]


async def test_a_tool_of_two_skills_stays_until_neither_is_loaded(ledger: RecordingLedger) -> None:
    works = skilled(ledger, [load(), load("style")], [unload()], [mark("one is left")], [unload("style")], "done")
    await works.play(skills=PINS)
    assert works.marks == ["one is left"]
    assert "mark" not in works.scripts["boss"].surfaces[-1]


async def test_loading_a_skill_that_names_nothing_brings_nothing(ledger: RecordingLedger) -> None:
    works = skilled(ledger, [load("plain")], [mark("no")], "done")
    await works.play(skills=PINS)
    assert works.marks == []


async def test_a_skill_grants_nothing(ledger: RecordingLedger) -> None:
    boss = BOSS.replace("tools: [mark]\n", "")
    works = skilled(ledger, [load()], [mark("no")], "done", manifests={"boss": boss})
    await works.play(skills=PINS)
    assert works.marks == []
    assert refused(ledger) == [("local/mark", "not_granted")]


async def test_an_intrinsic_waits_for_no_skill(ledger: RecordingLedger) -> None:
    works = skilled(ledger, "done")
    await works.play(skills=PINS)
    assert "load_skill" in works.scripts["boss"].surfaces[0]


async def test_who_can_load_no_skill_waits_for_none(ledger: RecordingLedger) -> None:
    boss = BOSS.replace("groups: [intrinsics]", "groups: []").replace("[mark]", "[mark, create_plan]")
    works = skilled(ledger, [mark("plainly")], "done", manifests={"boss": boss})
    await works.play(skills=PINS)
    assert works.marks == ["plainly"]


@pytest.mark.parametrize("grant", ["tools: [mark]", "globs: ['mar*']"])
async def test_however_a_tool_was_granted_it_waits(ledger: RecordingLedger, grant: str) -> None:
    works = skilled(ledger, [mark("early")], "done", manifests={"boss": BOSS.replace("tools: [mark]", grant)})
    await works.play(skills=PINS)
    assert works.marks == []


async def test_everybody_in_the_run_waits(ledger: RecordingLedger) -> None:
    seen: list[str] = []

    async def other(agent: ManifestAgent, scene: Scene, /) -> list[Event]:
        try:
            await agent.call_tool_async("mark", what="other")
        except CapabilityViolation:
            seen.append("refused")
        assert ("mark" in await agent.prompt(scene)) is not bool(seen and seen[-1] == "refused")
        return []

    manifests = {"other": "name: other\nhandler: other\ntools: [mark]\nmodel: script\n", "boss": BOSS}
    works = skilled(
        ledger,
        [load()],
        "done",
        scripts={"other": Script()},
        manifests=manifests,
        cast=["other", "boss"],
        max_turns=2,
        handlers={"other": other},
    )
    await works.play(skills=PINS)
    assert (seen, works.marks) == (["refused"], [])


# --- handlers that are not workers ---


async def test_a_generic_agent_is_offered_what_a_skill_brought_in_the_same_turn(ledger: RecordingLedger) -> None:
    boss = BOSS.replace("handler: worker\n", "")
    works = skilled(ledger, [load()], [mark("then")], "done", manifests={"boss": boss})
    await works.play(skills=PINS)
    assert works.marks == ["then"]
    assert ["mark" in names for names in works.scripts["boss"].surfaces] == [False, True, True]


async def test_loading_and_unloading_without_end_ends(ledger: RecordingLedger) -> None:
    boss = BOSS.replace("handler: worker\n", "")
    works = skilled(ledger, *([load()], [unload()]) * 30, manifests={"boss": boss})
    await works.play(skills=PINS)
    assert len(works.scripts["boss"].read) == 16


# --- sub-agents ---


async def test_a_sub_agent_may_not_ask_for_what_waits_at_its_parent(ledger: RecordingLedger) -> None:
    works = skilled(ledger, [spawn()], "a pity", scripts={"hand": Script([mark("b")])})
    await works.play(skills=PINS)
    (part,) = told(works.scripts["boss"].read[-1])["subtasks"]
    assert part["result"] == "skills: 'mark' waits for a skill that its parent has not loaded"
    assert works.marks == []


async def test_a_sub_agent_holds_what_its_parent_has_loaded(ledger: RecordingLedger) -> None:
    works = skilled(ledger, [load()], [spawn()], "well", scripts={"hand": Script([mark("b")], "done")})
    await works.play(skills=PINS)
    assert works.marks == ["b"]


async def test_a_sub_agent_loads_no_skill_of_its_own(ledger: RecordingLedger) -> None:
    hand = HAND.replace("tools: [mark]\n", "")
    scripts = {"hand": Script([load()], [mark("b")], "done")}
    works = skilled(ledger, [spawn()], "well", scripts=scripts, manifests={"boss": BOSS, "hand": hand})
    await works.play(skills=PINS)
    assert works.marks == []


# --- the ledger ---


async def test_what_is_loaded_and_what_waits_is_replayed_to_the_same_digest(ledger: RecordingLedger) -> None:
    works = skilled(ledger, [load()], [mark("a")], "done")
    await works.play(skills=PINS)
    found = replay(ledger.entries("run-1"))
    assert found is not None
    assert found.compared == 1
    assert (found.state.behind, found.state.waiting) == (("local/mark",), frozenset())
    assert found.state.skills[0].tools == ("local/mark",)
    begun = next(orjson.loads(entry.body) for entry in ledger.entries() if entry.kind == "workflow.begun")
    assert begun["behind"] == ["local/mark"]


async def test_a_run_without_skills_says_nothing_of_them(ledger: RecordingLedger) -> None:
    await skilled(ledger, [mark("a")], "done").play(skills={"plain": Pin("sha256:" + "3" * 64)})
    found = replay(ledger.entries("run-1"))
    assert found is not None
    assert "behind" not in found.state.document()


@pytest.mark.parametrize("before", [[], [load()]])
async def test_a_run_goes_on_with_what_it_had_loaded(ledger: RecordingLedger, before: list[Request]) -> None:
    first = [[*before, ask()]] if before else [[ask()]]
    works = skilled(ledger, *first)
    await works.play(skills=PINS)
    works.scripts["boss"] = boss = Script([mark("later")], "done")  # type: ignore[index]
    await works.resume(Answer("operator", "yes"))
    assert works.marks == (["later"] if before else [])
    assert ("mark" in boss.surfaces[0]) is bool(before)
