"""The synchronous door: from any thread, also one whose own loop is running, and never from the portal's own."""

import asyncio
import contextvars
import subprocess
import sys
import threading
from typing import Any

import pytest

from doubles import READS, Blocked, Says, Threaded, WatchedLedger, holder, over, until
from licet import Runtime, ToolCapability, ToolRegistry, tool
from licet.doors.blocking import Blocking
from licet.errors import ConfigurationError
from licet.model.tool import Execution
from licet.runtime.portal import Portal
from licet.testing import RecordingLedger, fake_tool

SAID: contextvars.ContextVar[str] = contextvars.ContextVar("SAID", default="nothing")


@tool(read_only=True, inline=True)
def inline() -> dict[str, str]:
    return {"thread": threading.current_thread().name, "said": SAID.get()}


@tool(read_only=True)
def threaded() -> dict[str, str]:
    return {"thread": threading.current_thread().name, "said": SAID.get()}


@tool(read_only=True)
async def looped() -> dict[str, str]:
    await asyncio.sleep(0)
    return {"thread": threading.current_thread().name, "said": SAID.get()}


@tool(writes=True, inline=True)
def writes() -> dict[str, str]:
    return {"thread": threading.current_thread().name, "said": SAID.get()}


TOOLS = [inline, threaded, looped, writes]
WHO = holder("inline", "threaded", "looped", "writes", "t")


def here(name: str) -> str:
    return "MainThread" if name == "inline" else "licet-worker-1" if name == "threaded" else "licet-portal"


def test_each_kind_of_tool_runs_where_it_belongs_and_sees_the_callers_context(ledger: RecordingLedger) -> None:
    SAID.set("hello")
    with Runtime(TOOLS, ledger=ledger) as runtime, Blocking(runtime, WHO) as door:
        for name in ("inline", "threaded", "looped", "writes"):
            assert door.call(name).output == {"thread": here(name), "said": "hello"}
        assert door.call("nowhere").code == "not_granted"
        assert door.call("inline", {"x": 1}).code == "invalid_arguments"
        assert door.call("inline", call_id="c").success
        assert door.call("inline", call_id="c").metadata["replayed"]
    assert {entry.run_id for entry in ledger.entries()} == {door.run_id}


async def test_the_door_works_inside_a_running_loop() -> None:
    SAID.set("async")
    with Runtime(TOOLS) as runtime, Blocking(runtime, WHO) as door:
        for name in ("inline", "threaded", "looped", "writes"):
            assert door.call(name).output == {"thread": here(name), "said": "async"}
    registry = ToolRegistry()
    registry.register(looped)

    class Manifest:
        tools = ("looped",)

    assert registry.call("a", Manifest, "looped")["thread"] == "licet-portal"
    registry.close()


def test_a_tool_that_asks_or_waits_for_the_ledger_is_not_stepped_by_hand() -> None:
    ledger = WatchedLedger()

    @tool(read_only=True, inline=True, unsafe=True, name="t")
    def asking() -> dict[str, str]:
        return {"thread": threading.current_thread().name}

    with Runtime([inline, asking], ledger=ledger, approver=Says(True)) as runtime, Blocking(runtime, WHO) as door:
        assert door.call("t").output == {"thread": "licet-portal"}
        assert door.call("inline").output["thread"] == "MainThread"
    with (
        Runtime([inline], ledger=WatchedLedger(), durability="strict") as runtime,
        Blocking(runtime, WHO) as door,
    ):
        assert door.call("inline").output["thread"] == "licet-portal"
    with Runtime([asking]) as runtime, Blocking(runtime, WHO) as door:
        assert door.call("t").reason == "no_approver"


def test_the_portals_own_thread_cannot_wait_for_itself() -> None:
    runtime: Runtime

    @tool(read_only=True)
    async def nested() -> Any:
        return runtime.call_blocking(runtime.begin(WHO), "looped").output

    @tool(read_only=True)
    async def nested_inline() -> Any:
        return runtime.call_blocking(runtime.begin(WHO), "inline").output

    @tool(read_only=True)
    def from_a_thread() -> Any:
        return runtime.call_blocking(runtime.begin(WHO), "looped").output

    runtime = Runtime([*TOOLS, nested, nested_inline, from_a_thread])
    who = holder("nested", "nested_inline", "from_a_thread")
    with runtime, Blocking(runtime, who) as door:
        failed = door.call("nested")
        assert failed.code == "tool_failed"
        assert isinstance(failed.cause, ConfigurationError)
        assert "await" in str(failed.cause)
        assert door.call("nested_inline").output["thread"] == "licet-portal", "an inline one needs no loop"
        assert door.call("from_a_thread").output["thread"] == "licet-portal"


