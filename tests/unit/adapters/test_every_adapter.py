"""What holds in every framework: the corridor is behind each call, and whatever it says, the agent goes on."""

import asyncio
from typing import Any

import pytest
from driven import FRAMEWORKS, Ask, Framework

from doubles import Blocked, Says, holder, over
from licet import Deny, Permit, Principal, Runtime, ToolCapability
from licet.errors import ConfigurationError
from licet.ledger.verify import verify
from licet.model.tool import Execution
from licet.model.verdict import Ask as Asks
from licet.testing import FakeTransport, RecordingLedger, fake_tool

SCHEMA = {
    "type": "object",
    "properties": {
        "n": {"type": "integer", "minimum": 1, "maximum": 10},
        "label": {"type": "string", "pattern": "^[a-z]+$"},
        "kwargs": {"$ref": "#/$defs/inner"},
        "config": {"oneOf": [{"type": "integer"}, {"type": "null"}]},
    },
    "required": ["n"],
    "additionalProperties": False,
    "$defs": {"inner": {"type": "object", "properties": {"run_manager": {"type": "boolean"}}}},
}
WHO = holder("measure", "writes", "late", "mcp/git.status", mode="read_only")

every = pytest.mark.parametrize("framework", [pytest.param(run, id=name) for name, run in FRAMEWORKS.items()])


def world(ledger: RecordingLedger, **options: Any) -> tuple[Runtime, FakeTransport]:
    measure, transport = fake_tool(
        "measure", lambda arguments: {"measured": arguments["n"]}, read_only=True, input_schema=SCHEMA
    )
    writes, _ = fake_tool("writes", transport.answer)
    hidden, _ = fake_tool("hidden", transport.answer, read_only=True)
    return Runtime([measure, writes, hidden], ledger=ledger, **options), transport


@every
async def test_a_call_runs_under_the_frameworks_id_kept_apart_from_the_ledgers(
    framework: Framework, ledger: RecordingLedger
) -> None:
    runtime, transport = world(ledger)
    run = runtime.begin(WHO, id="order-7")
    ran = await framework(
        runtime, run, [Ask("measure", {"n": 3, "config": None, "kwargs": {"run_manager": True}}, "c")]
    )
    ((id, content, failed),) = ran.read
    assert (id, bool(failed), ran.end) == ("c", False, "done")
    assert '{\\"measured\\":3}' in content
    assert "<<data " in content
    assert transport.calls == [{"config": None, "kwargs": {"run_manager": True}, "n": 3}]
    assert ledger.kinds == ["tool.requested", "tool.completed"]
    assert b'"call":"order-7:' in next(iter(ledger.entries())).body
    verify(ledger.entries())


@every
async def test_the_model_is_shown_the_registered_schema_and_nothing_changes_it(
    framework: Framework, ledger: RecordingLedger
) -> None:
    runtime, _ = world(ledger)
    spec = runtime.spec("measure")
    assert spec is not None
    before = bytes(spec.input_schema.json)  # type: ignore[attr-defined]
    ran = await framework(runtime, WHO, [Ask("measure", {"n": 3}, "c")])
    assert set(ran.shown) == {"measure"}
    seen = dict(ran.shown["measure"])
    seen.pop("description", None)
    if framework is FRAMEWORKS["langchain"]:  # it writes out what a reference stands for
        assert seen["properties"]["kwargs"] == SCHEMA["$defs"]["inner"]  # type: ignore[index]
        assert seen["required"] == ["n"]
        assert seen["additionalProperties"] is False
    else:
        assert seen == SCHEMA
    assert spec.input_schema.json == before  # type: ignore[attr-defined]
    assert runtime.spec("measure") is spec


@every
@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param({}, id="missing"),
        pytest.param({"n": "3"}, id="wrong type"),
        pytest.param({"n": 11}, id="beyond a bound"),
        pytest.param({"n": 3, "label": "ABC"}, id="beside a pattern"),
        pytest.param({"n": 3, "label": None}, id="an invented null"),
        pytest.param({"n": 3, "bogus": True}, id="extra"),
        pytest.param({"n": 3, "kwargs": {"run_manager": "x"}}, id="nested"),
        pytest.param({"n": float("nan")}, id="no number"),
    ],
)
async def test_arguments_that_do_not_fit_touch_nothing_and_the_agent_goes_on(
    framework: Framework, ledger: RecordingLedger, arguments: dict[str, Any]
) -> None:
    runtime, transport = world(ledger)
    ran = await framework(runtime, WHO, [Ask("measure", arguments, "bad"), Ask("measure", {"n": 1}, "good")])
    told = {read.id: read for read in ran.read}
    assert "invalid_arguments" in told["bad"].content
    assert told["bad"].failed in (True, None)
    assert "measured" in told["good"].content
    assert ran.end == "done"
    assert transport.calls == [{"n": 1}]
    assert sorted(ledger.kinds) == ["tool.completed", "tool.refused", "tool.requested"]


