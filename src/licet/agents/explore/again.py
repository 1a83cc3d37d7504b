"""An exploration of a large model goes on that ended in between, in whatever process."""

import os

from ...dialects.untrusted import Fence
from ...doors.registry import ToolRegistry, principal_of
from ...errors import ConfigurationError
from ...project.manifest import Manifest
from ...runtime.clock import SystemClock
from ...schema.canonical import freeze
from ..loop import Record
from ..loop.resumed import resumed
from ..scenario.journal import ENDED, MOST_EVENT_BYTES, Journal
from ..spoken import retold
from .explorer import Explorer
from .investigation import investigated


async def again(acting: Explorer, registry: ToolRegistry, manifest: Manifest, run_id: str) -> None:
    """Let its model go on, from what the ledger holds of their conversation.

    Raises:
        ConfigurationError: it ended with a report, or no model's words are kept.
        ReplayError: the ledger does not lead where it says.
        LedgerUnavailableError: no ledger, no call.
        ProviderError: the model gave no answer.
    """
    model, ledger = acting.model, registry.runtime.ledger
    known = retold(ledger.entries(run_id))
    if known is None or model is None:
        raise ConfigurationError(f"no model's words are kept of the run {run_id}; begin another: licet explore PATH")
    run = registry.runtime.begin(principal_of(manifest.name, manifest), id=run_id)
    run.fence = Fence(os.urandom(32))
    acting.watch.begun(run_id)
    try:
        before = await resumed(known, run, ledger)
        outcome = await investigated(
            model,
            run,
            [spec.model_tool for spec in registry.runtime.tools_for(run.principal)],
            None,
            record=Record(ledger, run, sent=known.sent),
            bounds=acting.bounds,
            before=before,
            progress=acting.answered,
        )
    finally:
        run.close()
    event = acting.ended(model, outcome)
    payload, _ = freeze(dict(event.payload), limit_bytes=MOST_EVENT_BYTES)
    journal = Journal(ledger, SystemClock(), run_id)
    journal.event(event.kind, manifest.name, payload)
    journal.note(ENDED, manifest.name, {"calls": outcome.calls, "events": 1, "stop": "quiet", "tokens": 0, "turns": 1})
    journal.close()


__all__ = ["again"]
