"""An exploration of a large model that stood still goes on: what ``licet resume`` does with one."""

import argparse
import os
from pathlib import Path

from ..errors import ConfigurationError


def go_on(run_id: str, path: Path, root: str, *, as_json: bool) -> int:
    """Let the same model go on, and print its report. The chain of the ledger at ``path`` is verified already.

    Raises:
        ConfigurationError: no large model explored, or it ended with a report; its folder is not there any more.
        ProviderError: it gave no answer.
        LedgerUnavailableError: no ledger, no call.
    """
    from ..agents.explore import exploration
    from ..agents.spoken import retold
    from .explore import model_of, resumable, shown
    from .progress import Progress
    from .records import opened

    with opened(path) as records:
        told = retold(records.entries(run_id))
    if told is None:
        raise ConfigurationError(f"the run {run_id} explored without a model, which begins anew: licet explore {root}")
    if not os.path.isdir(root):
        raise ConfigurationError(f"the run {run_id} explored {root!r}, which is no folder any more")
    with Progress() as progress:
        model = model_of(told.model, progress)
        watch = exploration.Watch(progress.begun, progress.answered)
        with resumable(progress, model):
            report = exploration.go_on(root, str(path), run_id, watch, model=model)
    return shown(report, argparse.Namespace(json=as_json, full=False), None)


__all__ = ["go_on"]