@every
async def test_many_refusals_in_a_row_end_no_run(framework: Framework, ledger: RecordingLedger) -> None:
    """A framework counts retries of a tool; a refusal is a result, and is none."""
    runtime, transport = world(ledger)
    asks = [Ask("measure", {"n": 0}, f"c{number}") for number in range(12)]
    ran = await framework(runtime, WHO, asks)
    assert len(ran.read) == 12
    assert ran.end == "done"
    assert transport.calls == []
    assert ledger.kinds == ["tool.refused"] * 12


@every
@pytest.mark.parametrize("name", ["hidden", "writes", "late", "local/measure", "Measure", "mcp__git__status"])
async def test_a_name_that_was_not_shown_reaches_no_handler(
    framework: Framework, ledger: RecordingLedger, name: str
) -> None:
    runtime, transport = world(ledger)
    ran = await framework(runtime, WHO, [Ask("measure", {"n": 1}, "good"), Ask(name, {"n": 1}, "bad")])
    assert set(ran.shown) == {"measure"}
    assert transport.calls == [{"n": 1}]
    assert ledger.kinds == ["tool.requested", "tool.completed"]
    assert ran.end == "done"


@every
async def test_a_call_id_that_comes_again_runs_once(framework: Framework, ledger: RecordingLedger) -> None:
    runtime, transport = world(ledger)
    run = runtime.begin(WHO)
    first = await framework(runtime, run, [Ask("measure", {"n": 3}, "same")])
    again = await framework(runtime, run, [Ask("measure", {"n": 3}, "same")])
    other = await framework(runtime, run, [Ask("measure", {"n": 4}, "same")])
    assert transport.calls == [{"n": 3}]
    assert "measured" in first.read[0].content
    assert "measured" in again.read[0].content
    assert "call_id_reused" in other.read[0].content
    assert [kind for kind in ledger.kinds if kind == "tool.requested"] == ["tool.requested"]


@every
async def test_ids_of_a_framework_are_no_ids_of_licet(framework: Framework, ledger: RecordingLedger) -> None:
    """What a model calls a call may be anything, an id of another run included."""
    runtime, transport = world(ledger)
    result = await runtime.call(WHO, "measure", {"n": 1})
    ids = [result.call_id, "with spaces and ü", "x" * 4000, "order-7:c"]
    ran = await framework(runtime, WHO, [Ask("measure", {"n": n}, id) for n, id in enumerate(ids, 2)])
    assert [call["n"] for call in transport.calls] == [1, 2, 3, 4, 5]
    assert sorted(read.id for read in ran.read) == sorted(ids)
    assert ledger.kinds.count("tool.completed") == 5


@every
async def test_a_handler_that_raises_is_a_result_without_its_words(
    framework: Framework, ledger: RecordingLedger
) -> None:
    runtime, transport = world(ledger)
    transport.answer = ValueError("hunter2")
    ran = await framework(runtime, WHO, [Ask("measure", {"n": 1}, "c")])
    assert "tool_failed" in ran.read[0].content
    assert "hunter2" not in ran.read[0].content
    assert ran.end == "done"
    assert ledger.kinds == ["tool.requested", "tool.failed"]


@every
async def test_a_call_that_takes_too_long_is_a_result(framework: Framework, ledger: RecordingLedger) -> None:
    stuck = Blocked()
    tool = over(stuck, "stuck", capabilities=ToolCapability(read_only=True), execution=Execution(timeout_s=0.01))
    runtime = Runtime([tool], ledger=ledger)
    ran = await framework(runtime, holder("stuck", mode="read_only"), [Ask("stuck", {}, "c")])
    assert '\\"timeout\\"' in ran.read[0].content
    assert ran.end == "done"
    assert stuck.cancelled == 1
    assert ledger.kinds == ["tool.requested", "tool.failed"]


@every
async def test_an_agent_that_is_cancelled_leaves_a_closed_entry(framework: Framework, ledger: RecordingLedger) -> None:
    stuck = Blocked()
    runtime = Runtime([over(stuck, "stuck", capabilities=ToolCapability(read_only=True))], ledger=ledger)
    going = asyncio.ensure_future(framework(runtime, holder("stuck", mode="read_only"), [Ask("stuck", {}, "c")]))
    await stuck.entered.wait()
    going.cancel()
    with pytest.raises(asyncio.CancelledError):
        await going
    assert stuck.cancelled == 1
    assert ledger.kinds == ["tool.requested", "tool.abandoned"]


@every
async def test_a_rule_of_ones_own_is_a_result(framework: Framework, ledger: RecordingLedger) -> None:
    def no_three(principal: Any, spec: Any, arguments: Any) -> Any:
        return Deny("rule_forbids", "not three") if arguments and arguments["n"] == 3 else Permit()

    runtime, transport = world(ledger, checks=[no_three])
    ran = await framework(runtime, WHO, [Ask("measure", {"n": 3}, "a"), Ask("measure", {"n": 4}, "b")])
    told = {read.id: read.content for read in ran.read}
    assert "rule_forbids" in told["a"]
    assert "measured" in told["b"]
    assert transport.calls == [{"n": 4}]


