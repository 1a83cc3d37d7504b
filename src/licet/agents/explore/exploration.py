"""One exploration from beginning to end: the scenario ``explore`` that comes with licet, the corridor, the proof."""

import asyncio
import os
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ...bundles.files import read_only_builtins
from ...doors.registry import ToolRegistry, principal_of
from ...ledger.verify import verify_file
from ...model.principal import Principal
from ...ports import Model
from ...project.shelf import Shelf
from ..cast.handlers import HANDLERS
from ..loop import Bounds
from ..scenario.gather import Gathered, gather
from ..scenario.play import play
from ..work.held import held
from .again import again
from .explorer import HANDLER, Explorer, Watch
from .fact import Account, Report
from .investigation import BOUNDS

SCENARIO = "explore"


def explorer(root: str) -> Principal:
    """Who explores: it may read below ``root``, and nothing else."""
    (manifest,) = _gathered(root).cast
    return principal_of(manifest.name, manifest)


def explore(
    root: str,
    ledger: str,
    watch: Watch | None = None,
    *,
    model: Model | None = None,
    bounds: Bounds = BOUNDS,
    thorough: bool = False,
) -> Report:
    """Explore the folder ``root``; every call stands on the ledger, a file that is begun if there is none.

    The lines of ``QUICKLY`` files are counted, or with ``thorough`` of ``THOROUGHLY``; the rest is estimated. With a
    ``model`` that one explores, under the same grants and within ``bounds``, and says what it makes of the project; a
    small one is helped by the planner. Blocks, and runs a loop of its own.

    Raises:
        LedgerUnavailableError: the ledger cannot be written; what was found until then is not reported.
        ProviderError: the model gave no answer; ``go_on`` goes on with the run.
    """
    root, ledger = os.path.abspath(root), os.path.abspath(ledger)
    acting = Explorer(watch or Watch(), model=model, bounds=bounds, thorough=thorough)
    gathered = _gathered(root)
    return reported(root, ledger, acting, lambda: _play(gathered, root, ledger, acting))


def go_on(
    root: str, ledger: str, run_id: str, watch: Watch | None = None, *, model: Model, bounds: Bounds = BOUNDS
) -> Report:
    """Go on with an exploration of a large model that ended in between, from what the ledger holds of it.

    The caller has verified the chain. What the model was given is judged by the grants of now; a call that began and
    has no end is not started again.

    Raises:
        ConfigurationError: it ended with a report, or no model's words are kept.
        ReplayError: the ledger does not lead where it says.
        NotAppliedError: another process works on it.
        LedgerUnavailableError: no ledger, no call.
        ProviderError: the model gave no answer.
    """
    root, ledger = os.path.abspath(root), os.path.abspath(ledger)
    acting = Explorer(watch or Watch(), model=model, bounds=bounds)
    (manifest,) = _gathered(root).cast

    async def going() -> str:
        with _registry(ledger) as registry, held(registry.runtime.ledger, run_id):
            try:
                await again(acting, registry, manifest, run_id)
            finally:
                await let_go(model)
        return run_id

    return reported(root, ledger, acting, going)


def reported(root: str, ledger: str, acting: Explorer, work: Callable[[], Coroutine[Any, Any, str]]) -> Report:
    """The report of some work, which gives the id of its run, and the proof of what stands on its ledger."""
    (manifest,) = _gathered(root).cast
    started = time.monotonic()
    run_id = asyncio.run(work())
    seconds = time.monotonic() - started
    outcome, findings = acting.outcome, None if acting.planner is None else acting.planner.findings
    assert outcome is not None
    assert findings is not None or acting.told is not None
    proof = verify_file(ledger)
    account = Account(
        planner=acting.who,
        run_id=run_id,
        principal=manifest.name,
        mode=manifest.mode,
        calls=outcome.calls,
        by_tool=tuple(sorted(acting.watch.tools.items())),
        refused=outcome.refused,
        failed=outcome.failed,
        seconds=round(seconds, 3),
        ledger=ledger,
        head=proof.head.hex(),
        entries=proof.count,
        verified=proof.ok,
        verification=proof.text,
    )
    return Report(root=root, findings=findings, account=account, told=acting.told)


def _gathered(root: str) -> Gathered:
    """As it comes with licet: what is explored has no say in it."""
    return gather(SCENARIO, Shelf(None), handlers=[*HANDLERS, HANDLER], folder=Path(root))


async def _play(gathered: Gathered, root: str, ledger: str, acting: Explorer) -> str:
    seed = os.fsencode(root).decode("utf-8", "backslashreplace")
    run_id = f"s{os.urandom(8).hex()}"
    with _registry(ledger) as registry, held(registry.runtime.ledger, run_id):
        try:
            handlers: dict[str, Callable[..., Any]] = {**HANDLERS, HANDLER: acting}
            played = await play(*gathered, registry, seed=seed, run_id=run_id, handlers=handlers)
        finally:
            await let_go(acting.model)
    if acting.outcome is None:
        raise played.failed[0]
    return run_id


@contextmanager
def _registry(ledger: str) -> Iterator[ToolRegistry]:
    with ToolRegistry(ledger=ledger) as registry:
        for spec in read_only_builtins():
            registry.register(spec)
        yield registry


async def let_go(model: Model | None) -> None:
    """Let a model close its connections, if it has any."""
    close = getattr(model, "close", None)
    if close is not None:
        await close()


__all__ = ["BOUNDS", "SCENARIO", "Watch", "explore", "explorer", "go_on"]
