"""Calls of the twelve, each in a read-only run that holds them all."""

from typing import Any

import pytest

from licet import GrantSet, Principal, Runtime
from licet.intrinsics import Skills, intrinsics
from licet.model.result import ToolResult
from licet.model.workflow import TaskView
from licet.testing import RecordingLedger
from workflows import Ask, Everybody


@pytest.fixture
def ask(ledger: RecordingLedger) -> Ask:
    async def asked(
        view: TaskView | None, tool: str, arguments: dict[str, Any] | None = None, skills: Skills | None = None
    ) -> ToolResult:
        who = Principal("agent", grants=[GrantSet.group("intrinsics")])
        async with Runtime(intrinsics(skills), ledger=ledger, approver=Everybody()) as runtime, runtime.run(who) as run:
            run.task = view
            return await run.call(tool, arguments or {})

    return asked
