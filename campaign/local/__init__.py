"""A language model on this machine, over a mixed surface: with the grammar of what it was offered, and without.

The control is the same model with the same tasks and no grammar: it has to write what the grammar forbids, or nothing
shows that the grammar does anything.
"""

import asyncio

from campaign.local.turns import Tally, taken
from campaign.report import Report, Say

TURNS, TURNS_SHORT = 200, 16
MOST_TOKENS_WITHOUT = 160
"""Four times what a call takes: without a grammar a model may go on for ever."""

LEAST_VALID = 0.95


def run(seed: int, short: bool, say: Say) -> Report:
    return asyncio.run(_run(seed, TURNS_SHORT if short else TURNS, say))


async def _run(seed: int, turns: int, say: Say) -> Report:
    from licet.providers.local import Local

    free = Local(guided=False, answers=False, most_tokens=MOST_TOKENS_WITHOUT)
    without = await taken(free, turns, seed, lambda line: say(f"without grammar: {line}"))
    await free.close()
    guided = Local(answers=False)
    held = await taken(guided, turns, seed, lambda line: say(f"with grammar: {line}"))
    await guided.close()
    figure = f"with grammar {held.told}; without {without.told}"
    control = f"no grammar: {without.parsed} of {without.turns} turns parse, {without.offered} name an offered tool"
    return Report(figure, tuple(findings(held)), control, bool(findings(without)), _details(held, without))


def findings(tally: Tally) -> list[str]:
    """What must not be with a grammar."""
    found = list(tally.problems)
    if tally.parsed < tally.turns:
        found.append(f"{tally.turns - tally.parsed} of {tally.turns} turns are no JSON object")
    if tally.offered < tally.turns:
        found.append(f"{tally.turns - tally.offered} of {tally.turns} turns call nothing that was offered")
    if tally.valid < LEAST_VALID * tally.turns:
        found.append(f"{tally.valid} of {tally.turns} calls fit their schema, {LEAST_VALID:.0%} is the least")
    if refused := {code: count for code, count in tally.codes.items() if code not in ("done", "invalid_arguments")}:
        found.append(f"calls refused other than as invalid_arguments: {refused}")
    return found


def _details(held: Tally, without: Tally) -> dict[str, object]:
    arms = {"with grammar": held, "without grammar": without}
    return {
        name: {
            "turns": tally.turns,
            "parsed": tally.parsed,
            "offered": tally.offered,
            "valid": tally.valid,
            "codes": dict(tally.codes),
            "tools": dict(tally.tools),
            "tokens": tally.tokens,
        }
        for name, tally in arms.items()
    }