def test_many_threads_share_one_door_and_no_two_calls_one_id(ledger: RecordingLedger) -> None:
    with Runtime(TOOLS, ledger=ledger) as runtime, Blocking(runtime, WHO) as door:
        results: list[Any] = []
        barrier = threading.Barrier(8)

        def work(number: int) -> None:
            barrier.wait()
            for _ in range(50):
                results.append(door.call(("inline", "threaded", "looped", "writes")[number % 4]))

        threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert all(result.success for result in results)
    assert len({result.call_id for result in results}) == 400
    assert ledger.kinds.count("tool.requested") == ledger.kinds.count("tool.completed") == 400


def test_threads_that_share_a_run_cannot_overdraw_its_budget() -> None:
    with Runtime(TOOLS) as runtime:
        run = runtime.begin(WHO, max_calls=100)
        results: list[Any] = []

        def work() -> None:
            for _ in range(50):
                results.append(runtime.call_blocking(run, "inline"))

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len([result for result in results if result.success]) == 100
    assert {result.reason for result in results if not result.success} == {"budget"}


def test_a_tool_that_is_replaced_while_it_is_called_is_called_as_one_of_the_two() -> None:
    inline_tool = tool(read_only=True, inline=True, name="t")(lambda: 1)
    looped_tool = tool(read_only=True, name="t")(lambda: 2)
    stop = threading.Event()
    with Runtime([inline_tool]) as runtime:
        run = runtime.begin(WHO)

        def flip() -> None:
            while not stop.is_set():
                runtime.register(looped_tool, replace=True)
                runtime.register(inline_tool, replace=True)

        flipping = threading.Thread(target=flip)
        flipping.start()
        outputs = {runtime.call_blocking(run, "t").output for _ in range(300)}
        stop.set()
        flipping.join()
    assert outputs <= {1, 2}


def test_an_interrupt_of_a_handler_reaches_its_caller_and_ends_nobody_elses_call(ledger: RecordingLedger) -> None:
    entered, release = threading.Event(), threading.Event()

    def wait(arguments: Any) -> str:
        entered.set()
        release.wait(20)
        return "waited"

    def interrupt(arguments: Any) -> None:
        raise KeyboardInterrupt

    async def interrupt_on_the_loop() -> None:
        raise KeyboardInterrupt

    tools = [over(Threaded(wait), "wait"), over(Threaded(interrupt), "t"), tool(interrupt_on_the_loop)]
    with Runtime(tools, ledger=ledger) as runtime:
        who = holder("wait", "t", "interrupt_on_the_loop")
        other: list[Any] = []
        waiting = threading.Thread(target=lambda: other.append(runtime.call_blocking(runtime.begin(who), "wait")))
        waiting.start()
        entered.wait(20)
        for name in ("t", "interrupt_on_the_loop"):
            with pytest.raises(KeyboardInterrupt):
                runtime.call_blocking(runtime.begin(who), name)
        release.set()
        waiting.join()
        assert other[0].output == "waited"
        assert ledger.kinds.count("tool.abandoned") == 2
        assert runtime.call_blocking(runtime.begin(who), "wait").success, "the portal lives on"


# --- closing ---


def test_a_closed_runtime_says_so_through_every_door(ledger: RecordingLedger) -> None:
    runtime = Runtime(TOOLS, ledger=ledger)
    run = runtime.begin(WHO)
    before = set(threading.enumerate())
    assert runtime.call_blocking(run, "looped").success
    born = set(threading.enumerate()) - before
    runtime.close()
    runtime.close()
    assert not [thread for thread in threading.enumerate() if thread.name == "licet-portal" and thread in born]
    with pytest.raises(ConfigurationError, match="closed"):
        runtime.call_blocking(run, "looped")
    result = asyncio.run(runtime.call(WHO, "threaded"))
    assert (result.code, result.effect, result.reason) == ("aborted", "none", "not_started")
    owned = Runtime(TOOLS)
    owned.close()
    assert asyncio.run(owned.call(WHO, "looped")).code == "ledger_unavailable"