@every
async def test_without_a_ledger_nothing_runs_and_the_agent_goes_on(
    framework: Framework, ledger: RecordingLedger
) -> None:
    runtime, transport = world(ledger)
    ledger.broken = True
    ran = await framework(runtime, WHO, [Ask("measure", {"n": 3}, "c")])
    assert "ledger_unavailable" in ran.read[0].content
    assert ran.end == "done"
    assert transport.calls == []


@every
async def test_names_on_the_wire_are_those_of_the_dialects_or_ones_own(
    framework: Framework, ledger: RecordingLedger
) -> None:
    tools = [fake_tool(name, lambda arguments: {}, read_only=True)[0] for name in ("mcp/git.status", "mcp/git.log")]
    runtime = Runtime(tools, ledger=ledger)
    who = holder("mcp/git.status", "mcp/git.log", mode="read_only")
    asks = [Ask("mcp__git__status", {}, "a"), Ask("history", {}, "b")]
    ran = await framework(runtime, who, asks, names={"mcp/git.log": "history"})
    assert set(ran.shown) == {"mcp__git__status", "history"}
    assert len(ran.read) == 2
    assert ledger.kinds.count("tool.completed") == 2


# --- profiles ---

NEVER = {
    "type": "object",
    "properties": {"decision_id": {"type": "string"}, "force": {"type": "boolean"}, "override_safety": {}},
    "required": ["decision_id"],
}


def engine(ledger: RecordingLedger) -> tuple[Runtime, dict[str, FakeTransport]]:
    ports: dict[str, FakeTransport] = {}
    tools = []
    for name in ("get_contract", "simulate", "log_decision", "execute_decision"):
        tool, ports[name] = fake_tool(
            f"mcp/algenta.{name}",
            read_only=name in ("get_contract", "simulate"),
            description=f"{name}, and with force it runs twice",
            input_schema=NEVER if name == "execute_decision" else {"type": "object"},
        )
        tools.append(tool)
    return Runtime(tools, ledger=ledger), ports


@pytest.mark.requirement("profile.flat-names")
@every
async def test_a_name_alone_gets_what_observe_exposes_under_flat_names(
    framework: Framework, ledger: RecordingLedger
) -> None:
    runtime, ports = engine(ledger)
    ran = await framework(runtime, "trader", [Ask("algenta_get_contract", {}, "c")], server="mcp/algenta")
    assert set(ran.shown) == {"algenta_get_contract", "algenta_simulate"}
    assert len(ports["get_contract"].calls) == 1


@every
async def test_fields_that_no_model_may_see_are_in_no_schema_and_reach_no_engine(
    framework: Framework, ledger: RecordingLedger
) -> None:
    runtime, ports = engine(ledger)
    asks = [
        Ask("algenta_execute_decision", {"decision_id": "d1", "force": True}, "a"),
        Ask("algenta_execute_decision", {"decision_id": "d1", "Override_Safety": True}, "b"),
        Ask("algenta_execute_decision", {"decision_id": "d1"}, "c"),
    ]
    ran = await framework(runtime, "trader", asks, profile="full", server="mcp/algenta")
    assert "force" not in str(ran.shown["algenta_execute_decision"])
    assert "override_safety" not in str(ran.shown)
    assert all(set(call) == {"decision_id"} for call in ports["execute_decision"].calls)
    assert ran.end == "done"


@every
async def test_the_executing_tool_of_an_engine_never_waits_for_a_yes(
    framework: Framework, ledger: RecordingLedger
) -> None:
    """A rule of one's own may ask about it; then it is refused at once, and no agent's run pauses."""
    tool, port = fake_tool("mcp/algenta.execute_decision", input_schema=NEVER)

    def sure(principal: Any, spec: Any, arguments: Any) -> Any:
        return Permit() if arguments is None else Asks("sure?")

    runtime = Runtime([tool], ledger=ledger, checks=[sure], approver=Says(True))
    asks = [Ask("algenta_execute_decision", {"decision_id": "d1"}, "c")]
    ran = await framework(runtime, "trader", asks, profile="execute", server="mcp/algenta")
    assert "rule_forbids" in ran.read[0].content
    assert ran.end == "done"
    assert port.calls == []
    assert ledger.kinds[-1] == "tool.refused"


@every
async def test_a_profile_is_for_a_name_not_for_whoever_has_grants(
    framework: Framework, ledger: RecordingLedger
) -> None:
    runtime, _ = engine(ledger)
    with pytest.raises(ConfigurationError, match="grants of its own"):
        await framework(runtime, WHO, [], profile="observe")
    with pytest.raises(ConfigurationError, match="a run has its grants"):
        await framework(runtime, runtime.begin(WHO), [], profile="observe")
    with pytest.raises(ConfigurationError, match="no profile 'admin'"):
        await framework(runtime, "trader", [], profile="admin")
    ran = await framework(
        runtime, Principal("trader"), [Ask("algenta_simulate", {}, "c")], server="mcp/algenta", profile="observe"
    )
    assert set(ran.shown) == {"algenta_get_contract", "algenta_simulate"}
