"""Whatever is done in a workflow, its ledger leads to the same state, and no command escapes its task."""

import random
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from licet.agents.workflow import NotAppliedError, apply, begin, end, replay, reply
from licet.intrinsics import PAYLOADS, Skill, SkillHead
from licet.model.command import WorkflowCommand
from licet.model.workflow import State, Task
from licet.testing import RecordingLedger, fake_tool
from workflows import PEOPLE, ROOT, Desk

SEQUENCES = 1000
STEPS, WHO = ("a", "b", "c"), ("agent", "ada", "bob", "eve")
DIGESTS = ("sha256:" + "1" * 64, "sha256:" + "2" * 64)


def plan(chance: random.Random) -> dict[str, Any]:
    names = chance.sample(STEPS, chance.randint(1, 3))
    return {
        "steps": [
            {"name": name, "description": "d", "depends_on": chance.sample(STEPS, chance.choice((0, 0, 1)))}
            for name in names
        ]
    }


def task(chance: random.Random) -> dict[str, Any]:
    told: dict[str, Any] = {"name": "n", "goal": chance.choice(("g", "h")), "acceptance_criteria": []}
    return told | ({"step": chance.choice(STEPS)} if chance.random() < 0.3 else {})


def message(chance: random.Random) -> dict[str, Any]:
    surface = chance.choice(("s", "t"))
    return chance.choice(
        (
            {"version": "v0.9", "createSurface": {"surfaceId": surface, "catalogId": "c"}},
            {"version": "v0.9", "updateDataModel": {"surfaceId": surface, "value": {"token": "abc", "n": 1}}},
            {"version": "v0.9", "deleteSurface": {"surfaceId": surface}},
        )
    )


class TwoSkills:
    """Each names one tool, and both name another."""

    def listed(self) -> tuple[SkillHead, ...]:
        return tuple(SkillHead(name, "About it") for name in ("notes", "style"))

    def read(self, name: str, /) -> Skill:
        own = {"notes": "local/look", "style": "local/mark"}[name]
        return Skill(name, "About it", DIGESTS[0], "", (own, "local/both", "local/elsewhere"))


BEHIND = ("local/both", "local/look", "local/mark")
Draw = Callable[[random.Random], dict[str, Any]]
ARGUMENTS: dict[str, Draw] = {
    "create_plan": plan,
    "complete_step": lambda chance: {"step": chance.choice(STEPS), "output": chance.choice(("x", "y"))},
    "spawn_subtask": task,
    "ask_participant": lambda chance: {
        "participant_id": chance.choice(WHO),
        "question": "?",
        "options": chance.choice(([], ["x", "y"])),
    },
    "create_task_for_participant": lambda chance: task(chance) | {"participant_id": chance.choice(WHO)},
    "set_participant_role": lambda chance: {
        "participant_id": chance.choice(WHO),
        "role": chance.choice(("admin", "watcher")),
    },
    "load_skill": lambda chance: {"name": chance.choice(("notes", "style"))},
    "unload_skill": lambda chance: {"name": chance.choice(("notes", "style"))},
    "list_skills": lambda chance: {},
    "emit_ui": lambda chance: {"messages": [message(chance) for _ in range(chance.randint(1, 2))]},
}
TOOLS = [*ARGUMENTS, "create_plan", "complete_step", "complete_step"]
PAYLOAD: dict[str, Draw] = {
    "attach_plan": plan,
    "complete_step": ARGUMENTS["complete_step"],
    "spawn_subtask": task,
    "wait_for_reply": ARGUMENTS["ask_participant"],
    "create_participant_task": ARGUMENTS["create_task_for_participant"],
    "set_role": ARGUMENTS["set_participant_role"],
    "skill_loaded": lambda chance: {
        "name": "notes",
        "digest": chance.choice(DIGESTS),
        "instructions": "",
        "tools": chance.choice((["local/look"], ["local/look", "local/mark"], [])),
    },
    "skill_unloaded": ARGUMENTS["unload_skill"],
    "ui_emitted": ARGUMENTS["emit_ui"],
    "read": lambda chance: {},
}


async def work(desk: Desk, chance: random.Random) -> None:
    """A few turns of anything, with answers and ends in between."""
    for _ in range(chance.randint(1, 5)):
        tools = chance.choices(
            [*ARGUMENTS, "create_plan", "complete_step", "complete_step"], k=chance.randint(1, 3)
        ) * chance.choice((1, 1, 2))
        await desk.turn(*((tool, ARGUMENTS[tool](chance)) for tool in tools))
        state = desk.driver.state
        with suppress(NotAppliedError):
            for question in state.questions[-1:]:
                desk.driver.reply(question.nonce, chance.choice(WHO), "x")
            for task in state.tasks[2:3]:
                desk.driver.end(task.id, "done", chance.choice(("r", "s")))
        assert desk.driver.state.applied == state.applied, "these are no commands"


