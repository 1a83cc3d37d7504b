"""Whatever a run wrote, whoever else wrote, and wherever an undo died: a rollback is whole, or it changes nothing."""

import random
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from desk import RUN, Desk
from licet import GrantSet, PathPolicy, Principal, Runtime
from licet.bundles.files import tools
from licet.errors import RollbackError
from licet.workspace.journal import Journal
from licet.workspace.undo import Undo

FILES = ("a", "b", "d/c", "d/e/f")


class Died(BaseException):
    """What a killed process looks like from within: nothing is cleaned up by anybody who catches errors."""


@contextmanager
def dying(holder: Any, name: str, after: int) -> Iterator[None]:
    """Die at a later call of a method: after so many of them went well."""
    real, left = getattr(holder, name), [after]

    def watched(*arguments: Any) -> Any:
        left[0] -= 1
        if left[0] < 0:
            raise Died
        return real(*arguments)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(holder, name, watched)
        yield


class Story:
    """A run over several processes, with others who write the same files, and what has to come of it."""

    def __init__(self, desk: Desk, chance: random.Random) -> None:
        self.desk = desk
        self.chance = chance
        self.before: dict[str, str | None] = {}
        """Each file that the run wrote, as it was before."""
        self.disturbed = False
        """Whether somebody else changed one of them since."""
        for name in FILES:
            if chance.random() < 0.4:
                self.put(name, "old")

    def put(self, name: str, text: str) -> None:
        file = self.desk.root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def now(self, name: str) -> str | None:
        file = self.desk.root / name
        return file.read_text() if file.exists() else None

    async def process(self) -> None:
        """A process of the run: some writes, and now and then an undo of them, which may die in the middle."""
        paths = PathPolicy.current_project(self.desk.root)
        who = Principal("agent", grants=[GrantSet.full()], mode="workspace_write", paths=paths)
        runtime = Runtime(tools(), ledger=self.desk.path)
        run = runtime.begin(who, id=RUN)
        earlier = dict(self.before)
        for _ in range(self.chance.randrange(4)):
            name, text = self.chance.choice(FILES), self.chance.choice(("1", "2", "3"))
            self.before.setdefault(name, self.now(name))
            (await run.call("write", {"path": name, "content": text})).unwrap()
        how = self.chance.random()
        if how < 0.2:
            await run.rollback()
            self.before = earlier
        elif how < 0.4:
            never_told = dying(runtime._corridor, "rolled_back", 0)
            with suppress(Died), never_told, dying(Journal, "_put_back", self.chance.randrange(3)):
                await run.rollback()
        runtime.close()

    def somebody_else(self) -> None:
        name = self.chance.choice(FILES)
        self.disturbed |= name in self.before
        self.put(name, f"somebody else's {self.chance.random()}")


@pytest.mark.parametrize("seed", [*range(60), 1376, 1446])
async def test_a_rollback_is_whole_or_changes_nothing(seed: int, tmp_path: Path) -> None:
    desk, chance = Desk(tmp_path), random.Random(seed)
    story = Story(desk, chance)
    for _ in range(chance.randrange(1, 4)):
        await story.process()
        if chance.random() < 0.2:
            story.somebody_else()
    if chance.random() < 0.5 and not story.disturbed and story.before:
        with suppress(Died), dying(Undo, "_put_back", chance.randrange(3)):
            desk.rollback()
        if chance.random() < 0.2:
            story.before = {} if desk.entries()[-1].kind == "run.rolled_back" else story.before
            story.somebody_else()
    before = desk.tree()
    if story.disturbed:
        with pytest.raises(RollbackError):
            desk.rollback()
        assert desk.tree() == before
    elif story.before:
        desk.rollback()
        assert {name: story.now(name) for name in story.before} == story.before
    assert list(desk.root.rglob("*.tmp")) == []
