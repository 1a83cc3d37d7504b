"""The simulation: seeded draws in blocks, every action on the same draws."""

import hashlib
import secrets
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from ...schema.canonical import OPTIONS
from ..error import DecisionError
from ..expression import names
from ..fit import fitted
from .arguments import SIMULATE
from .distribution import Distribution
from .evaluate import evaluate, undefined
from .run import HOLD, PROCEED, Option, Run
from .scenario import MAX_ACTIONS, UNIT, Action, label, objective, variables
from .tally import Tally

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MAX_NUMBERS = 100_000_000
"""Draws times variables, and draws times actions."""

_BLOCK_NUMBERS = 1 << 18
_BLOCK_LEAST, _BLOCK_MOST = 1 << 10, 1 << 16

Progress = Callable[[int, int], None]
"""Is told how many draws of how many are done."""


def simulate(
    arguments: Mapping[str, Any], *, progress: Progress | None = None, stop: Callable[[], bool] | None = None
) -> Run:
    """Run a simulation of ``arguments`` (``SIMULATE`` is their schema). Takes processor time; run it in a thread.

    Each variable has a random stream of its own, so that its draws do not depend on the other variables, nor on which
    of them the objective uses. Without a seed one is chosen, and told. Memory stays under 512 MB.
    ``stop`` is asked and ``progress`` told after each block of at most 65,536 draws.

    Raises:
        DecisionError: ``invalid_arguments``, ``invalid_variable``, ``invalid_distribution``, ``invalid_expression``,
            ``unknown_name``, ``invalid_label``; ``simulation_too_large``; ``objective_undefined``: some draw has no
            finite value, by a division by zero, a logarithm or root of what has none, or an overflow: no draw is left
            out in silence; ``simulation_stopped`` (503).
    """
    arguments = fitted(SIMULATE, arguments, where="simulate")
    drawn = variables(arguments["variables"], where="simulate")
    actions = _actions(arguments["objective"], drawn)
    unit = label(arguments.get("unit", UNIT), where="the unit")
    total = int(arguments["n_simulations"])
    if total * max(len(drawn), len(actions)) > MAX_NUMBERS:
        most = MAX_NUMBERS // max(len(drawn), len(actions))
        raise DecisionError(
            "simulation_too_large", f"{total} draws of so many numbers are too many; use at most {most}"
        )
    seed = arguments.get("seed")
    seed = secrets.randbits(53) if seed is None else int(seed)
    tallies = _tallied(drawn, actions, total, seed, progress or (lambda done, total: None), stop or (lambda: False))
    options = tuple(one.option(unit) for one in tallies)
    return Run(options, _recommended(options), total, seed, _digest(arguments, seed, tallies))


def _actions(told: str | Mapping[str, str], known: Mapping[str, Distribution]) -> list[Action]:
    if isinstance(told, str):
        return [Action(PROCEED, objective(told, known, where="the objective"))]
    if not 1 <= len(told) <= MAX_ACTIONS:
        raise DecisionError("invalid_arguments", f"the objective has {len(told)} actions; use 1 to {MAX_ACTIONS}")
    return [
        Action(label(name, where="the name of an action"), objective(text, known, where=f"the objective of {name}"))
        for name, text in told.items()
    ]


def _tallied(
    drawn: Mapping[str, Distribution],
    actions: list[Action],
    total: int,
    seed: int,
    progress: Progress,
    stop: Callable[[], bool],
) -> list[Tally]:
    import numpy as np

    used = frozenset[str]().union(*(names(one.objective) for one in actions))
    children = np.random.SeedSequence(seed).spawn(len(drawn))
    streams = {
        name: (law, np.random.Generator(np.random.PCG64(child)))
        for (name, law), child in zip(drawn.items(), children, strict=True)
        if name in used
    }
    block = min(max(_BLOCK_NUMBERS // (len(streams) + len(actions)), _BLOCK_LEAST), _BLOCK_MOST)
    tallies = [Tally(one.name, total, block) for one in actions]
    for begin in range(0, total, block):
        if stop():
            raise DecisionError("simulation_stopped", f"the simulation was stopped after {begin} draws", status=503)
        count = min(block, total - begin)
        columns = {name: law.draw(stream, count) for name, (law, stream) in streams.items()}
        values = [_defined(evaluate(one.objective, columns, count), one) for one in actions]
        for tally, mine, best in zip(tallies, values, _best(values), strict=True):
            tally.feed(mine, best)
        progress(begin + count, total)
    return tallies


def _defined(values: "NDArray[np.float64]", action: Action) -> "NDArray[np.float64]":
    odd = undefined(values)
    if odd:
        raise DecisionError(
            "objective_undefined",
            f"the objective of {action.name} has no finite value in {odd} of {len(values)} draws: it divides by zero, "
            "takes a root or logarithm of what has none, or overflows; write it so that it is defined everywhere",
        )
    return values


def _best(values: "list[NDArray[np.float64]]") -> list[int]:
    """For each action the number of draws in which it is strictly above every other; above zero if it is alone."""
    import numpy as np

    if len(values) == 1:
        return [int(np.count_nonzero(values[0] > 0))]
    table = np.stack(values)
    highest = table.max(axis=0)
    leads = table == highest
    alone = leads.sum(axis=0) == 1
    return [int(np.count_nonzero(row & alone)) for row in leads]


def _recommended(options: tuple[Option, ...]) -> str:
    leading = max(options, key=lambda one: one.expected_value.value)
    return HOLD if len(options) == 1 and leading.expected_value.value <= 0 else leading.action


def _digest(arguments: Mapping[str, Any], seed: int, tallies: list[Tally]) -> str:
    import orjson

    told = orjson.dumps({**arguments, "seed": seed}, option=OPTIONS)
    whole = hashlib.sha256(told)
    for one in tallies:
        whole.update(one.hash.digest())
    return f"sha256:{whole.hexdigest()}"
