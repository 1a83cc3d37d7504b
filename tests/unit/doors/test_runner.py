"""The seed's four stages: discover, activate, execute, deactivate; nothing runs out of order, and nothing raises."""

import threading
from typing import Any

import pytest

from doubles import READS, holder
from licet import GrantSet, Tool, ToolCapability, ToolError, ToolRegistry, ToolResult, ToolRunner, ToolSpec
from licet.errors import ActivationError
from licet.testing import FakeTransport, RecordingLedger, fake_tool


@pytest.fixture
def registry(ledger: RecordingLedger) -> Any:
    with ToolRegistry(ledger=ledger) as made:
        yield made


def put(registry: ToolRegistry, name: str, answer: Any = None, **spec: Any) -> FakeTransport:
    tool, transport = fake_tool(name, answer, **spec)
    registry.register(tool)
    return transport


@pytest.mark.requirement("lifecycle.discover")
def test_discover_lists_the_registry_or_the_one_given_and_changes_nothing(registry: ToolRegistry) -> None:
    put(registry, "a")
    put(registry, "team/b")
    other = ToolRegistry()
    put(other, "c")
    runner = ToolRunner(registry)
    assert [spec.name for spec in runner.discover()] == ["local/a", "team/b"]
    assert [spec.name for spec in runner.discover(other)] == ["local/c"]
    assert not runner.execute("c").success
    assert not runner.execute("a").success
    with pytest.raises(ActivationError):
        runner.activate("c")
    other.close()


@pytest.mark.requirement("lifecycle.activate")
def test_activating_what_does_not_exist_is_a_tool_error(registry: ToolRegistry) -> None:
    runner = ToolRunner(registry)
    for name, told in (("nowhere", "local/nowhere"), ("team/x", "team/x"), ("no name", "no name"), ("", "")):
        with pytest.raises(ToolError) as raised:
            runner.activate(name)
        assert raised.value.error_type == "ActivationError"
        assert raised.value.tool_name == told
        assert "discover()" in raised.value.details
    transport = put(registry, "a", {"ok": 1})
    assert runner.activate("a") is runner.activate("local/a") is registry.get("a"), "twice is fine"
    assert runner.execute("a", {"n": 1}).output == {"ok": 1}
    assert transport.calls == [{"n": 1}]


@pytest.mark.requirement("lifecycle.strict-order", "lifecycle.deactivate")
def test_what_is_not_active_runs_nothing(registry: ToolRegistry, ledger: RecordingLedger) -> None:
    transport = put(registry, "a")
    runner = ToolRunner(registry)
    before = runner.execute("a", {"n": 1})
    assert runner.deactivate("a") is False
    runner.activate("a")
    assert runner.execute("a").success
    assert runner.deactivate("local/a") is True
    assert runner.deactivate("a") is False
    after = runner.execute("a")
    unknown = runner.execute("nowhere")
    no_name = runner.execute("no name")
    for result in (before, after, unknown, no_name):
        assert (result.success, result.output, result.code, result.effect) == (False, {}, "activation", "none")
        assert "ActivationError" in str(result.error)
        assert result.duration_ms >= 0
        with pytest.raises(ActivationError):
            result.unwrap()
    assert len(transport.calls) == 1
    assert ledger.kinds.count("tool.refused") == 4, "each of them is on the ledger"
    assert ledger.kinds.count("tool.requested") == 1


def test_an_activation_is_bound_to_the_spec_that_was_there(registry: ToolRegistry) -> None:
    put(registry, "a")
    runner = ToolRunner(registry)
    runner.activate("a")
    tool, transport = fake_tool("a")
    registry.register(tool, replace=True)
    result = runner.execute("a")
    assert (result.code, transport.calls) == ("activation", [])
    assert "not what was activated" in str(result.error)
    runner.activate("a")
    assert runner.execute("a").success
    registry.remove("a")
    assert runner.execute("a").code == "activation"
    assert len(transport.calls) == 1


