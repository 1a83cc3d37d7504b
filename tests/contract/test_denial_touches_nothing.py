"""A refused call opens no file and no socket and starts no process, through every door: the interpreter is asked."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from denials import Door, by_blocking, by_loop, by_registry, by_runner, by_runtime, watched

from doubles import Says, Spy, holder
from licet import PathPolicy, Principal, ToolCapability, ToolRegistry
from licet.bundles.files import tools
from licet.testing import RecordingLedger, fake_tool


@pytest.fixture
def world(tmp_path: Path) -> Iterator[tuple[ToolRegistry, Principal, RecordingLedger]]:
    (tmp_path / "note.txt").write_text("text")
    ledger = RecordingLedger()
    registry = ToolRegistry(ledger=ledger, approver=Says(False))
    for spec in tools():
        registry.register(spec)
    registry.register(fake_tool("unsafe", capabilities=ToolCapability(read_only=True, unsafe=True))[0])
    registry.set_resolver(Spy())
    grants = ("read", "ls", "write", "unsafe", "nowhere")
    yield registry, holder(*grants, mode="read_only", paths=PathPolicy.current_project(tmp_path)), ledger
    registry.close()


REFUSED: list[tuple[str, Any]] = [
    ("grep", {"pattern": "x"}),
    ("nowhere", {}),
    ("no name", {}),
    ("write", {"path": "new.txt", "content": "x"}),
    ("unsafe", {}),
    ("read", {}),
    ("read", {"path": 7}),
    ("read", {"path": "../etc/passwd"}),
    ("read", {"path": "/etc/passwd"}),
    ("read", {"path": "a\0b"}),
    ("read", {"path": "note.txt", "extra": 1}),
    ("read", '{"path": "note.txt", "path": "note.txt"}'),
    ("ls", {"path": "note.txt", "limit": 0}),
]


@pytest.mark.requirement("own.denial-touches-nothing")
@pytest.mark.parametrize("door", [by_runtime, by_loop, by_blocking, by_registry, by_runner])
def test_a_refused_call_touches_nothing_through_any_door(
    world: tuple[ToolRegistry, Principal, RecordingLedger], door: Door
) -> None:
    registry, who, ledger = world
    for name, arguments in REFUSED:  # what is imported when it is first needed is imported now
        door(registry, who, name, arguments)
    before = len(ledger.kinds)
    with watched() as seen:
        for name, arguments in REFUSED:
            door(registry, who, name, arguments)
    assert seen == []
    assert set(ledger.kinds) == {"tool.refused", "tool.denied"}
    assert len(ledger.kinds) - before == len(REFUSED)


@pytest.mark.parametrize("door", [by_runtime, by_loop, by_blocking, by_registry, by_runner])
def test_the_control_a_call_that_runs_is_seen_to_open_its_file(
    world: tuple[ToolRegistry, Principal, RecordingLedger], door: Door
) -> None:
    registry, who, _ = world
    door(registry, who, "ls", {"path": "."})
    with watched() as seen:
        door(registry, who, "ls", {"path": "."})
    assert any("open" in event or "scandir" in event for event in seen), seen
