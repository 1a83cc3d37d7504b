import asyncio
from pathlib import Path

from licet import default_tool_registry
from licet.agents.cast.rules import GrantRules
from licet.agents.scenario.gather import gather
from licet.agents.scenario.play import play
from licet.project.shelf import Shelf

# --8<-- [start:play]
shelf = Shelf(Path.cwd(), Path("state"))  # the project's folder, and where trust is recorded
scenario, cast = gather("oracle-grove", shelf)
with default_tool_registry(checks=[GrantRules(*cast)]) as registry:
    done = asyncio.run(play(scenario, cast, registry, seed="midsummer", run_id="grove-1", secret=bytes(32)))
    events = [entry for entry in registry.runtime.ledger.entries("grove-1") if entry.kind == "oracle.spoke"]
print(done.stop, done.turns, done.events, done.calls)
print(len(events), events[0].body.decode().split('","')[0])
# prints:
# max_turns 8 8 4
# 4 {"omen":"A nameless serpent is not what it was where the road forks.
# --8<-- [end:play]
