"""The two ways to a tool: straight to the function, and through licet's corridor, which is audited afterwards."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple
from unittest.mock import patch

from campaign.agentdojo.attack import Answer
from licet import Principal, Runtime, Tool, ToolCapability, ToolSpec
from licet.ledger.call import FAILED, REFUSED, REQUESTED, call_of, fields_of
from licet.ledger.memory import MemoryLedger
from licet.ledger.verify import verify
from licet.model.entry import Draft
from licet.model.names import short
from licet.policy.argument_rule import Rule, argument_rules

Execute = Callable[[str, dict[str, Any]], Any]
"""Runs a function on the pair's environment and gives JSON. Raises whatever the function raises."""


class Declared(NamedTuple):
    """A function as it was declared by its suite."""

    name: str
    description: str
    schema: dict[str, Any]


class Bare:
    """No licet: every call runs."""

    def __init__(self, execute: Execute) -> None:
        self._execute = execute

    def __call__(self, name: str, arguments: Mapping[str, Any]) -> Answer:
        try:
            return Answer(True, True, self._execute(name, dict(arguments)))
        except Exception:
            return Answer(True, False)


class Into:
    """One tool's transport: the function on the environment of the pair, and a note of the call that came."""

    kind = "agentdojo"
    wants_context = True

    def __init__(self, name: str, execute: Execute, came: list[str]) -> None:
        self._name = name
        self._execute = execute
        self._came = came

    async def call(self, arguments: dict[str, Any], context: Any, /) -> Any:
        self._came.append(context.call_id)
        return self._execute(self._name, arguments)


class Everything(frozenset[str]):
    """Grants of a build without grants."""

    def __contains__(self, name: object) -> bool:
        return True


class Corridor:
    """Every call walks the corridor of a runtime of its own, whose ledger is compared with what ran."""

    def __init__(
        self,
        declared: Iterable[Declared],
        execute: Execute,
        grants: Iterable[str],
        rules: Mapping[str, list[Rule]],
        loop: asyncio.Runner,
        *,
        bypassed: bool = False,
        ledger: MemoryLedger | None = None,
    ) -> None:
        """``bypassed`` is a build whose grants hold every name."""
        self.came: list[str] = []
        self.refused: list[tuple[str, str]] = []
        self.calls = 0
        self._loop = loop
        self.ledger = ledger or MemoryLedger()
        tools = [
            Tool(
                ToolSpec(
                    name=one.name,
                    description=one.description,
                    input_schema=one.schema,
                    capabilities=ToolCapability(writes=True),
                ),
                Into(one.name, execute, self.came),
            )
            for one in declared
        ]
        self._runtime = Runtime(tools, ledger=self.ledger, checks=[argument_rules(rules)] if rules else [])
        with patch("licet.model.principal.frozenset", Everything if bypassed else frozenset, create=True):
            principal = Principal("agent", grants=grants, mode="workspace_write")
        self._run = self._runtime.begin(principal)

    def __call__(self, name: str, arguments: Mapping[str, Any]) -> Answer:
        self.calls += 1
        before = len(self.came)
        result = self._loop.run(self._run.call(name, dict(arguments)))
        if result.effect == "none" and not result.success:
            self.refused.append((result.call_id, name))
        return Answer(len(self.came) > before, result.success, result.output if result.success else None)

    def close(self) -> None:
        self._run.close()
        self._runtime.close()

    def problems(self, executed: Iterable[str]) -> list[str]:
        """What the ledger and the functions tell differently. ``executed`` names each run of a function, in order."""
        return audited(self.ledger, self.calls, self.refused, self.came, executed)


class LeakyCorridor(Corridor):
    """A control: what was refused runs all the same, behind the ledger's back."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._behind = given[1]

    def __call__(self, name: str, arguments: Mapping[str, Any]) -> Answer:
        answer = super().__call__(name, arguments)
        return answer if answer.ran else Bare(self._behind)(name, arguments)


class ForgetfulLedger(MemoryLedger):
    """A control: refusals are not written down."""

    def append(self, draft: Draft, /, *, durable: bool) -> Any:
        return None if draft.kind in REFUSED else super().append(draft, durable=durable)


def audited(
    ledger: MemoryLedger,
    calls: int,
    refused: Iterable[tuple[str, str]],
    came: list[str],
    executed: Iterable[str],
) -> list[str]:
    """One line for each thing that is on one side only, be it the ledger's or that of the environment's functions."""
    entries = list(ledger.entries())
    found = verify(entries)
    problems = [] if found.ok else [f"the chain is broken: {found.problem}"]
    kinds: dict[str, list[str]] = {}
    tools: dict[str, str] = {}
    for entry in entries:
        call_id = call_of(entry.kind, entry.body.decode())
        if call_id is not None:
            kinds.setdefault(call_id, []).append(entry.kind)
            tools.setdefault(call_id, short(str(fields_of(entry.body).get("tool", ""))))
    if len(kinds) != calls:
        problems.append(f"{calls} calls were made, {len(kinds)} are on the ledger")
    for call_id, name in refused:
        if len(kinds.get(call_id, ())) != 1 or kinds[call_id][0] not in REFUSED or tools[call_id] != name:
            problems.append(f"the refused call of {name} stands on the ledger as {kinds.get(call_id, [])}")
        if call_id in came:
            problems.append(f"{name} was refused and came to its tool")
    for call_id in came:
        ends = [kind for kind in kinds.get(call_id, ()) if kind != REQUESTED]
        if len(ends) != 1 or ends[0] not in FAILED | {"tool.completed"}:
            problems.append(f"a call came to its tool and ends on the ledger as {ends}")
    ended = Counter(tools[call_id] for call_id, of_call in kinds.items() if of_call[-1] not in REFUSED)
    ran = Counter(executed)
    if ended != ran:
        problems.append(f"the ledger tells of {dict(ended - ran)} more and of {dict(ran - ended)} less than ran")
    return problems