def test_closing_ends_the_calls_under_way_and_strands_no_caller(ledger: RecordingLedger) -> None:
    entered = threading.Event()

    async def hang() -> None:
        entered.set()
        await asyncio.Event().wait()

    runtime = Runtime([tool(hang)], ledger=ledger)
    raised: list[BaseException] = []

    def call() -> None:
        try:
            runtime.call_blocking(runtime.begin(holder("hang")), "hang")
        except ConfigurationError as exc:
            raised.append(exc)

    caller = threading.Thread(target=call)
    caller.start()
    entered.wait(20)
    runtime.close()
    caller.join(20)
    assert not caller.is_alive()
    assert "closed while a call was under way" in str(raised[0])
    assert ledger.kinds == ["tool.requested", "tool.abandoned"]


def test_a_portal_that_is_closed_while_callers_arrive_answers_each_of_them() -> None:
    async def one() -> int:
        await asyncio.sleep(0)
        return 1

    for _ in range(50):
        portal = Portal()
        answers: list[object] = []

        def ask(portal: Portal = portal, answers: list[object] = answers) -> None:
            try:
                answers.append(portal.run(one))
            except ConfigurationError as exc:
                answers.append(exc)

        callers = [threading.Thread(target=ask) for _ in range(4)]
        for caller in callers:
            caller.start()
        portal.close()
        for caller in callers:
            caller.join(20)
        assert len(answers) == 4


HANGS = """
import asyncio, sys, threading
from licet import Principal, Runtime, tool
entered = threading.Event()
@tool(timeout_s=0.05)
def hang():
    entered.set()
    threading.Event().wait()
runtime = Runtime([hang])
who = Principal("p", grants=["hang"], mode="workspace_write")
print(asyncio.run(runtime.call(who, "hang")).code, runtime.call_blocking(runtime.begin(who), "hang").code)
assert entered.is_set()
"""


@pytest.mark.requirement("execution.timeout-and-abort")
def test_a_hung_handler_does_not_hold_the_interpreters_exit() -> None:
    ended = subprocess.run([sys.executable, "-c", HANGS], capture_output=True, text=True, timeout=20, check=False)
    assert (ended.stdout.split(), ended.stderr, ended.returncode) == (["timeout", "timeout"], "", 0)


# --- abort from elsewhere ---


async def test_a_call_is_aborted_from_another_thread_and_another_loop(ledger: RecordingLedger) -> None:
    transport = Blocked()
    runtime = Runtime([over(transport, capabilities=READS)], ledger=ledger)
    async with runtime.run(holder("t")) as run:
        call = asyncio.create_task(run.call("t", call_id="c"))
        await transport.entered.wait()
        said: list[bool] = []

        async def from_another_loop() -> None:
            said.append(run.abort("c"))

        aborting = threading.Thread(target=lambda: asyncio.run(from_another_loop()))
        aborting.start()
        result = await call
        aborting.join()
        assert (result.code, said) == ("aborted", [True])
        late: list[bool] = []
        asking = threading.Thread(target=lambda: late.append(run.abort("c")))
        asking.start()
        await until(lambda: late)
        asking.join()
        assert late == [False]
    runtime.close()


def test_a_blocking_call_is_aborted_from_the_thread_beside_it() -> None:
    entered = threading.Event()

    def hang(arguments: Any) -> None:
        entered.set()
        release.wait(20)

    release = threading.Event()
    with Runtime([over(Threaded(hang), execution=Execution(timeout_s=20))]) as runtime:
        run = runtime.begin(holder("t"))
        answers: list[Any] = []
        caller = threading.Thread(target=lambda: answers.append(runtime.call_blocking(run, "t", call_id="c")))
        caller.start()
        entered.wait(20)
        assert run.abort("c")
        caller.join(20)
        release.set()
    assert answers[0].code == "aborted"
    assert answers[0].metadata["may_still_run"]


def test_unsafe_tools_ask_through_this_door_too() -> None:
    for approver, success in ((None, False), (Says(False), False), (Says(True), True)):
        fake, transport = fake_tool("t", capabilities=ToolCapability(unsafe=True))
        with Runtime([fake], approver=approver) as runtime, Blocking(runtime, holder("t")) as door:
            assert door.call("t").success is success
        assert len(transport.calls) is int(success)
