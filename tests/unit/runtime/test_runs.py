"""What lasts over the calls of a run: undoing, observers, listing, loops and threads beside each other."""

import asyncio
import threading
from typing import Any

import pytest

from doubles import READS, Blocked, WatchedLedger, holder, over, until
from licet import CallContext, Permit, Principal, Runtime, ToolCapability, tool
from licet.errors import PathViolation, RollbackError
from licet.model.paths import PathPolicy
from licet.testing import FixedClock, RecordingLedger, fake_tool

WHO = holder("t", "u", "put")


class Drawer:
    """A value that a checkpointed tool changes; ``broken`` makes undoing fail."""

    def __init__(self) -> None:
        self.value = 0
        self.broken = False
        self.log: list[str] = []

    def tool(self) -> Any:
        def checkpoint(arguments: dict[str, Any], context: CallContext) -> dict[str, int]:
            self.log.append(f"checkpoint {self.value}")
            return {"was": self.value}

        async def restore(token: dict[str, int], context: CallContext) -> None:
            if self.broken:
                raise OSError("jammed")
            self.log.append(f"restore {token['was']}")
            self.value = token["was"]

        @tool(writes=True, checkpoint=checkpoint, restore=restore)
        async def put(value: int, fail: bool = False) -> None:
            self.log.append(f"put {value}")
            self.value = value
            if fail:
                raise ValueError

        return put


async def test_a_checkpoint_is_durable_before_the_effect_and_a_run_is_undone_newest_first() -> None:
    ledger, drawer = WatchedLedger(), Drawer()
    async with Runtime([drawer.tool()], ledger=ledger) as runtime, runtime.run(WHO) as run:
        ids = [(await run.call("put", {"value": value, "fail": value == 2})).call_id for value in (1, 2, 3)]
        assert ledger.log[:4] == [
            "append tool.requested", "durable tool.requested", "append tool.checkpointed", "durable tool.checkpointed",
        ]  # fmt: skip
        assert await run.rollback() == ids[::-1], "a call that failed is undone too: who knows what it did"
        assert drawer.value == 0
        assert await run.rollback() == []
    assert drawer.log[-3:] == ["restore 2", "restore 1", "restore 0"]
    told = [entry.body for entry in ledger.entries() if entry.kind == "run.rolled_back"]
    assert told[0] == f'{{"calls":["{ids[2]}","{ids[1]}","{ids[0]}"]}}'.encode()


async def test_a_rollback_that_stops_half_way_says_and_records_what_it_undid(ledger: RecordingLedger) -> None:
    drawer = Drawer()
    async with Runtime([drawer.tool()], ledger=ledger) as runtime, runtime.run(WHO) as run:
        ids = [(await run.call("put", {"value": value})).call_id for value in (1, 2)]
        original = run._corridor.undo

        async def undo(which: Any, token: Any, context: Any) -> None:
            drawer.broken = token["was"] == 0
            await original(which, token, context)

        run._corridor.undo = undo  # type: ignore[method-assign]
        with pytest.raises(RollbackError, match=ids[1]) as raised:
            await run.rollback()
        assert isinstance(raised.value.__cause__, OSError)
        assert drawer.value == 1
        (told,) = [entry.body for entry in ledger.entries() if entry.kind == "run.rolled_back"]
        assert ids[1].encode() in told
        assert ids[0].encode() not in told
        run._corridor.undo = original  # type: ignore[method-assign]
        drawer.broken = False
        assert await run.rollback() == [ids[0]], "and can be tried again"


# --- observers ---


