"""The ticket never leaves its rooms: it is used once, refuses to be copied, and nobody outside is shown it."""

import copy
import pickle
from typing import Any

import pytest

from doubles import Says, holder, over
from licet import Permit, Principal, Runtime, Tool, ToolCapability, ToolSpec
from licet.catalog import Bound
from licet.model.call import ToolCall
from licet.runtime.authorize import Approval, AuthorizedCall, NeedsApproval
from licet.testing import FakeTransport, RecordingLedger

UNSAFE = ToolCapability(unsafe=True)
WHO = holder("t")


def test_a_ticket_is_used_once_and_is_neither_copied_nor_sent_away() -> None:
    ticket = AuthorizedCall(ToolCall("c", "r", WHO, "local/t", b"{}"), Bound(over(FakeTransport())), {})
    for away in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="not copied"):
            away(ticket)  # type: ignore[operator]
    assert ticket.spend() == {}
    with pytest.raises(RuntimeError, match="once"):
        ticket.spend()
    with pytest.raises(RuntimeError, match="once"):
        ticket.spend()


async def test_checks_observers_approvers_and_handlers_keep_nothing_that_runs(ledger: RecordingLedger) -> None:
    kept: list[Any] = []

    def keep(*seen: Any) -> Permit:
        kept.extend(seen)
        return Permit()

    class Keeps(FakeTransport):
        async def call(self, arguments: Any, context: Any, /) -> Any:
            kept.extend((arguments, context))
            return await super().call(arguments, context)

    class Asked(Says):
        async def approve(self, request: Any, /) -> bool:
            kept.append(request)
            return True

    tool = Tool(ToolSpec(name="t", capabilities=UNSAFE), Keeps())
    runtime = Runtime([tool], ledger=ledger, approver=Asked(True), checks=[keep], observers=[keep])
    assert (await runtime.call(WHO, "t", {"a": 1})).success
    runtime.close()
    entries = len(ledger.kinds)
    assert {type(one).__name__ for one in kept} == {
        "Principal", "ToolSpec", "NoneType", "dict", "ApprovalRequest", "CallContext", "Draft",
    }  # fmt: skip
    for one in kept:
        assert not isinstance(one, AuthorizedCall | NeedsApproval | Approval)
        assert getattr(one, "handler", None) is None
        for duplicate in (copy.copy, copy.deepcopy, lambda it: pickle.loads(pickle.dumps(it))):
            try:
                double = duplicate(one)
            except TypeError:
                assert type(one).__name__ == "CallContext", "a context refers to its run, which does not leave"
                continue
            assert type(double) is type(one)
    assert len(ledger.kinds) == entries


def test_a_principal_is_a_fact_and_a_changed_copy_has_no_part_in_a_run() -> None:
    who = Principal("alice", grants=["t"])
    with pytest.raises(AttributeError):
        who.mode = "danger_full_access"  # type: ignore[misc]
    assert copy.deepcopy(who) == pickle.loads(pickle.dumps(who)) == who
