"""A scenario is played turn by turn; what happens, what is refused and why it ends stands on the ledger."""

from collections.abc import Iterator
from typing import Any

import orjson
import pytest
from staged import Stage, agent, says

from licet.agents.cast.agent import ManifestAgent
from licet.agents.cast.scene import Scene
from licet.agents.workflow import replay
from licet.errors import (
    CapabilityViolation,
    ConfigurationError,
    EmissionViolation,
    LedgerUnavailableError,
    LimitExceededError,
    ToolFailedError,
)
from licet.intrinsics import intrinsics
from licet.model.event import Event
from licet.ports import Message
from licet.testing import FixedClock, fake_tool


@pytest.fixture
def stages() -> Iterator[list[Stage]]:
    made: list[Stage] = []
    yield made
    for stage in made:
        stage.close()


def calling(tool: str, times: int = 1, **params: Any) -> Any:
    """A handler that calls a tool, and says how often that went well."""

    async def handler(agent: ManifestAgent, scene: Scene, /) -> list[Event]:
        done = 0
        for _ in range(times):
            await agent.call_tool_async(tool, **params)
            done += 1
        return [Event("work.done", {"times": done})]

    return handler


# --- turns and events ---


async def test_agents_take_turns_in_the_order_of_the_cast_until_the_turns_are_used_up(stages: list[Stage]) -> None:
    stages.append(stage := Stage(agent("one", may_emit=["one.said"]), agent("two", may_emit=["two.said"])))
    done = await stage.play({"one": says("one.said"), "two": says("two.said")}, max_turns=5)
    assert (done.stop, done.turns, done.events, done.calls, done.failed) == ("max_turns", 5, 5, 0, ())
    opened, *events, ended = stage.told()
    assert [(kind, actor) for kind, actor, _ in events] == [
        ("one.said", "one"),
        ("two.said", "two"),
        ("one.said", "one"),
        ("two.said", "two"),
        ("one.said", "one"),
    ]
    assert (opened[0], opened[1], opened[2]["seed"], opened[2]["cast"]) == (
        "scenario.opened",
        "play",
        "seed",
        ["one", "two"],
    )
    assert ended == (
        "scenario.ended",
        "play",
        {"calls": 0, "events": 5, "stop": "max_turns", "tokens": 0, "turns": 5},
    )


async def test_who_subscribes_acts_only_once_something_happened(stages: list[Stage]) -> None:
    cast = agent("one", may_emit=["one.said"], schedule={"tick_every": 3}), agent("two", subscribes_to=["one.said"])
    stages.append(stage := Stage(*cast))
    turns: list[tuple[str, list[str]]] = []

    async def listening(agent: ManifestAgent, scene: Scene, /) -> list[Event]:
        turns.append((agent.name, [event.kind for event in scene.events]))
        return []

    await stage.play({"one": says("one.said"), "two": listening}, max_turns=6)
    assert turns == [
        ("two", ["scenario.opened"]),
        ("two", ["scenario.opened", "one.said"]),
        ("two", ["scenario.opened", "one.said", "one.said"]),
    ]


async def test_a_scenario_ends_when_nobody_has_anything_left_to_do(stages: list[Stage]) -> None:
    stages.append(stage := Stage(agent("one", subscribes_to=["two.said"], may_emit=["one.said"])))
    done = await stage.play({"one": says("one.said")}, max_turns=100)
    assert (done.stop, done.turns) == ("quiet", 1)


async def test_nobody_acts_more_often_in_a_row_than_it_may(stages: list[Stage]) -> None:
    stages.append(stage := Stage(agent("one", may_emit=["one.said"], schedule={"max_consecutive": 2})))
    done = await stage.play({"one": says("one.said")}, max_turns=100)
    assert (done.stop, done.turns) == ("quiet", 2)