@pytest.mark.requirement("own.replay-dispatches-nothing")
@pytest.mark.parametrize("quarter", range(4))
async def test_a_thousand_random_runs_replay_to_the_same_state_and_digest(quarter: int) -> None:
    applied = missed = 0
    skills: set[str] = set()
    for seed in range(quarter, SEQUENCES, 4):
        ledger = RecordingLedger()
        root = Task(id=f"task-{seed}", name="n", goal="g")
        tools = [fake_tool(name.removeprefix("local/"), read_only=True)[0] for name in BEHIND]
        desk = Desk(ledger, "run-1", *tools, skills=TwoSkills())
        desk.begin(root, people=(replace(PEOPLE[0], role="admin"), *PEOPLE[1:]), behind=BEHIND)
        await work(desk, random.Random(seed))
        before = list(ledger.kinds)
        found = replay(ledger.entries("run-1"))
        assert found is not None
        assert found.state == desk.driver.state
        assert found.state.digest() == desk.driver.state.digest()
        loaded = {skill.name for skill in found.state.skills}
        waits = {"local/both"} if not loaded else set()
        waits |= {name for skill, name in (("notes", "local/look"), ("style", "local/mark")) if skill not in loaded}
        listed = {spec.name for spec in desk.runtime.tools_for(desk.run.principal)}
        assert set(BEHIND) - listed == waits == found.state.waiting, "what waits is not listed, and nothing else"
        skills |= loaded
        assert ledger.kinds == before, "a replay writes nothing and calls nothing"
        assert [task.id for task in found.state.tasks if not task.id.startswith(root.id)] == []
        applied += found.state.applied
        missed += ledger.kinds.count("workflow.refused")
        desk.runtime.close()
    assert applied > 100, "most of what is done has an effect"
    assert skills == {"notes", "style"}
    assert missed > 0, "and some of it does not fit what stands beside it"


def some_state(chance: random.Random) -> State:
    """A state that a few commands led to."""
    state = begin(ROOT, PEOPLE, BEHIND[: chance.randint(0, 3)])
    for number in range(chance.randint(0, 12)):
        state = tried(state, *some_command(chance, state), call=f"c{number}")
    return state


def some_command(chance: random.Random, state: State) -> tuple[WorkflowCommand, str, str]:
    kind = chance.choice(list(PAYLOAD))
    where = chance.choice([*(task.id for task in state.tasks), "task-2"])
    return WorkflowCommand(kind, PAYLOAD[kind](chance)), chance.choice(WHO), where


def tried(state: State, command: WorkflowCommand, actor: str, task: str, call: str) -> State:
    try:
        return apply(state, command, call=call, actor=actor, task=task)
    except NotAppliedError:
        return state


@settings(max_examples=1000, deadline=None)
@given(st.randoms(use_true_random=False))
def test_no_command_touches_a_task_beside_its_own(chance: random.Random) -> None:
    state = some_state(chance)
    command, actor, task = some_command(chance, state)
    before = state.digest()
    after = tried(state, command, actor, task, "the-call")
    assert state.digest() == before, "a state is a value"
    assert (after.behind, after.waiting <= set(state.behind)) == (state.behind, True)
    own = {known.id for known in after.tasks if known.id == task or known.id.startswith(f"{task}/")}
    assert [known for known in after.tasks if known.id not in own] == [
        known for known in state.tasks if known.id not in own
    ]
    assert {known.id for known in after.tasks} - {known.id for known in state.tasks} <= own
    assert [asked for asked in after.questions if asked.task not in own] == [
        asked for asked in state.questions if asked.task not in own
    ]
    if task != state.root:
        assert (after.participants, after.skills) == (state.participants, state.skills)
        assert [step.name for step in after.plan] == [step.name for step in state.plan]
    if task == "task-2":
        assert after == state, "a task of another workflow"


@settings(max_examples=300, deadline=None)
@given(st.randoms(use_true_random=False))
def test_a_command_applied_twice_under_its_call_is_applied_once(chance: random.Random) -> None:
    state = some_state(chance)
    command, actor, task = some_command(chance, state)
    once = tried(state, command, actor, task, "the-call")
    assert tried(once, command, actor, task, "the-call") == once


@settings(max_examples=300, deadline=None)
@given(st.randoms(use_true_random=False))
def test_application_follows_the_order_and_nothing_else(chance: random.Random) -> None:
    state = begin(ROOT, PEOPLE)
    commands = [(*some_command(chance, state), f"c{n}") for n in range(12)]
    states = [state]
    for command in commands:
        states.append(tried(states[-1], *command))
    again = state
    for command, reached in zip(commands, states[1:], strict=True):
        again = tried(again, *command)
        assert again == reached
    assert states[-1].applied == sum(1 for before, after in pairwise(states) if before != after)


json_like = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=500, deadline=None)
@given(
    st.sampled_from([*PAYLOADS, "shell", "", "workflow.ended"]) | st.text(),
    st.dictionaries(st.sampled_from(["steps", "step", "output", "name", "goal", "messages"]) | st.text(), json_like),
    st.text(),
    st.text(),
    st.text(),
)
def test_application_is_total(kind: str, payload: dict[str, Any], call: str, actor: str, task: str) -> None:
    state = begin(ROOT, PEOPLE)
    for where, who in ((ROOT.id, "agent"), (task, actor)):
        try:
            after = apply(state, WorkflowCommand(kind, payload), call=call, actor=who, task=where)
        except NotAppliedError as refused:
            assert refused.reason.isidentifier()  # noqa: PT017 - either end is good
            continue
        assert after.root == ROOT.id
    for doing in (lambda: reply(state, call, actor, task), lambda: end(state, task, kind, actor)):  # type: ignore[arg-type]
        with pytest.raises(NotAppliedError):
            doing()
    assert state == begin(ROOT, PEOPLE)
