"""An agent at work: it asks and pauses, its sub-tasks are done by agents of their own, who hold no more than it."""

import orjson
import pytest
from tests.workers import BOSS, HAND, Script, Works, ask, mark, spawn

from licet.agents.workflow import replay
from licet.agents.workflow.standing import told
from licet.testing import RecordingLedger


def events(ledger: RecordingLedger, kind: str) -> list[dict[str, object]]:
    return [orjson.loads(entry.body) for entry in ledger.entries() if entry.kind == kind]


async def test_what_a_model_says_last_is_the_result_of_the_task_and_the_agents_event(ledger: RecordingLedger) -> None:
    works = Works(ledger, {"boss": Script([mark("a")], "all done")})
    outcome = await works.play()
    assert (outcome.events, works.marks) == (1, ["a"])
    assert events(ledger, "chore.done") == [{"standing": "done", "text": "all done"}]
    found = replay(ledger.entries("run-1"))
    assert found is not None
    assert (found.state.tasks[0].standing, found.state.tasks[0].result) == ("done", "all done")


async def test_a_question_pauses_the_run_and_nothing_leaves_it(ledger: RecordingLedger) -> None:
    boss = Script([mark("a"), ask()], "never said")
    outcome = await Works(ledger, {"boss": boss}).play()
    assert (outcome.events, outcome.failed, len(boss.turns)) == (0, (), 1)
    found = replay(ledger.entries("run-1"))
    assert found is not None
    assert found.state.tasks[0].standing == "input_required"


async def test_a_sub_task_has_a_run_of_its_own_and_its_result_is_data_in_the_parents_next_turn(
    ledger: RecordingLedger,
) -> None:
    boss, hand = Script([spawn()], "thanks"), Script([mark("b")], "the part, [and] <<data")
    works = Works(ledger, {"boss": boss, "hand": hand})
    await works.play()
    (run,) = {entry.run_id for entry in ledger.entries() if entry.actor == "hand"}
    assert run.startswith("run-")
    assert run != "run-1"
    assert works.marks == ["b"]
    assert told(boss.read[-1])["subtasks"] == [
        {"name": "part", "result": "the part, [and] <<data", "standing": "done", "step": None}
    ]
    assert "<<data" not in boss.last.partition("<<data")[2].replace("\\u003c", ""), "one block, and none forged in it"
    assert "TASK\npart: a part\n- there" in hand.last


async def test_a_sub_task_of_nobody_is_done_by_another_of_the_same_agent(ledger: RecordingLedger) -> None:
    boss = Script([spawn(None)], "the part", "the whole")
    await Works(ledger, {"boss": boss}).play()
    assert [event["text"] for event in events(ledger, "chore.done")] == ["the part", "the whole"]
    parts = {entry.run_id for entry in ledger.entries() if entry.kind == "chore.done"}
    assert len(parts) == 2, "each on the run of who said it"


async def test_sub_tasks_nest_four_deep_and_the_fifth_is_refused(ledger: RecordingLedger) -> None:
    boss = Script(*[[spawn(None)]] * 5, *["done"] * 5)
    works = Works(ledger, {"boss": boss})
    await works.play()
    assert len({entry.run_id for entry in ledger.entries() if entry.kind == "workflow.begun"}) == 5
    assert [body["reason"] for body in events(ledger, "tool.failed")] == ["too_deep"]


@pytest.mark.parametrize(
    ("hand", "dimension"),
    [
        (HAND + "mode: danger_full_access\n", "mode"),
        (HAND.replace("[mark]", "[mark, read]"), "grants"),
        (HAND + "may_emit: [other.said]\n", "may_emit"),
        (HAND + "max_calls: 1000\n", "calls"),
        (HAND + "mode: workspace_write\nroots: [/]\n", "roots"),
    ],
)
async def test_a_sub_agent_that_asks_for_more_than_its_parent_does_nothing(
    ledger: RecordingLedger, hand: str, dimension: str
) -> None:
    boss = Script([spawn()], "a pity")
    works = Works(ledger, {"boss": boss, "hand": Script([mark("b")])}, manifests={"boss": BOSS, "hand": hand})
    await works.play()
    (part,) = told(boss.read[-1])["subtasks"]
    assert part["standing"] == "failed"
    assert part["result"].startswith(f"{dimension}: ")
    assert works.marks == []
    assert not [entry for entry in ledger.entries() if entry.actor == "hand"]


async def test_an_agent_that_there_is_not_fails_its_sub_task_alone(ledger: RecordingLedger) -> None:
    from licet.errors import ConfigurationError

    boss = Script([spawn("nobody")], "a pity")
    works = Works(ledger, {"boss": boss})
    known = works.manifest

    def manifest(name: str) -> object:
        if name == "nobody":
            raise ConfigurationError("there is no agent 'nobody'")
        return known(name)

    works.manifest = manifest  # type: ignore[method-assign, assignment]
    await works.play()
    (part,) = told(boss.read[-1])["subtasks"]
    assert (part["standing"], part["result"]) == ("failed", "there is no agent 'nobody'")


async def test_rules_of_a_parent_judge_the_calls_of_its_sub_agents(ledger: RecordingLedger) -> None:
    boss = BOSS.replace("[mark]", "[{mark: {/what: {one_of: [a]}}}]")
    works = Works(
        ledger,
        {"boss": Script([spawn()], "well"), "hand": Script([mark("b"), mark("a")], "tried")},
        manifests={"boss": boss, "hand": HAND},
    )
    await works.play()
    assert works.marks == ["a"]
    assert [body["code"] for body in events(ledger, "tool.refused")] == ["rule_forbids"]


async def test_the_calls_of_a_sub_agent_are_its_parents_too(ledger: RecordingLedger) -> None:
    boss = BOSS + "max_calls: 4\n"
    marks = [mark(str(number)) for number in range(9)]
    works = Works(
        ledger,
        {"boss": Script([spawn()], [mark("x")], "well"), "hand": Script(marks, "tried")},
        manifests={"boss": boss, "hand": HAND},
    )
    await works.play()
    assert works.marks == ["0", "1", "2"]


async def test_an_agent_without_an_end_fails_its_task(ledger: RecordingLedger) -> None:
    works = Works(ledger, {"boss": Script(*[[mark(str(number))] for number in range(40)], *[[]] * 40)})
    await works.play()
    found = replay(ledger.entries("run-1"))
    assert found is not None
    assert found.state.tasks[0].standing in ("failed", "done")
