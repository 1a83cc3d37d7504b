"""One exploration from beginning to end: the scenario ``explore`` that comes with licet, the corridor, the proof."""

import asyncio
import os
import time
from pathlib import Path

from ...bundles.files import read_only_builtins
from ...doors.registry import ToolRegistry, principal_of
from ...ledger.verify import verify_file
from ...model.principal import Principal
from ...ports import Model
from ...project.shelf import Shelf
from ..cast.handlers import HANDLERS
from ..scenario.gather import Gathered, gather
from ..scenario.play import Outcome, play
from .explorer import HANDLER, Explorer, Watch
from .fact import Account, Report
from .planner import ScriptedPlanner

SCENARIO = "explore"


def explorer(root: str) -> Principal:
    """Who explores: it may read below ``root``, and nothing else."""
    (manifest,) = _gathered(root).cast
    return principal_of(manifest.name, manifest)


def explore(
    root: str, ledger: str, watch: Watch | None = None, *, model: Model | None = None, thorough: bool = False
) -> Report:
    """Explore the folder ``root``; every call stands on the ledger, a file that is begun if there is none.

    The lines of ``QUICKLY`` files are counted, or with ``thorough`` of ``THOROUGHLY``; the rest is estimated.
    Blocks, and runs a loop of its own.

    Raises:
        LedgerUnavailableError: the ledger cannot be written; what was found until then is not reported.
    """
    root, ledger = os.path.abspath(root), os.path.abspath(ledger)
    seen = watch or Watch()
    acting = Explorer(seen, model=model, thorough=thorough)
    gathered = _gathered(root)
    started = time.monotonic()
    outcome = asyncio.run(_play(gathered, root, ledger, acting))
    seconds = time.monotonic() - started
    planner = acting.planner
    assert isinstance(planner, ScriptedPlanner)
    assert planner.findings is not None
    assert acting.outcome is not None
    proof = verify_file(ledger)
    (manifest,) = gathered.cast
    account = Account(
        planner=planner.name,
        run_id=outcome.run_id,
        principal=manifest.name,
        mode=manifest.mode,
        calls=acting.outcome.calls,
        by_tool=tuple(sorted(seen.tools.items())),
        refused=acting.outcome.refused,
        failed=acting.outcome.failed,
        seconds=round(seconds, 3),
        ledger=ledger,
        head=proof.head.hex(),
        entries=proof.count,
        verified=proof.ok,
        verification=proof.text,
    )
    return Report(root=root, findings=planner.findings, account=account)


def _gathered(root: str) -> Gathered:
    """As it comes with licet: what is explored has no say in it."""
    return gather(SCENARIO, Shelf(None), handlers=[*HANDLERS, HANDLER], folder=Path(root))


async def _play(gathered: Gathered, root: str, ledger: str, acting: Explorer) -> Outcome:
    seed = os.fsencode(root).decode("utf-8", "backslashreplace")
    with ToolRegistry(ledger=ledger) as registry:
        for spec in read_only_builtins():
            registry.register(spec)
        return await play(*gathered, registry, seed=seed, handlers={**HANDLERS, HANDLER: acting})


__all__ = ["SCENARIO", "Watch", "explore", "explorer"]
