"""The page on scenarios shows the file that comes with licet, every key that there is, and errors as they are."""

import re
from pathlib import Path

import pytest

from licet.agents.scenario import journal
from licet.agents.scenario.performer import REMEMBERED
from licet.errors import ConfigurationError
from licet.project.scenario import SCHEMA, load
from licet.project.shape import schema

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "scenarios.md").read_text("utf-8")
SHIPPED = (ROOT / "src" / "licet" / "config" / "scenarios" / "oracle-grove.yaml").read_text("utf-8")
AGENTS = ["fortune-teller", "scene-whisperer"]

[WRITTEN] = re.findall(r"^```yaml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def loaded(text: str, stem: str) -> object:
    return load(text.encode(), f"config/scenarios/{stem}.yaml", stem=stem, agents=AGENTS)


def test_the_scenario_on_the_page_is_the_one_that_comes_with_licet() -> None:
    assert loaded(WRITTEN, "oracle-grove") == loaded(SHIPPED, "oracle-grove")


def test_the_page_lists_exactly_the_keys_and_limits_that_exist() -> None:
    rows = re.findall(r"^\| ((?:`\w+`(?:, )?)+) \|", PAGE, re.MULTILINE)
    listed = {key for row in rows for key in re.findall(r"`(\w+)`", row)}
    parts = schema(SCHEMA)["properties"]
    assert listed == {*parts, *parts["governor"]["properties"]} - {"$schema"}


@pytest.mark.parametrize(
    ("change", "place"), [(("scene-whisperer", "scene-wisperer"), 6), (("max_turns", "max_turn"), 10)]
)
def test_errors_on_the_page_are_those_that_are_given(change: tuple[str, str], place: int) -> None:
    with pytest.raises(ConfigurationError) as raised:
        loaded(WRITTEN.replace("name: oracle-grove", "name: grove").replace(*change), "grove")
    told = str(raised.value).partition(" (and ")[0]
    assert told.startswith("config/scenarios/grove.yaml:")
    assert re.sub(r"yaml:\d+:", f"yaml:{place}:", told) in PAGE


def test_the_page_names_every_entry_of_a_scenario_and_how_much_is_remembered() -> None:
    kinds = {value for name, value in vars(journal).items() if name.isupper() and isinstance(value, str)}
    assert set(re.findall(r"`(scenario\.\w+)`", PAGE)) == kinds
    assert f"the last {REMEMBERED} of these" in PAGE