async def test_an_event_that_the_manifest_does_not_list_is_refused_on_the_ledger_and_nobody_hears_of_it(
    stages: list[Stage],
) -> None:
    cast = agent("one", may_emit=["one.said"]), agent("two", subscribes_to=["other.said", "one.said"])
    stages.append(stage := Stage(*cast))
    heard: list[Any] = []

    async def forging(agent: ManifestAgent, scene: Scene, /) -> list[Event]:
        return [Event("one.said", {}), Event("tool.completed" if scene.turn == 1 else "other.said", {})]

    async def listening(agent: ManifestAgent, scene: Scene, /) -> list[Event]:
        heard.extend(event.kind for event in scene.events)
        return []

    done = await stage.play({"one": forging, "two": listening}, max_turns=3)
    assert [type(error) for error in done.failed] == [EmissionViolation] * 2
    assert done.events == 0
    refused = stage.told("scenario.event_refused")
    assert [(actor, body["code"]) for _, actor, body in refused] == [("one", "may_not_emit")] * 2
    assert set(heard) == {"scenario.opened"}
    assert stage.told("tool.completed", "other.said", "one.said") == []


@pytest.mark.parametrize("payload", [{"a": float("nan")}, {"a": object()}, {"a": "x" * 70_000}, {1: "a"}, [1]])
async def test_a_payload_that_is_no_json_object_is_refused(stages: list[Stage], payload: Any) -> None:
    stages.append(stage := Stage(agent("one", may_emit=["one.said"])))

    async def odd(agent: ManifestAgent, scene: Scene, /) -> list[Event]:
        return [Event("one.said", payload)]

    done = await stage.play({"one": odd}, max_turns=1)
    assert [error.code for error in done.failed] == ["may_not_emit"]
    assert stage.told("one.said") == []


async def test_what_sounds_secret_in_a_payload_is_not_on_the_ledger(stages: list[Stage]) -> None:
    stages.append(stage := Stage(agent("one", may_emit=["one.said"])))
    await stage.play({"one": says("one.said", password="s3cret")}, max_turns=1)
    [(_, _, body)] = stage.told("one.said")
    assert "s3cret" not in orjson.dumps(body).decode()
    assert body["turn"] == 1


# --- calls ---


@pytest.mark.requirement("grove.whisperer-has-no-grant")
async def test_a_call_without_a_grant_is_told_of_its_turn_and_touches_no_transport(stages: list[Stage]) -> None:
    stages.append(stage := Stage(agent("one", may_emit=["work.done"]), agent("two", may_emit=["two.said"])))
    made, transport = fake_tool("oracle", {"omen": "rain"})
    stage.registry.register(made)
    done = await stage.play({"one": calling("oracle", seed="x"), "two": says("two.said")}, max_turns=2)
    assert [type(error) for error in done.failed] == [CapabilityViolation]
    assert transport.calls == []
    assert [(kind, actor) for kind, actor, _ in stage.told()] == [
        ("scenario.opened", "play"),
        ("tool.refused", "one"),
        ("scenario.turn_failed", "one"),
        ("two.said", "two"),
        ("scenario.ended", "play"),
    ]


async def test_a_failure_of_a_tool_ends_the_turn_and_not_the_run(stages: list[Stage]) -> None:
    stages.append(stage := Stage(agent("one", tools=["t"], may_emit=["work.done"])))
    made, transport = fake_tool("t", ValueError("no"))
    stage.registry.register(made)
    done = await stage.play({"one": calling("t")}, max_turns=2)
    assert [type(error) for error in done.failed] == [ToolFailedError] * 2
    assert (len(transport.calls), done.calls, done.stop) == (2, 2, "max_turns")
    assert [body for *_, body in stage.told("scenario.turn_failed")] == [
        {"code": "tool_failed", "reason": "", "tool": "local/t"}
    ] * 2


async def test_ids_of_calls_depend_on_nothing_but_the_runs_id(stages: list[Stage]) -> None:
    cast = (
        agent("one", tools=["t"], may_emit=["work.done"]),
        agent("two", groups=["g"], may_emit=["work.done"], model="offline"),
    )
    entries: list[Any] = []
    for _ in range(2):
        stages.append(stage := Stage(*cast))
        stage.registry.register(fake_tool("t", {}, group="g")[0])
        await stage.play({"one": calling("t", 2), "two": calling("t")}, secret=bytes(16), clock=FixedClock())
        entries.append([(entry.kind, entry.actor, entry.body, entry.digest) for entry in stage.ledger.entries()])
    assert entries[0] == entries[1]
    calls = [orjson.loads(body)["call"] for kind, _, body, _ in entries[0] if kind == "tool.requested"]
    assert calls == ["play-1.1.1", "play-1.1.2", "play-1.2.1", "play-1.1.3", "play-1.1.4", "play-1.2.2"]


