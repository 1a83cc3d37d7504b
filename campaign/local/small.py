"""A few turns of both arms, for a test: ``python -m campaign.local.small``."""

import asyncio
import json

from campaign.local import MOST_TOKENS_WITHOUT, findings
from campaign.local.turns import taken
from licet.providers.local import Local

TURNS, SEED = 4, 7


async def both() -> dict[str, object]:
    """What each arm finds."""
    held = await taken(Local(answers=False), TURNS, SEED, lambda line: None)
    free = Local(guided=False, answers=False, most_tokens=MOST_TOKENS_WITHOUT)
    without = await taken(free, TURNS, SEED, lambda line: None)
    return {"found with": findings(held), "found without": bool(findings(without))}


if __name__ == "__main__":
    print(json.dumps(asyncio.run(both())))
