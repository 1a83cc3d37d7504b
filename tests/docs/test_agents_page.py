"""The page on agents shows a manifest that loads, every key that there is, and errors as they are."""

import re
from pathlib import Path

from licet.agents.cast.handlers import HANDLERS
from licet.agents.cast.memory import OTHER, OWN
from licet.project.manifest import Memory
from licet.project.manifest_file import DEFINITION, load, reading
from licet.project.shape import schema
from licet.project.yaml_file import read

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "agents.md").read_text("utf-8")
SHIPPED = ROOT / "src" / "licet" / "config" / "agents"


def test_the_manifest_on_the_page_is_the_one_that_comes_with_licet() -> None:
    [shown] = re.findall(r"^```yaml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    shipped = (SHIPPED / "fortune-teller.yaml").read_bytes()
    held = [load(text, "x", stem="fortune-teller", handlers=HANDLERS).source for text in (shown.encode(), shipped)]
    assert [None if one is None else one.value for one in held] == [read(shown.encode(), "x").value] * 2


def test_the_page_lists_exactly_the_keys_that_there_are() -> None:
    rows = [row for row in re.findall(r"^\| (.*?) \|", PAGE, re.MULTILINE) if "`" in row]
    listed = re.findall(r"`(\w+)`", " ".join(rows))
    known = schema()["$defs"][DEFINITION.partition("#")[2]]["properties"]
    assert sorted(listed) == sorted(set(known) - {"$schema", "profile"})


def test_the_page_says_how_much_events_matter_and_how_many_are_remembered() -> None:
    assert f"counts 1, its own events {OWN}, others {OTHER}." in PAGE
    assert f"stand in its prompt, {Memory().window} if nothing is said" in PAGE


def test_errors_on_the_page_are_those_of_such_a_file() -> None:
    shown = re.findall(r"^config/agents/scribe\.yaml:.*$", PAGE, re.MULTILINE)
    text = b"name: scribe\n\n\n\n\ntols: []\n"
    other = b"name: scribe\n\n\n\n\n\n\n\nmay_emit: [tool.completed]\n"
    told = []
    for content in (text, other):
        found = reading(content, "config/agents/scribe.yaml", stem="scribe", handlers=HANDLERS)
        told += [found.source.told(place, problem) for place, problem in found.problems]
    assert shown == told