@pytest.mark.requirement("lifecycle.execute", "result.json-io", "result.duration")
@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (ValueError("secret"), "tool_failed"),
        (SystemExit(2), "tool_failed"),
        (BaseExceptionGroup("several", [SystemExit(), ValueError()]), "tool_failed"),
        (KeyError("secret"), "tool_failed"),
        (lambda arguments: 1 // 0, "tool_failed"),
        (ConnectionError("secret"), "transport"),
        (object(), "invalid_result"),
        ({"when": {1, 2}}, "invalid_result"),
        ({1: 2}, "invalid_result"),
        ({"x": float("nan")}, "invalid_result"),
        ({"x": 1 << 70}, "invalid_result"),
        ({"x": "\ud800"}, "invalid_result"),
        ([1, 2], "invalid_result"),
        ("text", "invalid_result"),
        (None, None),
    ],
)
def test_execute_never_raises_and_always_tells_how_long_it_took(
    registry: ToolRegistry, answer: Any, code: str | None
) -> None:
    put(registry, "a", answer)
    runner = ToolRunner(registry)
    runner.activate("a")
    result = runner.execute("a", {"n": 1})
    assert isinstance(result, ToolResult)
    assert (result.success, result.code) == (code is None, code)
    assert result.output == {}
    assert result.duration_ms > 0
    assert "secret" not in result.content
    assert "secret" not in str(result.error)


@pytest.mark.requirement("result.json-io")
@pytest.mark.parametrize(
    "inputs", [{"x": object()}, {"x": {1}}, {1: 2}, {"x": float("inf")}, {"x": b"raw"}, [], 7, {"x": "\ud800"}]
)
def test_inputs_that_are_no_json_reach_no_handler(registry: ToolRegistry, inputs: Any) -> None:
    transport = put(registry, "a")
    runner = ToolRunner(registry)
    runner.activate("a")
    result = runner.execute("a", inputs)
    assert (result.success, result.code, result.effect) == (False, "invalid_arguments", "none")
    assert transport.calls == []


def test_without_a_principal_it_may_write_and_holds_exactly_its_active_tools(registry: ToolRegistry) -> None:
    writes = put(registry, "writes", capabilities=ToolCapability(writes=True))
    put(registry, "reads", capabilities=READS)
    runner = ToolRunner(registry)
    runner.activate("writes")
    assert runner.execute("writes").success
    assert runner.execute("reads").code == "activation"
    assert runner._run.principal.grants == {"local/writes"}
    assert runner._run.principal.mode == "workspace_write"
    runner.deactivate("writes")
    assert runner._run.principal.grants == frozenset()
    assert len(writes.calls) == 1


def test_a_principal_limits_it_further(registry: ToolRegistry) -> None:
    writes = put(registry, "writes", capabilities=ToolCapability(writes=True))
    put(registry, "reads", {"ok": 1}, capabilities=READS)
    put(registry, "other", capabilities=READS)
    runner = ToolRunner(registry, principal=holder(GrantSet.glob("*s"), mode="read_only"))
    for name in ("writes", "reads", "other"):
        runner.activate(name)
    assert runner.execute("reads").output == {"ok": 1}
    assert runner.execute("writes").code == "mode_forbids"
    assert runner.execute("other").code == "not_granted"
    put(registry, "laters", capabilities=READS)
    runner.activate("laters")
    assert runner.execute("laters").code == "not_granted", "a tool that appears later is not in the set"
    assert writes.calls == []


@pytest.mark.requirement("capability.enforced")
@pytest.mark.parametrize("flag", ["unsafe", "human_approval_required"])
def test_flags_that_ask_are_enforced_here_too(registry: ToolRegistry, flag: str) -> None:
    from doubles import Says

    transport = put(registry, "a", capabilities=ToolCapability(**{flag: True}))
    for approver, success in ((None, False), (Says(False), False), (Says(1), False), (Says(True), True)):
        runner = ToolRunner(registry, approver=approver)
        runner.activate("a")
        result = runner.execute("a")
        assert result.success is success
        assert success or (result.code, result.effect) == ("approval_denied", "none")
    assert len(transport.calls) == 1


async def test_it_works_inside_a_running_loop(registry: ToolRegistry) -> None:
    put(registry, "a", {"ok": 1})
    runner = ToolRunner(registry)
    runner.activate("a")
    assert runner.execute("a").output == {"ok": 1}


def test_the_active_set_is_safe_under_threads(registry: ToolRegistry) -> None:
    names = [f"t{n}" for n in range(8)]
    for name in names:
        registry.register(Tool(ToolSpec(name=name, capabilities=READS), FakeTransport()))
    runner = ToolRunner(registry)
    barrier = threading.Barrier(8)
    wrong: list[Any] = []

    def work(name: str) -> None:
        barrier.wait()
        for _ in range(15):
            runner.activate(name)
            if not runner.execute(name).success:
                wrong.append("active and refused")
            if not runner.deactivate(name):
                wrong.append("lost")
            if runner.execute(name).code != "activation":
                wrong.append("ran while inactive")

    threads = [threading.Thread(target=work, args=(name,)) for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    runner.close()
