"""One exploration from beginning to end: a read-only principal, a planner, the corridor, and the proof."""

import asyncio
import os
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from ...bundles.files import read_only_builtins
from ...ledger.verify import verify_file
from ...model.names import short
from ...model.paths import PathPolicy
from ...model.principal import GrantSet, Principal
from ...model.result import ToolResult
from ...ports import Model
from ...runtime.runtime import Runtime
from ..loop import Outcome, loop
from .fact import Account, Report
from .planner import ScriptedPlanner

MAX_TURNS = 100_000
QUICKLY, THOROUGHLY = 1_000, 50_000
"""Files whose lines are counted."""
TASK = "Explore this project with ls, find, grep and read, and report what a developer wants to know on the first day."


@dataclass(slots=True)
class Watch:
    """What happens on the way: ``begun`` is told the run's id, ``answered`` the number of calls and the last answer."""

    begun: Callable[[str], None] = lambda run_id: None
    answered: Callable[[int, ToolResult], None] = lambda calls, result: None
    run_id: str = ""
    seconds: float = 0.0
    tools: Counter[str] = field(default_factory=Counter)


def explorer(root: str) -> Principal:
    """Who explores: it may read below ``root``, and nothing else."""
    return Principal(
        "explorer",
        grants=[GrantSet.group("read_only_builtins")],
        mode="read_only",
        paths=PathPolicy.current_project(root),
    )


def explore(root: str, ledger: str, watch: Watch | None = None, *, thorough: bool = False) -> Report:
    """Explore the folder ``root``; every call stands on the ledger, a file that is begun if there is none.

    The lines of ``QUICKLY`` files are counted, or with ``thorough`` of ``THOROUGHLY``; the rest is estimated.
    Blocks, and runs a loop of its own.

    Raises:
        LedgerUnavailableError: the ledger cannot be written; what was found until then is not reported.
    """
    root, ledger = os.path.abspath(root), os.path.abspath(ledger)
    principal = explorer(root)
    planner = ScriptedPlanner(os.path.basename(root) or root, THOROUGHLY if thorough else QUICKLY)
    seen = watch or Watch()
    outcome = asyncio.run(_walk(planner, principal, ledger, seen))
    assert planner.findings is not None
    proof = verify_file(ledger)
    account = Account(
        planner=planner.name,
        run_id=seen.run_id,
        principal=principal.name,
        mode=principal.mode,
        calls=outcome.calls,
        by_tool=tuple(sorted(seen.tools.items())),
        refused=outcome.refused,
        failed=outcome.failed,
        seconds=round(seen.seconds, 3),
        ledger=ledger,
        head=proof.head.hex(),
        entries=proof.count,
        verified=proof.ok,
        verification=proof.text,
    )
    return Report(root=root, findings=planner.findings, account=account)


async def _walk(model: Model, principal: Principal, ledger: str, watch: Watch) -> Outcome:
    """Let any model explore: all that it gets are the tools that this principal may see."""

    def answered(calls: int, result: ToolResult) -> None:
        if result.code == "ledger_unavailable":
            result.unwrap()
        watch.tools[short(result.tool)] += 1
        watch.answered(calls, result)

    started = time.monotonic()
    async with Runtime(read_only_builtins(), ledger=ledger) as runtime, runtime.run(principal) as run:
        watch.run_id = run.id
        watch.begun(run.id)
        offered = [spec.model_tool for spec in runtime.tools_for(principal)]
        outcome = await loop(model, run, offered, TASK, max_turns=MAX_TURNS, progress=answered)
        runtime.ledger.flush()
    watch.seconds = time.monotonic() - started
    return outcome._replace(conversation=())  # asyncio prints a task's result while it puts the signal handler back
