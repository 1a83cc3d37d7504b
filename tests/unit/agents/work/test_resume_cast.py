"""A run goes on with its whole cast: in its order, with what is left, as if nothing had come between."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import orjson
import pytest
from tests.workers import BOSS, WEEK_S, Script, Works, ask, mark

from licet.agents import Event, ManifestAgent, Scene
from licet.agents.scenario.journal import OPENED, Journal
from licet.agents.work.waiting import Answer
from licet.agents.workflow import NotAppliedError
from licet.errors import ConfigurationError, ProviderError
from licet.ledger.sqlite import SqliteLedger
from licet.ledger.verify import verify_file
from licet.ports import Message

YES = Answer("operator", "this", by="ada")
SECRET = b"sixteen bytes or more"
SCRIBE = "name: scribe\nhandler: scribe\ntools: [mark]\nmay_emit: [scribe.wrote]\nmodel: script\n"
CRITIC = "name: critic\nhandler: scribe\nsubscribes_to: [chore.done]\nmay_emit: [critic.said]\nmodel: script\n"
MANIFESTS = {"boss": BOSS, "scribe": SCRIBE, "critic": CRITIC}
CAST = ("scribe", "boss", "critic")


class GoneError(Exception):
    """The process is gone."""


class Scribe:
    """A handler that tells what it was told. ``dies`` is the turn in which its process ends, after a call if any."""

    def __init__(self, dies: int = 0, *, calls: bool = False) -> None:
        self.dies = dies
        self.calls = calls
        self.scenes: list[tuple[str, Scene]] = []

    async def __call__(self, agent: ManifestAgent, scene: Scene, /) -> list[Event]:
        self.scenes.append((agent.name, scene))
        if self.calls:
            await agent.call_tool_async("mark", what=f"{agent.name} {scene.turn}")
        if scene.turn == self.dies:
            raise GoneError
        return [Event(agent.manifest.may_emit[0], {"heard": len(scene.events), "turn": scene.turn})]


def works_on(path: Path, *turns: Any, scribe: Scribe | None = None, **options: Any) -> Works:
    given = {"manifests": MANIFESTS, "cast": CAST, "max_turns": 6, **options}
    handlers = {"scribe": scribe or Scribe()}
    scripts: dict[str, Script] = {"boss": Script(*turns), "scribe": Script(), "critic": Script()}
    return Works(SqliteLedger(path), scripts, handlers=handlers, **given)


def story(works: Works) -> list[tuple[str, str, Any]]:
    """The events of the run, and whose they are."""
    kinds = {"chore.done", "scribe.wrote", "critic.said"}
    return [(e.kind, e.actor, orjson.loads(e.body)) for e in works.ledger.entries() if e.kind in kinds]


def bodies(works: Works, kind: str) -> list[Any]:
    return [orjson.loads(entry.body) for entry in works.ledger.entries() if entry.kind == kind]


async def test_the_paused_turn_goes_on_and_then_it_is_whose_turn_it_is(tmp_path: Path) -> None:
    works = works_on(tmp_path / "a.db", [ask("Which?", "this")])
    paused = await works.play()
    assert (paused.stop, paused.turns, story(works)) == (
        "input_required",
        2,
        [("scribe.wrote", "scribe", {"heard": 1, "turn": 1})],
    )
    works.ledger.close()
    scribe = Scribe()
    later = works_on(tmp_path / "a.db", "done", scribe=scribe, clock_s=10**9 + WEEK_S)
    done = await later.resume(YES)
    assert (done.outcome.stop, done.outcome.turns, done.outcome.events) == ("max_turns", 6, 5)
    assert [(kind, actor, body.get("turn")) for kind, actor, body in story(later)] == [
        ("scribe.wrote", "scribe", 1),
        ("chore.done", "boss", None),  # turn 2, begun a week ago
        ("critic.said", "critic", 3),
        ("scribe.wrote", "scribe", 4),
        ("scribe.wrote", "scribe", 6),  # turn 5 is the boss's, whose work is over
    ]
    assert [event.kind for event in done.events] == ["chore.done", "critic.said", "scribe.wrote", "scribe.wrote"]
    assert bodies(later, "scenario.resumed") == [{"turn": 2}]
    assert [body["turns"] for body in bodies(later, "scenario.ended")] == [2, 6]
    (replied,) = bodies(later, "workflow.replied")
    assert (replied["participant"], replied["by"]) == ("operator", "ada")
    later.ledger.close()
    assert verify_file(tmp_path / "a.db").ok


async def test_everybody_remembers_what_happened_before_and_events_keep_their_ids(tmp_path: Path) -> None:
    works = works_on(tmp_path / "a.db", [ask("Which?", "this")])
    await works.play()
    works.ledger.close()
    scribe = Scribe()
    later = works_on(tmp_path / "a.db", "done", scribe=scribe)
    await later.resume(YES)
    who, scene = scribe.scenes[0]
    assert (who, scene.seed, [event.id for event in scene.events]) == ("critic", "one", ["", "run-1.e2"])
    who, scene = scribe.scenes[1]
    assert (who, [event.id for event in scene.events]) == ("scribe", ["", "run-1.e1"])
    later.ledger.close()


async def test_a_pause_changes_nothing_of_the_story(tmp_path: Path) -> None:
    straight = works_on(tmp_path / "a.db", "done")
    await straight.play()
    works = works_on(tmp_path / "b.db", [ask("Which?", "this")])
    await works.play()
    works.ledger.close()
    later = works_on(tmp_path / "b.db", "done")
    await later.resume(YES)
    assert story(later) == story(straight)
    for one in (straight, later):
        one.ledger.close()


async def test_the_same_ledger_answer_and_secret_give_the_same_prompts_and_entries(tmp_path: Path) -> None:
    works = works_on(tmp_path / "a.db", [mark("a"), ask("Which?", "this")])
    await works.play(secret=SECRET)
    works.ledger.close()
    (tmp_path / "b.db").write_bytes((tmp_path / "a.db").read_bytes())
    found = []
    for name in ("a.db", "b.db"):
        later = works_on(tmp_path / name, [mark("b")], "done", scribe=Scribe(calls=True))
        await later.resume(YES, secret=SECRET)
        read = [[message.text for message in conversation] for conversation in later.scripts["boss"].read]
        found.append((read, [(e.kind, e.actor, e.body, e.digest) for e in later.ledger.entries()]))
        later.ledger.close()
    assert found[0] == found[1]
    calls = [orjson.loads(body)["call"] for kind, _, body, _ in found[0][1] if kind == "tool.requested"]
    assert len(calls) == len(set(calls)), "no id is made a second time"


async def killed(path: Path, scribe: Scribe, *turns: Any, **options: Any) -> Works:
    works = works_on(path, *turns, scribe=scribe, **options)
    with pytest.raises(GoneError):
        await works.play()
    works.ledger.close()
    return works


@pytest.mark.parametrize("dies", [1, 3, 4, 6])
async def test_a_run_that_ended_in_between_goes_on_to_the_same_story(tmp_path: Path, dies: int) -> None:
    straight = works_on(tmp_path / "a.db", "done")
    await straight.play()
    await killed(tmp_path / "b.db", Scribe(dies), "done")
    later = works_on(tmp_path / "b.db", "done")
    done = await later.resume(None)
    assert story(later) == story(straight)
    assert done.outcome.stop == "max_turns"
    for one in (straight, later):
        one.ledger.close()


async def test_a_scenario_without_a_workflow_goes_on_too(tmp_path: Path) -> None:
    options = {"cast": ("scribe",), "max_turns": 3}
    await killed(tmp_path / "a.db", Scribe(2), **options)
    later = works_on(tmp_path / "a.db", **options)
    with pytest.raises(ConfigurationError, match="no workflow began"):
        await later.resume(YES)
    done = await later.resume(None)
    assert ([body["turn"] for _, _, body in story(later)], done.stands) == ([1, 2, 3], None)
    with pytest.raises(NotAppliedError) as refused:
        await later.resume(None)
    assert refused.value.reason == "max_turns"
    later.ledger.close()


async def test_an_open_task_without_turns_left_goes_on_once_it_is_given_some(tmp_path: Path) -> None:
    class Mute(Script):
        async def respond(self, conversation: Any, tools: Any, /) -> Message:
            raise ProviderError("not now", reason="overloaded")

    options = {"cast": ("boss",), "max_turns": 1}
    works = works_on(tmp_path / "a.db", **options)
    works.scripts = {"boss": Mute()}
    assert (await works.play()).stop == "max_turns"
    with pytest.raises(NotAppliedError) as refused:
        await works.resume(None)
    assert refused.value.reason == "max_turns"
    assert str(refused.value) == (
        "the run run-1 has taken its 1 turns, and its task is still open; raise max_turns of the scenario chore and let"
        " it go on, or begin another: licet run chore"
    )
    assert bodies(works, "scenario.resumed") == []
    works.ledger.close()
    later = works_on(tmp_path / "a.db", "done", **{**options, "max_turns": 2})
    done = await later.resume(None)
    assert (done.outcome.turns, done.stands is not None and done.stands.is_over) == (2, True)
    later.ledger.close()


async def test_calls_that_may_have_done_something_are_not_made_a_second_time(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    first = await killed(path, Scribe(4, calls=True), "done", manifests={**MANIFESTS, "critic": SCRIBE_TOO})
    assert first.marks == ["scribe 1", "critic 3", "scribe 4"]
    later = works_on(path, "done", scribe=Scribe(calls=True), manifests={**MANIFESTS, "critic": SCRIBE_TOO})
    await later.resume(None)
    assert "scribe 4" not in later.marks
    assert [body for body in bodies(later, "scenario.turn_failed") if body["code"] == "interrupted"] == [
        {"code": "interrupted", "reason": "", "tool": ""}
    ]
    later.ledger.close()


SCRIBE_TOO = SCRIBE.replace("name: scribe", "name: critic").replace("scribe.wrote", "critic.said")


async def test_calls_that_only_read_are_made_again(tmp_path: Path) -> None:
    reads = SCRIBE.replace("[mark]", "[look]")

    class Looking(Scribe):
        async def __call__(self, agent: ManifestAgent, scene: Scene, /) -> list[Event]:
            await agent.call_tool_async("look")
            return await super().__call__(agent, scene)

    options = {"cast": ("scribe",), "max_turns": 2, "manifests": {**MANIFESTS, "scribe": reads}}
    await killed(tmp_path / "a.db", Looking(2), **options)
    later = works_on(tmp_path / "a.db", scribe=Looking(), **options)
    await later.resume(None)
    assert [body["turn"] for _, _, body in story(later)] == [1, 2]
    later.ledger.close()


async def test_what_was_used_before_counts_for_everybody(tmp_path: Path) -> None:
    few = {**MANIFESTS, "scribe": SCRIBE + "max_calls: 1\n"}
    works = works_on(tmp_path / "a.db", [ask("Which?", "this")], scribe=Scribe(calls=True), manifests=few)
    works.texts["critic"] = SCRIBE_TOO
    await works.play()
    works.ledger.close()
    later = works_on(tmp_path / "a.db", "done", scribe=Scribe(calls=True), manifests=few)
    later.texts["critic"] = SCRIBE_TOO
    done = await later.resume(YES)
    assert [(error.code, getattr(error, "reason", "")) for error in done.outcome.failed] == [
        ("limit_exceeded", "budget")
    ]
    assert [what for what in works.marks + later.marks if what.startswith("scribe")] == ["scribe 1"]
    assert done.outcome.calls == len(bodies(later, "tool.requested"))
    later.ledger.close()


@pytest.mark.parametrize(
    ("cast", "manifests", "told"),
    [
        (("boss", "scribe", "critic"), MANIFESTS, "the cast of 'chore' was scribe, boss, critic, and is boss, scribe"),
        (CAST, {**MANIFESTS, "scribe": SCRIBE + "schedule: {tick_every: 2}\n"}, "turn 1 was 'scribe''s, and by"),
    ],
)
async def test_a_cast_or_an_order_that_is_another_one_now_goes_on_with_nothing(
    tmp_path: Path, cast: Sequence[str], manifests: dict[str, str], told: str
) -> None:
    works = works_on(tmp_path / "a.db", [ask("Which?", "this")])
    await works.play()
    before = [entry.kind for entry in works.ledger.entries()]
    works.ledger.close()
    later = works_on(tmp_path / "a.db", "done", cast=cast, manifests=manifests)
    with pytest.raises(ConfigurationError, match=told):
        await later.resume(YES)
    assert [entry.kind for entry in later.ledger.entries() if entry.seq > len(before)] in ([], ["grant.expanded"])
    later.ledger.close()


async def test_a_turn_that_came_to_nothing_was_taken_all_the_same(tmp_path: Path) -> None:
    class Silent(Scribe):
        async def __call__(self, agent: ManifestAgent, scene: Scene, /) -> list[Event]:
            return [] if scene.turn == 1 else await super().__call__(agent, scene)

    await killed(tmp_path / "a.db", Silent(2), cast=("scribe",), max_turns=3)
    later = works_on(tmp_path / "a.db", cast=("scribe",), max_turns=3)
    assert bodies(later, "scenario.turn_passed") == [{}]
    await later.resume(None)
    assert [body["turn"] for _, _, body in story(later)] == [2, 3]
    later.ledger.close()


async def test_a_run_that_ended_before_its_workflow_began_begins_it(tmp_path: Path) -> None:
    works = works_on(tmp_path / "a.db", "done")
    body = {"cast": list(CAST), "goal": "g", "scenario": "chore", "seed": "one", "text": "It begins."}
    Journal(works.ledger, works.clock, "run-1").note(OPENED, "chore", body)
    done = await works.resume(None)
    assert done.stands is not None
    assert done.stands.is_over
    assert [kind for kind, _, _ in story(works)][:3] == ["scribe.wrote", "chore.done", "critic.said"]
    works.ledger.close()


class Dying(Script):
    """A model whose process ends when it is asked."""

    async def respond(self, conversation: Any, tools: Any, /) -> Any:
        raise GoneError


async def test_a_paused_turn_that_was_cut_off_once_more_still_goes_on(tmp_path: Path) -> None:
    path, options = tmp_path / "a.db", {"cast": ("boss",), "max_turns": 1}
    works = works_on(path, [ask("Which?", "this")], **options)
    await works.play()
    works.ledger.close()
    for _ in range(2):
        later = works_on(path, **options)
        later.scripts["boss"] = Dying()
        with pytest.raises(GoneError):
            await later.resume(YES if not bodies(later, "workflow.replied") else None)
        later.ledger.close()
    later = works_on(path, "done", **options)
    done = await later.resume(None)
    assert (done.outcome.turns, [event.kind for event in done.events]) == (1, ["chore.done"])
    assert len(bodies(later, "workflow.replied")) == 1
    later.ledger.close()
