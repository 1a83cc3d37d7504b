"""usage: python -m campaign.policy.replay < CASE: compare one case again, the line of JSON that was printed for it."""

import asyncio
import sys

from campaign.policy.compare import replayed
from campaign.policy.shrink import read

if __name__ == "__main__":
    found = asyncio.run(replayed(read(sys.stdin.read())))
    print("\n".join(found) or "no difference")
    sys.exit(bool(found))