async def test_observers_see_each_closed_entry_off_the_call_path(ledger: RecordingLedger) -> None:
    seen: list[tuple[str, str]] = []
    release = threading.Event()

    def watch(entry: Any) -> None:
        release.wait(20)
        seen.append((entry.kind, threading.current_thread().name))

    fake, _ = fake_tool("t", lambda arguments: 1 // arguments["n"], capabilities=READS)
    blocked = Blocked()
    runtime = Runtime([fake, over(blocked, "u")], ledger=ledger, observers=[watch])
    await runtime.call(WHO, "t", {"n": 1})
    await runtime.call(WHO, "t", {"n": 0})
    await runtime.call(WHO, "nowhere")
    call = asyncio.create_task(runtime.call(WHO, "u"))
    await blocked.entered.wait()
    call.cancel()
    await asyncio.wait([call])
    assert seen == [], "a slow observer holds nobody up"
    release.set()
    await asyncio.to_thread(runtime.close)
    assert seen == [
        (kind, "licet-observers") for kind in ("tool.completed", "tool.failed", "tool.refused", "tool.abandoned")
    ]


async def test_an_observer_that_raises_changes_nothing_and_the_next_one_still_sees(ledger: RecordingLedger) -> None:
    class Unprintable:
        def __call__(self, entry: Any) -> None:
            raise RuntimeError

        def __repr__(self) -> str:
            raise RuntimeError

    def exits(entry: Any) -> None:
        raise SystemExit

    seen: list[str] = []
    fake, _ = fake_tool("t")
    runtime = Runtime([fake], ledger=ledger, observers=[Unprintable(), exits, lambda entry: seen.append(entry.kind)])
    for _ in range(3):
        assert (await runtime.call(WHO, "t")).success
    await asyncio.to_thread(runtime.close)
    assert seen == ["tool.completed"] * 3


# --- listing ---


@pytest.mark.requirement("registry.empty-by-default")
def test_a_new_runtime_lists_nothing() -> None:
    from licet import GrantSet

    with Runtime() as runtime:
        assert runtime.specs() == []
        assert runtime.tools_for(Principal("p", grants=[GrantSet.full()], mode="danger_full_access")) == []


async def test_a_listing_asks_checks_without_arguments_and_leaves_no_trace(ledger: RecordingLedger) -> None:
    asked: list[Any] = []
    fake, transport = fake_tool("t", capabilities=READS)
    with Runtime([fake], ledger=ledger, checks=[lambda p, s, a: asked.append(a) or Permit()]) as runtime:
        (spec,) = runtime.tools_for(WHO)
    assert (spec.name, spec.handler, asked) == ("local/t", None, [None])
    assert (transport.calls, ledger.kinds) == ([], [])


async def test_tools_that_ask_are_listed_only_where_somebody_can_be_asked() -> None:
    from doubles import Says

    for flag in ("unsafe", "human_approval_required"):
        fake, _ = fake_tool("t", capabilities=ToolCapability(**{flag: True}))
        with Runtime([fake]) as runtime:
            assert runtime.tools_for(WHO) == []
        with Runtime([fake], approver=Says(False)) as runtime:
            assert len(runtime.tools_for(WHO)) == 1


# --- contexts ---


async def test_a_context_tells_the_call_its_run_and_its_deadline(clock: FixedClock) -> None:
    seen: list[CallContext] = []

    @tool(read_only=True, timeout_s=5)
    async def t(context: CallContext) -> None:
        seen.append(context)

    @tool(read_only=True, inline=True)
    def u(context: CallContext) -> None:
        seen.append(context)

    clock.advance(7)
    async with Runtime([t, u], clock=clock) as runtime, runtime.run(WHO) as run:
        for name in ("t", "u"):
            assert (await run.call(name, call_id=f"c-{name}")).success
        assert [(c.call_id, c.run, c.deadline) for c in seen] == [("c-t", run.id, 12.0), ("c-u", run.id, None)]
        assert "context" not in runtime.specs()[0].input_schema["properties"]
        assert (await run.call("t", {"context": {}})).code == "invalid_arguments"
        with pytest.raises(PathViolation):
            _ = seen[0].workspace


async def test_handlers_of_one_run_share_a_workspace_whatever_thread_asks_first(tmp_path: Any) -> None:
    inside: list[Any] = []
    barrier = threading.Barrier(4)

    @tool(read_only=True, paths=["path"])
    def t(context: CallContext, path: str = ".") -> None:
        barrier.wait(20)
        inside.append(context.workspace)

    who = holder("t", paths=PathPolicy.current_project(tmp_path))
    async with Runtime([t]) as runtime, runtime.run(who) as run:
        await asyncio.gather(*(run.call("t") for _ in range(4)))
        assert len({id(workspace.reads) for workspace in inside}) == 1, "what one read, all know"


# --- loops and threads ---


def test_one_runtime_serves_several_loops_in_several_threads(ledger: RecordingLedger) -> None:
    transport_of: dict[int, Blocked] = {}

    class Each:
        async def call(self, arguments: Any, context: Any, /) -> Any:
            await asyncio.sleep(0)
            return threading.get_ident()

    runtime = Runtime([over(Each(), capabilities=READS)], ledger=ledger)
    answers: list[bool] = []

    def serve() -> None:
        async def many() -> None:
            results = await asyncio.gather(*(runtime.call(WHO, "t") for _ in range(20)))
            answers.extend(result.output == threading.get_ident() for result in results)

        for _ in range(3):
            asyncio.run(many())

    threads = [threading.Thread(target=serve) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [True] * 240
    asyncio.run(until(lambda: True))
    assert len(runtime._corridor._lanes) <= 12
    asyncio.run(runtime.call(WHO, "t"))
    assert len(runtime._corridor._lanes) == 1, "closed loops are let go"
    assert transport_of == {}
    runtime.close()


async def test_context_variables_reach_handlers_on_the_loop_and_in_threads() -> None:
    import contextvars

    said: contextvars.ContextVar[str] = contextvars.ContextVar("said", default="nothing")

    @tool(read_only=True, name="t")
    async def looped() -> str:
        return said.get()

    @tool(read_only=True, name="u")
    def threaded() -> str:
        return said.get()

    async with Runtime([looped, threaded]) as runtime:
        said.set("hello")
        for name in ("t", "u"):
            assert (await runtime.call(WHO, name)).output == "hello"


async def test_a_transport_gets_a_context_unless_it_says_that_it_wants_none() -> None:
    seen: list[Any] = []

    class Plain:
        async def call(self, arguments: Any, context: Any, /) -> None:
            seen.append(context)

    class Wants(Plain):
        wants_context = True

    class Declines(Plain):
        wants_context = False

    for transport in (Plain(), Wants(), Declines()):
        async with Runtime([over(transport)]) as runtime:
            assert (await runtime.call(WHO, "t")).success
    assert [type(context) for context in seen] == [CallContext, CallContext, type(None)]


@pytest.mark.parametrize("durability", ["effects", "strict"])
async def test_an_expansion_is_waited_for_where_everything_is_and_a_rollback_always(durability: Any) -> None:
    from licet import GrantSet

    ledger, drawer = WatchedLedger(), Drawer()
    async with (
        Runtime([drawer.tool()], ledger=ledger, durability=durability) as runtime,
        runtime.run(holder(GrantSet.full())) as run,
    ):
        await run.call("put", {"value": 1})
        await run.rollback()
    assert "durable run.rolled_back" in ledger.log
    assert ledger.log.index("append grant.expanded") < ledger.log.index("append tool.requested")


async def test_a_call_that_waits_for_its_intent_is_in_flight_and_not_yet_there_to_abort() -> None:
    ledger = WatchedLedger()
    ledger.held = {"tool.requested"}
    fake, transport = fake_tool("t")
    async with Runtime([fake], ledger=ledger) as runtime, runtime.run(WHO) as run:
        call = asyncio.create_task(run.call("t", call_id="c"))
        await ledger.appended.wait()
        assert not run.abort("c")
        ledger.release()
        assert (await call).success
    assert len(transport.calls) == 1


def test_a_thread_that_stepped_a_call_by_hand_is_free_again() -> None:
    """Or its next call on a loop of its own would block that loop while the ledger writes."""

    @tool(read_only=True, inline=True)
    def t(deep: bool = False) -> Any:
        assert runtime._corridor._hands.busy
        if deep:
            runtime.call_blocking(runtime.begin(WHO), "t")
            assert runtime._corridor._hands.busy, "the outer one goes on"

    with Runtime([t]) as runtime:
        for arguments in ({}, {"deep": True}, {"wrong": 1}):
            runtime.call_blocking(runtime.begin(WHO), "t", arguments)
            assert not runtime._corridor._hands.busy
