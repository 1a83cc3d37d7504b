"""What decides, twice over: a naive interpreter against the real one, and mutants that the tests have to kill."""

import asyncio
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import islice
from multiprocessing import get_context

from campaign import mutants
from campaign.policy.cases import Case
from campaign.policy.compare import compared, replayed
from campaign.policy.shrink import shrunk, written
from campaign.policy.wrong import WRONG
from campaign.report import Report, Say

PAIRS, PAIRS_SHORT = 1_000_000, 20_000
BLOCK = 5_000
WORKERS = 2
CONTROL_PAIRS = 5_000
"""How many pairs a wrong judge may get through before it has to be noticed."""
SHOWN = 10


def run(seed: int, short: bool, say: Say) -> Report:
    pairs = PAIRS_SHORT if short else PAIRS
    differences = differing(seed, pairs, say)
    missed = [wrong for wrong in WRONG if not is_noticed(wrong, seed)]
    say(f"{len(WRONG) - len(missed)} of {len(WRONG)} wrong judges noticed")
    tested = mutants.run(seed, short, say)
    figure = f"{pairs:,} pairs, {len(differences)} different; {tested.figure}"
    control = f"{', '.join(WRONG)}; {tested.control}"
    findings = (*differences, *tested.findings)
    caught = not missed and tested.control_caught
    return Report(figure, findings, control, caught, {"pairs": pairs, "wrong": missed, **tested.details})


def differing(seed: int, pairs: int, say: Say) -> list[str]:
    """The differences, shrunk, each with a line that ``python -m campaign.policy.replay`` takes."""
    if pairs <= BLOCK:
        return list(islice(_told(one_block(seed, pairs, 0)), SHOWN))
    blocks = range((pairs + BLOCK - 1) // BLOCK)
    found: list[str] = []
    with ProcessPoolExecutor(WORKERS, get_context("spawn")) as pool:
        for block, found_in in enumerate(pool.map(partial(one_block, seed, BLOCK), blocks)):
            found += islice(_told(found_in), max(SHOWN - len(found), 0))
            if block % 20 == 19 or block == blocks[-1]:
                say(f"{min((block + 1) * BLOCK, pairs):,} pairs compared, {len(found)} different")
    return found


def one_block(seed: int, pairs: int, block: int) -> list[tuple[str, Case]]:
    return asyncio.run(compared(seed, block, pairs))


def _told(found_in: list[tuple[str, Case]]) -> Iterator[str]:
    for word, case in found_in:
        small = shrunk(case, lambda smaller: bool(_replayed(smaller)))
        yield f"{word}: {written(small)}"


def _replayed(case: Case) -> list[str]:
    return asyncio.run(replayed(case))


def is_noticed(wrong: str, seed: int) -> bool:
    """Whether a comparison with this judge finds a difference."""
    with WRONG[wrong]():
        return bool(asyncio.run(compared(seed, 0, CONTROL_PAIRS)))
