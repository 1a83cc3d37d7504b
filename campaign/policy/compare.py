"""The reference interpreter against the real runtime: the same case through ``why``, ``tools_for`` and the corridor."""

import random
from collections.abc import Sequence
from typing import Any

from campaign import reference
from campaign.policy.cases import (
    FORMS,
    Case,
    Slot,
    World,
    some_call,
    some_caller,
    some_slots,
    some_world,
)
from campaign.reference import Call, Caller
from licet import Ask, Deny, GrantSet, PathPolicy, Permit, Principal, Runtime, Tool, ToolCapability, ToolSpec
from licet.errors import RegistrationError
from licet.model.tool import Annotations, Execution
from licet.model.verdict import PERMIT
from licet.runtime.run import Run

CALLERS_PER_WORLD, CALLS_PER_CALLER = 8, 25
PLACES = 6
"""Checks that every runtime has; those that a case does not use permit."""
DENY = Slot("deny rule_forbids", "always", None)
APPROVERS = (None, None, "yes", "yes", "no", "raise", "truthy", "itself")
WHO = "alice"


class Handler:
    """Runs on the caller's thread and keeps what it was given."""

    kind = "campaign"
    wants_context = False

    def __init__(self) -> None:
        self.given: list[dict[str, Any]] = []

    async def call(self, arguments: dict[str, Any], context: Any, /) -> Any:
        return self.call_blocking(arguments, context)

    def call_blocking(self, arguments: dict[str, Any], context: Any, /) -> Any:
        self.given.append(arguments)
        return {}


class Approver:
    def __init__(self) -> None:
        self.name = "bob"
        self.word = "yes"

    async def approve(self, request: Any, /) -> Any:
        if self.word == "raise":
            raise ValueError("not today")
        return {"yes": True, "itself": True, "no": False, "truthy": 1}[self.word]


class Stand:
    """A world twice: as a runtime with an approver and as one without. Its checks say what the slots of a case say."""

    def __init__(self, world: World) -> None:
        """Raises RegistrationError: two of its names look alike."""
        self.world = world
        self.handler = Handler()
        self.approver = Approver()
        self.slots: list[Slot | None] = [None] * PLACES
        tools = [self._tool(at) for at in range(len(world.tools))]
        checks = [self._check(place) for place in range(PLACES)]
        self.runtimes = {
            True: Runtime(tools, checks=checks, approver=self.approver),
            False: Runtime(tools, checks=checks),
        }

    def _tool(self, at: int) -> Tool:
        told = self.world.tools[at]
        members = FORMS[self.world.forms[at]][0]
        required = {"required": list(members)} if self.world.needs[at] else {}
        asks = {("unsafe", "human_approval_required")[at % 2]: told.asks}
        claims = self.world.claims[at]
        spec = ToolSpec(
            name=told.name,
            input_schema={"type": "object", "properties": members, "additionalProperties": False, **required},
            source=told.source,  # type: ignore[arg-type]
            tool_type=told.tool_type,  # type: ignore[arg-type]
            group=told.group,
            annotations=Annotations(read_only=claims[0], destructive=claims[1]),
            capabilities=ToolCapability(read_only=told.reads, writes=not told.reads and at % 3 == 0, **asks),
            execution=Execution(inline=told.source != "hosted"),
            path_access=told.access,  # type: ignore[arg-type]
            path_arguments=told.pointers,
        )
        return Tool(spec, None if told.source == "hosted" else self.handler)

    def _check(self, place: int) -> Any:
        def check(principal: Principal, spec: ToolSpec, arguments: Any) -> Any:
            slot = self.slots[place]
            return PERMIT if slot is None else _real_word(slot.word(spec.name, arguments), arguments)

        return check

    def close(self) -> None:
        for runtime in self.runtimes.values():
            runtime.close()


def _real_word(word: str, arguments: Any) -> Any:
    if word.startswith("deny "):
        return Deny(word[5:], "said the check")
    if word == "raise":
        raise ValueError("the check has a bug")
    if word == "meddle" and isinstance(arguments, dict):
        arguments.clear()
        arguments["n"] = "meddled"
    kinds = {"ask": Ask("said the check"), "nothing": None, "true": True, "text": "permit", "class": Permit}
    return kinds.get(word, PERMIT)


def principal_of(caller: Caller) -> Principal:
    sets = [GrantSet(kind, value) if kind != "glob" else GrantSet.glob(value) for kind, value in caller.sets]  # type: ignore[arg-type]
    paths = PathPolicy(caller.access, caller.roots)  # type: ignore[arg-type]
    return Principal(WHO, grants=[*caller.grants, *sets], mode=caller.mode, paths=paths)  # type: ignore[arg-type]


