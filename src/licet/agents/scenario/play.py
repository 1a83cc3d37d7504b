"""Plays a scenario from its beginning."""

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...doors.registry import ToolRegistry
from ...errors import ConfigurationError
from ...ports import Clock, Model
from ...project.manifest import Manifest
from ...project.scenario import Scenario
from ...runtime.clock import SystemClock
from ...runtime.runtime import RUN_ID
from ..cast.handlers import HANDLERS
from ..cast.models import model_named
from ..workflow.pinned_skills import Pin, behind
from .budget import Budget
from .ensemble import ensemble
from .journal import OPENED, Journal
from .stage import Outcome, Stage, Stop
from .work import begin_work

LONGEST_SEED = 10_000
"""Characters."""


async def play(
    scenario: Scenario,
    cast: Sequence[Manifest],
    registry: ToolRegistry,
    *,
    seed: str | None = None,
    run_id: str | None = None,
    secret: bytes | None = None,
    clock: Clock | None = None,
    folder: str = "",
    skills: Mapping[str, Pin] | None = None,
    model: Callable[[Manifest], Model] = model_named,
    handlers: Mapping[str, Callable[..., Any]] = HANDLERS,
) -> Outcome:
    """Play it once. The same scenario, cast, seed, ``run_id`` and ``secret`` give the same prompts and entries.

    Without ``run_id`` and ``secret``, 16 to 64 bytes under which results are fenced, both are chance. A turn that is
    refused or fails is told on the ledger, and the next one comes. The registry has to hold the cast's rules
    (``GrantRules``). ``folder`` is where it is played, and ``skills`` those that its cast may load, as they are now
    (``pins_of``): what they name waits for them, and whoever goes on with it later keeps to their digests.

    Raises:
        ConfigurationError: the run's id is none, or stands on the ledger already; the seed is no text of at most
            ``LONGEST_SEED`` characters; an agent needs what there is not.
        LedgerUnavailableError: no ledger, no scenario.
    """
    seed = _text(scenario.default_seed if seed is None else seed)
    run_id = run_id or f"s{os.urandom(8).hex()}"
    _refuse_known(registry, run_id)
    ledger, budget = registry.runtime.ledger, Budget(scenario.governor)
    journal = Journal(ledger, clock or SystemClock(), run_id, folder=folder)
    body: dict[str, Any] = {
        "cast": list(scenario.cast),
        "goal": scenario.goal,
        "scenario": scenario.name,
        "seed": seed,
        "text": scenario.genesis_text,
    }
    if skills is not None:
        body["skills"] = {name: pin.digest for name, pin in skills.items()}
    waits = behind((skills or {}).values())
    if waits:
        body["behind"] = list(waits)
    gathering = ensemble(cast, registry, budget, journal, secret=secret, model=model, handlers=handlers)
    async with gathering as performers:
        journal.note(OPENED, scenario.name, body)
        stage = Stage(scenario, performers, budget, journal, seed=seed, text=scenario.genesis_text)
        stage.driver = begin_work(scenario, performers, ledger, journal, waits)
        return await stage.play()


def _text(seed: str) -> str:
    try:
        seed.encode()
    except UnicodeEncodeError:
        raise ConfigurationError("the seed is no text in UTF-8; write it as one") from None
    if len(seed) > LONGEST_SEED:
        raise ConfigurationError(f"the seed has {len(seed)} characters; use at most {LONGEST_SEED}")
    return seed


def _refuse_known(registry: ToolRegistry, run_id: str) -> None:
    if not RUN_ID.fullmatch(run_id):
        raise ConfigurationError(f"{run_id!r} is no run id; use 1 to 64 of the characters A-Z a-z 0-9 _ -")
    if next(iter(registry.runtime.ledger.entries(run_id)), None) is not None:
        raise ConfigurationError(f"the run {run_id} stands on this ledger already; a scenario begins one of its own")


__all__ = ["LONGEST_SEED", "Outcome", "Stop", "play"]