# --- the governor ---


async def test_a_turn_makes_no_more_calls_than_it_may(stages: list[Stage]) -> None:
    stages.append(stage := Stage(agent("one", tools=["t"], may_emit=["work.done"])))
    made, transport = fake_tool("t", {})
    stage.registry.register(made)
    done = await stage.play({"one": calling("t", 3)}, max_turns=2, max_calls_per_turn=2, max_total_calls=100)
    assert [error.reason for error in done.failed] == ["max_calls_per_turn"] * 2
    assert (len(transport.calls), done.calls, done.stop) == (4, 4, "max_turns")
    refused = stage.told("tool.refused")
    assert [(body["code"], body["reason"]) for *_, body in refused] == [("limit_exceeded", "budget")] * 2
    limited = {"code": "limit_exceeded", "limit": "max_calls_per_turn"}
    assert stage.told("scenario.limited") == [("scenario.limited", "one", limited)] * 2


async def test_a_run_makes_no_more_calls_than_it_may_and_ends_at_the_first_beyond(stages: list[Stage]) -> None:
    cast = agent("one", tools=["t"], may_emit=["work.done"]), agent("two", tools=["t"], may_emit=["work.done"])
    stages.append(stage := Stage(*cast))
    made, transport = fake_tool("t", {})
    stage.registry.register(made)
    done = await stage.play({"one": calling("t", 2), "two": calling("t", 2)}, max_turns=9, max_total_calls=3)
    assert (len(transport.calls), done.calls, done.stop, done.turns) == (3, 3, "max_total_calls", 2)
    assert [type(error) for error in done.failed] == [LimitExceededError]
    assert stage.told("scenario.ended")[0][2]["stop"] == "max_total_calls"


async def test_an_agents_own_limit_holds_within_the_scenarios(stages: list[Stage]) -> None:
    stages.append(stage := Stage(agent("one", tools=["t"], max_calls=3, may_emit=["work.done"])))
    made, transport = fake_tool("t", {})
    stage.registry.register(made)
    done = await stage.play({"one": calling("t", 2)}, max_turns=3)
    assert [error.reason for error in done.failed] == ["budget"] * 2
    assert (len(transport.calls), done.stop) == (3, "max_turns")


async def test_a_model_is_not_asked_once_the_tokens_are_used_up(stages: list[Stage]) -> None:
    stages.append(stage := Stage(agent("one", handler="generic", may_emit=["one.said"])))
    asked: list[int] = []

    class Counting:
        name = "counting"

        async def respond(self, conversation: Any, tools: Any, /) -> Message:
            asked.append(len(conversation))
            return Message("assistant", "x" * 4000)

    done = await stage.play({}, max_turns=9, max_total_tokens=3_500, model=lambda manifest: Counting())
    assert (len(asked), done.stop, done.turns, done.events) == (2, "max_total_tokens", 3, 2)
    assert 3_000 < done.tokens <= 3_500
    assert stage.told("scenario.limited")[0][2]["limit"] == "max_total_tokens"


# --- what does not begin ---


async def test_a_runs_id_is_used_once_and_no_call_of_the_second_is_made(stages: list[Stage]) -> None:
    stages.append(stage := Stage(agent("one", may_emit=["one.said"])))
    await stage.play({"one": says("one.said")})
    before = len(stage.told())
    with pytest.raises(ConfigurationError, match="play-1 stands on this ledger already"):
        await stage.play({"one": says("one.said")})
    for bad in ("a b", "x" * 65, "é"):
        with pytest.raises(ConfigurationError, match="is no run id"):
            await stage.play({"one": says("one.said")}, run_id=bad)
    for seed in ("\ud800", "x" * 10_001):
        with pytest.raises(ConfigurationError, match="the seed"):
            await stage.play({"one": says("one.said")}, run_id="play-2", seed=seed)
    assert len(stage.told()) == before


