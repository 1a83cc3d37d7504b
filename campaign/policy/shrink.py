"""Makes a case that matters small enough to read, and a text that replays it."""

import json
from collections.abc import Callable, Iterator

from campaign.policy.cases import Case, Slot, World
from campaign.reference import Call, Caller, Tool


def shrunk(case: Case, differs: Callable[[Case], bool]) -> Case:
    """The same difference with everything left out that it does not need."""
    smaller = next((small for small in _smaller(case) if differs(small)), None)
    return case if smaller is None else shrunk(smaller, differs)


def _smaller(case: Case) -> Iterator[Case]:
    world, caller = case.world, case.caller
    for at in range(len(world.tools)):
        yield case._replace(world=World._make((*part[:at], *part[at + 1 :]) for part in world))
    for at in range(len(case.slots)):
        yield case._replace(slots=case.slots[:at] + case.slots[at + 1 :])
    for at in range(len(caller.grants)):
        yield case._replace(caller=caller._replace(grants=caller.grants[:at] + caller.grants[at + 1 :]))
    for at in range(len(caller.sets)):
        yield case._replace(caller=caller._replace(sets=caller.sets[:at] + caller.sets[at + 1 :]))
    if case.approver is not None:
        yield case._replace(approver=None)
    if case.text is not None and case.call.is_json:
        yield case._replace(text=None)


def written(case: Case) -> str:
    """One line of JSON."""
    return json.dumps(case)


def read(text: str) -> Case:
    """The case that ``written`` wrote."""
    world, caller, slots, approver, call, offered = json.loads(text)
    tools = tuple(Tool._make((*facts, tuple(pointers))) for *facts, pointers in world[0])
    told = World(tools, tuple(world[1]), tuple(world[2]), tuple(map(tuple, world[3])))
    grants, sets, mode, access, roots = caller
    who = Caller(tuple(grants), tuple(map(tuple, sets)), mode, access, tuple(roots))
    checks = tuple(Slot(says, when, None if on is None else tuple(on), other) for says, when, on, other in slots)
    return Case(told, who, checks, approver, Call(*call), offered)
