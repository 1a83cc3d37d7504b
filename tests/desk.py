"""Runs that wrote files and are gone, and the rollback of them."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from licet import GrantSet, PathPolicy, Principal, Runtime
from licet.bundles.files import tools
from licet.errors import RollbackError
from licet.ledger.sqlite import SqliteLedger
from licet.model.entry import Entry
from licet.runtime.rollback import RolledBack, rollback

RUN = "run-1"


class Desk:
    """A project, a ledger beside it, and runs whose processes are gone."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "project"
        self.root.mkdir()
        self.path = folder / "state" / "ledger.db"
        self.path.parent.mkdir()
        self.blobs = folder / "state" / "ledger.db.blobs"

    async def run(self, *calls: tuple[str, dict[str, Any]], run: str = RUN, more: Any = (), **principal: Any) -> None:
        """Calls of one run, each of which succeeds."""
        paths = principal.pop("paths", PathPolicy.current_project(self.root))
        who = Principal("agent", grants=[GrantSet.full()], paths=paths, **{"mode": "workspace_write", **principal})
        async with Runtime([*tools(), *more], ledger=self.path) as runtime, runtime.run(who, id=run) as begun:
            for name, arguments in calls:
                (await begun.call(name, arguments)).unwrap()

    async def write(self, **files: str) -> None:
        await self.run(*(("write", {"path": path, "content": text}) for path, text in files.items()))

    def rollback(self, run: str = RUN, **options: Any) -> RolledBack:
        with closing(SqliteLedger(self.path)) as ledger:
            return rollback(ledger, run, "operator", **options)

    def entries(self, kind: str = "", run: str = RUN) -> list[Entry]:
        with closing(SqliteLedger(self.path)) as ledger:
            return [entry for entry in ledger.entries(run) if kind in ("", entry.kind)]

    def tree(self) -> dict[str, str]:
        """Everything in the project: folders end with a slash."""
        found = {}
        for path in sorted(self.root.rglob("*")):
            name = str(path.relative_to(self.root))
            found.update({f"{name}/": ""} if path.is_dir() else {name: path.read_text()})
        return found

    @contextmanager
    def refused(self, match: str) -> Iterator[None]:
        """Nothing changes, on the disk or on the ledger."""
        before, entries = self.tree(), len(self.entries())
        with pytest.raises(RollbackError, match=match):
            yield
        assert self.tree() == before
        assert len(self.entries()) == entries