async def differences(stand: Stand, case: Case, run: Run) -> list[str]:
    """How the real runtime differs from the reference on one case."""
    call, arguments = case.call, case.offered
    expected = reference.verdict(case.world.tools, case.caller, _said(case), case.approver is not None, call)
    found = []
    if reference.canonical(call.name) is not None:
        said = _explained(stand.runtimes[case.approver is not None], run.principal, call.name, arguments)
        if said != expected:
            found.append(f"why says {said}, the reference {expected}")
    if expected == "ask":
        expected = "permit" if case.approver == "yes" else "deny approval_denied"
    stand.handler.given.clear()
    try:
        result = await run.call(call.name, arguments)
    except Exception as exc:
        return [*found, f"the corridor raised {exc!r}"]
    outcome = "permit" if result.success else f"deny {result.code}"
    if outcome != expected:
        found.append(f"the corridor says {outcome}, the reference {expected}")
    wanted = [call.arguments] if expected == "permit" else []
    if stand.handler.given != wanted:
        found.append(f"the handler was given {stand.handler.given}, not {wanted}")
    if not result.success and result.effect != "none":
        found.append(f"refused with effect {result.effect}")
    return found


async def loosened(stand: Stand, case: Case, run: Run) -> list[str]:
    """Whether one more check that denies lets the call through."""
    free = stand.slots.index(None)
    stand.slots[free] = DENY
    stand.handler.given.clear()
    result = await run.call(case.call.name, case.offered)
    stand.slots[free] = None
    if result.success or stand.handler.given:
        return [f"a check that denies was added, and the call ran: {result!r}"]
    return []


def listing(stand: Stand, case: Case) -> list[str]:
    """Whether the runtime lists what the reference would let through."""
    world, approver = case.world, case.approver is not None
    asked = ((tool.name, Call(tool.name, None)) for tool in world.tools)
    said = _said(case)
    wanted = [n for n, c in asked if reference.verdict(world.tools, case.caller, said, approver, c)[:4] != "deny"]
    shown = [spec.name for spec in stand.runtimes[approver].tools_for(principal_of(case.caller))]
    return [] if shown == wanted else [f"tools_for lists {shown}, the reference {wanted}"]


def _said(case: Case) -> list[reference.Said]:
    def as_said(slot: Slot) -> reference.Said:
        def said(name: str, arguments: Any) -> str:
            word = slot.word(name, arguments)
            return "permit" if word == "meddle" else word

        return said

    return [as_said(slot) for slot in case.slots]


def _explained(runtime: Runtime, principal: Principal, name: str, arguments: Any) -> str:
    explanation = runtime.why(principal, name, arguments)
    if explanation.denial is not None:
        return f"deny {explanation.denial.code}"
    return "ask" if explanation.asks else "permit"


def begun(stand: Stand, case: Case, places: Sequence[int]) -> Run:
    """A run of the case's caller, with its checks at these places and its approver as it is."""
    stand.slots[:] = [None] * PLACES
    for place, slot in zip(places, case.slots, strict=True):
        stand.slots[place] = slot
    if case.approver is not None:
        stand.approver.word = case.approver
        stand.approver.name = WHO if case.approver == "itself" else "bob"
    return stand.runtimes[case.approver is not None].begin(principal_of(case.caller))


async def replayed(case: Case) -> list[str]:
    """Everything that can be said of one case, in a world of its own."""
    stand = Stand(case.world)
    try:
        run = begun(stand, case, range(len(case.slots)))
        return [*listing(stand, case), *await differences(stand, case, run), *await loosened(stand, case, run)]
    finally:
        stand.close()


async def compared(seed: int, block: int, pairs: int) -> list[tuple[str, Case]]:
    """What differs in so many pairs of a policy and a call; the same for the same seed and block."""
    rng = random.Random(f"{seed}.{block}")
    found: list[tuple[str, Case]] = []
    done = 0
    while done < pairs:
        world = some_world(rng)
        try:
            stand = Stand(world)
        except RegistrationError:
            continue  # two of its names look alike
        for _ in range(CALLERS_PER_WORLD):
            caller, slots, approver = some_caller(rng, world), some_slots(rng, world), rng.choice(APPROVERS)
            case = Case(world, caller, slots, approver, Call("", {}), None)
            run = begun(stand, case, sorted(rng.sample(range(PLACES), len(slots))))
            found += [(word, case) for word in listing(stand, case)]
            for _ in range(CALLS_PER_CALLER):
                call, text = some_call(rng, world, caller)
                case = case._replace(call=call, text=text)
                found += [(word, case) for word in await differences(stand, case, run)]
                if rng.random() < 0.25:
                    found += [(word, case) for word in await loosened(stand, case, run)]
            done += CALLS_PER_CALLER
        stand.close()
    return found