async def test_a_grant_of_a_tool_that_does_not_exist_is_told_with_file_line_and_key(stages: list[Stage]) -> None:
    stages.append(stage := Stage(agent("one", tools=["rade"], may_emit=["one.said"])))
    stage.registry.register(fake_tool("read", {})[0])
    with pytest.raises(ConfigurationError, match=r"one.yaml:1: tools\[0\]: .*\"rade\"; did you mean read\?"):
        await stage.play({"one": says("one.said")})
    assert stage.told() == []


async def test_without_a_ledger_nothing_is_played(stages: list[Stage]) -> None:
    stages.append(stage := Stage(agent("one", may_emit=["one.said"])))
    acted: list[int] = []

    async def acting(agent: ManifestAgent, scene: Scene, /) -> list[Event]:
        acted.append(scene.turn)
        return []

    stage.ledger.broken = True
    with pytest.raises(LedgerUnavailableError):
        await stage.play({"one": acting})
    assert acted == []


async def test_a_mistake_in_a_handler_is_the_developers(stages: list[Stage]) -> None:
    stages.append(stage := Stage(agent("one", may_emit=["one.said"])))

    async def wrong(agent: ManifestAgent, scene: Scene, /) -> list[Event]:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await stage.play({"one": wrong})
    assert stage.told("scenario.ended")[0][2]["stop"] == "broken"
    with pytest.raises(ConfigurationError, match="there is no handler 'one'"):
        await stage.play({}, run_id="play-2")


async def test_memory_stays_flat_however_long_a_scenario_is(stages: list[Stage]) -> None:
    stages.append(stage := Stage(agent("one", may_emit=["one.said"])))
    longest: list[int] = []

    async def counting(agent: ManifestAgent, scene: Scene, /) -> list[Event]:
        longest.append(len(scene.events))
        return [Event("one.said", {"turn": scene.turn})]

    await stage.play({"one": counting}, max_turns=600)
    assert (longest[0], longest[256], longest[-1]) == (1, 257, 257)


# --- the workflow ---


def planning(*, asks: bool) -> Any:
    """A handler that makes a plan, finishes a step of it, and may ask the operator."""

    async def handler(agent: ManifestAgent, scene: Scene, /) -> list[Event]:
        step = {"name": "look", "description": "Look around", "depends_on": []}
        await agent.call_tool_async("create_plan", steps=[step])
        await agent.call_tool_async("complete_step", step="look", output="seen")
        if asks:
            question = {"participant_id": "operator", "question": "Which one?", "options": ["this", "that"]}
            await agent.call_tool_async("ask_participant", **question)
        return [Event("work.done", {"turn": scene.turn})]

    return handler


async def test_the_first_who_holds_intrinsics_works_on_a_workflow_that_replays(stages: list[Stage]) -> None:
    cast = agent("one", groups=["intrinsics"], may_emit=["work.done"]), agent("two", tools=["create_plan"])
    stages.append(stage := Stage(*cast))
    for spec in intrinsics():
        stage.registry.register(spec)
    done = await stage.play({"one": planning(asks=False), "two": planning(asks=False)}, max_turns=2)
    assert [(error.code, getattr(error, "reason", "")) for error in done.failed] == [("tool_failed", "no_task")]
    replayed = replay(stage.ledger.entries("play-1"))
    assert replayed is not None
    assert (replayed.actor, replayed.commands, replayed.compared) == ("one", 2, 2)
    assert [(step.name, step.output) for step in replayed.state.plan] == [("look", "seen")]


async def test_a_question_to_the_operator_pauses_the_run(stages: list[Stage]) -> None:
    stages.append(stage := Stage(agent("one", groups=["intrinsics"], may_emit=["work.done"])))
    for spec in intrinsics():
        stage.registry.register(spec)
    done = await stage.play({"one": planning(asks=True)}, max_turns=9)
    assert (done.stop, done.turns, done.events, done.failed) == ("input_required", 1, 1, ())
    replayed = replay(stage.ledger.entries("play-1"))
    assert replayed is not None
    assert [(asked.participant, asked.answer) for asked in replayed.state.questions] == [("operator", None)]
    assert stage.told("scenario.ended")[0][2]["stop"] == "input_required"


async def test_without_intrinsics_no_workflow_begins(stages: list[Stage]) -> None:
    stages.append(stage := Stage(agent("one", may_emit=["one.said"])))
    await stage.play({"one": says("one.said")})
    assert replay(stage.ledger.entries("play-1")) is None
