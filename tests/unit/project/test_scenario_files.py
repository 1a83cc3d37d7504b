"""Scenarios as files: the shape that the published schema says, a cast that exists, and messages with file and line."""

from typing import Any

import orjson
import pytest

from licet.errors import ConfigurationError
from licet.project.scenario import SCHEMA, Governor, load, reading
from licet.project.shape import schema

WHOLE = """\
name: play
title: A play
goal: A goal.
default_seed: one
example_seeds: [two, three]
cast: [teller, whisperer]
genesis_text: |
  It begins.
governor:
  max_turns: 4
  max_calls_per_turn: 1
  max_total_calls: 2
  max_total_tokens: 3
"""
AGENTS = ["teller", "whisperer", "other"]


def loaded(text: str, stem: str = "play") -> Any:
    return load(text.encode(), "config/scenarios/play.yaml", stem=stem, agents=AGENTS)


def test_a_file_says_who_plays_and_how_much_at_most() -> None:
    found = loaded(WHOLE)
    assert (found.name, found.title, found.goal) == ("play", "A play", "A goal.")
    assert (found.default_seed, found.example_seeds) == ("one", ("two", "three"))
    assert (found.cast, found.genesis_text) == (("teller", "whisperer"), "It begins.\n")
    assert found.governor == Governor(max_turns=4, max_calls_per_turn=1, max_total_calls=2, max_total_tokens=3)


def test_what_may_be_left_out_has_a_default() -> None:
    short = loaded(WHOLE.replace("title: A play\n", "").replace("example_seeds: [two, three]\n", ""))
    assert (short.title, short.example_seeds) == ("play", ())


def test_every_key_of_the_schema_is_in_the_whole_file() -> None:
    assert {key for key in schema(SCHEMA)["properties"] if key != "$schema"} == set(loaded(WHOLE).source.value)


@pytest.mark.requirement("grove.from-files")
@pytest.mark.parametrize(
    ("change", "told"),
    [
        (("title: A play", "titel: A play"), "play.yaml:2: titel: there is no such key; did you mean title?"),
        (("goal: A goal.\n", ""), 'play.yaml:1: the key "goal" is missing; write it'),
        (
            ("max_turns: 4", "max_turn: 4"),
            "play.yaml:10: governor.max_turn: there is no such key; did you mean max_turns?",
        ),
        (("max_turns: 4", "max_turns: 0"), "play.yaml:10: governor.max_turns: it is too small; use 1 or more"),
        (("max_turns: 4", "max_turns: many"), "play.yaml:10: governor.max_turns: it is text; write a whole number"),
        (
            ("default_seed: one", "default_seed: 1"),
            "play.yaml:4: default_seed: it is a number; write it in quotes, as text",
        ),
        (("whisperer]", "wisperer]"), 'play.yaml:6: cast[1]: there is no agent "wisperer"; did you mean whisperer?'),
        (("whisperer]", "nobody]"), 'cast[1]: there is no agent "nobody"; write config/agents/nobody.yaml, or drop it'),
        (("whisperer]", "teller]"), "play.yaml:6: cast: an item stands there twice; drop one"),
        (("[teller, whisperer]", "[]"), "play.yaml:6: cast: it is empty"),
        (("[teller, whisperer]", "[../teller]"), "play.yaml:6: cast[0]: it does not fit"),
        (("name: play", "name: other"), 'the scenario is called "other" and its file "play"; give both one name'),
        (("name: play", "name: Play"), "play.yaml:1: name: it does not fit"),
        (("goal: A goal.", "goal: ''"), "play.yaml:3: goal: it is empty"),
        (("name: play", "name: play\nname: play"), 'the key "name" stands on line 1 already'),
        (("goal: A goal.", "goal: &a A goal."), "play.yaml:3: "),
    ],
)
def test_what_a_file_may_not_say_is_told_with_file_line_key_and_what_instead(
    change: tuple[str, str], told: str
) -> None:
    assert change[0] in WHOLE
    with pytest.raises(ConfigurationError) as raised:
        loaded(WHOLE.replace(*change, 1))
    assert told in str(raised.value)
    assert str(raised.value).startswith("config/scenarios/play.yaml:")


def test_all_problems_are_told_by_line() -> None:
    text = WHOLE.replace("[teller, whisperer]", "[nobody, wisperer]").replace("name: play", "name: other")
    found = reading(text.encode(), "play.yaml", stem="play", agents=AGENTS)
    assert found.scenario is None
    assert [found.source.line(problem.place) for problem in found.problems] == [1, 6, 6]
    with pytest.raises(ConfigurationError, match=r"\(and 2 more: licet check lists them\)"):
        loaded(text)


@pytest.mark.parametrize("content", [b"", b"[]", b"null", b"a: *b", b"{" * 200, b"\xff", b"&a [*a]", b"x" * 200_000])
def test_what_is_no_scenario_at_all_is_refused(content: bytes) -> None:
    with pytest.raises(ConfigurationError, match=r"^play.yaml:\d+: "):
        load(content, "play.yaml", stem="play", agents=AGENTS)


def test_a_bomb_of_aliases_costs_nothing() -> None:
    bomb = "a0: &a0 [x]\n" + "".join(f"a{n + 1}: &a{n + 1} [*a{n}, *a{n}, *a{n}]\n" for n in range(60))
    with pytest.raises(ConfigurationError, match=r"^play.yaml:1: "):
        load(bomb.encode(), "play.yaml", stem="play", agents=AGENTS)


def test_whole_numbers_may_be_written_as_floats_as_json_does() -> None:
    value = orjson.loads(orjson.dumps(loaded(WHOLE).source.value))
    value["governor"]["max_turns"] = 4.0
    found = load(orjson.dumps(value), "play.yaml", stem="play", agents=AGENTS)
    assert type(found.governor.max_turns) is int
