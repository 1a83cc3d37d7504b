"""The text of ``licet.lock``: for a person who reviews a diff, and the same bytes wherever it is written."""

import json
import random
from dataclasses import replace
from pathlib import Path

from lock_samples import definition, lock_of, server

from licet.project.lock import Lock, read, text, write

GOLDEN = Path(__file__).parent / "golden.lock"
SAMPLE = Path(__file__).parents[3] / "docs" / "samples" / "pins.lock"

HIDDEN = "\x1b\x7f\x9b\xad\u061c\u200b\u200d\u202e\u2028\u2066\u2800\u3000\xa0\ufe0f\ufeff\ue000\U000e0041\U0010fffd"


def golden() -> Lock:
    log = definition(
        description="Shows the log.\n\nNewest first. Łódź, 日本, 🌱.\nHidden: \u202e\u200b\U000e0041\x1b\xa0.\r"
    )
    reset = definition("git_reset", title=None, output_schema=None, description="")
    git = replace(server(log, reset), note={"name": "mcp-git", "version": "2.1.0"})
    lock = Lock({"mcp/git": git}).with_server(
        "mcp/web", server(launch={"headers": ["authorization"], "url": "https://example.com/mcp"}, name="mcp/web")
    )
    tool = lock.tool("mcp/git.git_reset")
    assert tool is not None
    return lock.with_tool("mcp/git.git_reset", replace(tool, classification_dropped=True))


def test_the_text_is_exactly_this_file() -> None:
    assert text(golden()) == GOLDEN.read_text("utf-8")


def test_the_file_reads_as_what_was_written() -> None:
    assert read(GOLDEN) == golden()


def test_the_sample_of_the_documentation_is_a_lock_as_it_is_written() -> None:
    lock = read(SAMPLE)
    assert lock is not None
    assert text(lock) == SAMPLE.read_text("utf-8")


def test_every_property_has_a_line_of_its_own_and_stands_in_order() -> None:
    lines = text(golden()).split("\n")
    assert all(line.count('": ') <= 1 for line in lines)
    assert json.dumps(json.loads(text(golden())), sort_keys=True) == json.dumps(json.loads(text(golden())))


def test_nothing_in_the_text_is_hidden_and_all_of_it_comes_back(tmp_path: Path) -> None:
    lock = lock_of(
        definition(title=HIDDEN, description=f"a{HIDDEN}b\nc", input_schema={"type": "object", HIDDEN: HIDDEN})
    )
    written = text(lock)
    assert not [char for char in HIDDEN if char in written]
    assert all(char == "\n" or char.isprintable() for char in written)
    write(tmp_path / "licet.lock", lock)
    assert read(tmp_path / "licet.lock") == lock


def test_letters_of_any_script_stay_legible() -> None:
    written = text(lock_of(definition(description="Łódź 日本 🌱 naïve")))
    assert "Łódź 日本 🌱 naïve" in written


def test_the_order_in_which_things_came_is_not_seen() -> None:
    tools = [definition(f"tool_{number}") for number in range(20)]
    shuffled = random.Random(7).sample(tools, len(tools))
    assert text(lock_of(*tools)) == text(lock_of(*shuffled))


def test_a_lock_without_servers_is_a_lock(tmp_path: Path) -> None:
    write(tmp_path / "licet.lock", Lock())
    assert (tmp_path / "licet.lock").read_text() == '{\n  "servers": {},\n  "version": 1\n}\n'
    assert read(tmp_path / "licet.lock") == Lock()


def test_where_there_is_no_file_there_is_no_lock(tmp_path: Path) -> None:
    assert read(tmp_path / "licet.lock") is None
