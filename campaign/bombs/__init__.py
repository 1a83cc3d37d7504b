"""Schemas, texts, values, names, patterns and files made to hurt, through the real doors, each in a process of its own.

YAML is left out: licet reads none yet.
"""

import random
import tempfile
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import Any

import licet
from campaign.bombs import names, patterns, schemas, texts, values
from campaign.bombs.bomb import PATIENCE_S, Bomb, Seen
from campaign.bombs.controls import CONTROLS
from campaign.bombs.trial import trial
from campaign.bombs.tripwire import Tripwire
from campaign.report import Report, Say

BOMBS: list[Bomb] = [*schemas.BOMBS, *texts.BOMBS, *values.BOMBS, *names.BOMBS, *patterns.BOMBS]

TRIES = 5
"""How often a bomb may try to stay within its limits: a busy machine takes time that is not the bomb's."""

CONTROL_PATIENCE_S = 2.0


def run(seed: int, short: bool, say: Say, bombs: Sequence[Bomb] | None = None) -> Report:
    """Every bomb in an order that depends on the seed; ``short`` changes nothing, for they are quick."""
    _load_everything()
    chosen = list(BOMBS if bombs is None else bombs)
    random.Random(seed).shuffle(chosen)
    findings: list[str] = []
    seen: dict[str, Seen] = {}
    with tempfile.TemporaryDirectory() as folder:
        tripwire = Tripwire(Path(folder))
        try:
            for bomb in chosen:
                title = f"{bomb.kind}: {bomb.name}"
                seen[title] = one = _best(bomb, tripwire)
                findings += [f"{title}: {problem}" for problem in one.problems(bomb.expects)]
                if findings and findings[-1].startswith(title):
                    say(findings[-1])
            missed = [
                control.name
                for control in CONTROLS
                if not trial(control, tripwire, patience_s=CONTROL_PATIENCE_S).problems(control.expects)
            ]
        finally:
            tripwire.close()
    return Report(
        _figure(seen),
        tuple(findings),
        f"{len(CONTROLS)} of these without a guard" + (f" (not caught: {', '.join(missed)})" if missed else ""),
        not missed,
        {"bombs": {title: one._asdict() for title, one in sorted(seen.items())}},
    )


def _best(bomb: Bomb, tripwire: Tripwire) -> Seen:
    seen = trial(bomb, tripwire, patience_s=PATIENCE_S)
    for _ in range(TRIES - 1):
        if not seen.problems(bomb.expects) or seen.outcome.startswith(("hung", "raised")):
            break
        seen = seen.better(trial(bomb, tripwire, patience_s=PATIENCE_S))
    return seen


def _figure(seen: dict[str, Seen]) -> str:
    done = [one for one in seen.values() if one.outcome == "done"]
    slowest = max((one.seconds for one in done), default=0.0)
    stall = max((one.stall_s for one in seen.values()), default=0.0)
    growth = max((one.growth_bytes for one in seen.values()), default=0)
    fetches = sum(len(one.fetches) for one in seen.values())
    return (
        f"{len(seen)} bombs, {len(seen) - len(done)} refused, the others in {slowest * 1000:.0f} ms at most; the loop "
        f"stood still for {stall * 1000:.0f} ms, memory grew by {growth / 1e6:.0f} MB at most, {fetches} fetches"
    )


def _load_everything() -> None:
    """So that no bomb pays for an import: its process begins as a copy of this one."""
    for module in walk_packages(licet.__path__, "licet."):
        if not module.name.endswith("__main__"):
            import_module(module.name)
    for name in ("jsonschema_rs", "orjson", "re2", "rfc8785", "difflib", "asyncio"):
        loaded: Any = import_module(name)
        assert loaded
