"""Tools that stand behind a server: asked whether they are still themselves, answered in blocks, or withheld."""

import asyncio
from typing import Any

import pytest

from licet import Principal, Runtime, Tool, ToolCapability, ToolSpec
from licet.errors import RefusedError, ServerUnavailableError, ToolSchemaChangedError, TransportError
from licet.model.answer import Answer, FailedAnswer
from licet.model.context import PROGRESS, CallContext
from licet.model.verdict import Deny
from licet.ports import Line, Listing
from licet.runtime.limits import Limits
from licet.testing import FakeTransport, FixedClock, RecordingLedger

NAME = "mcp/git.log"
WHO = Principal("coder", grants=[NAME, "mcp/git.diff", "mcp/dead.x"], mode="workspace_write")
IDEMPOTENT = ToolCapability(idempotent=True)


class Remote(FakeTransport):
    """A transport that says whether its tool is fresh: ``not_fresh`` is raised if it is set."""

    kind = "mcp_stdio"

    def __init__(self, answer: Any = None, not_fresh: BaseException | None = None) -> None:
        super().__init__(answer)
        self.not_fresh = not_fresh
        self.turns: list[object] = []

    async def check_fresh(self, context: CallContext, /) -> None:
        self.turns.append(context.turn)
        if self.not_fresh is not None:
            raise self.not_fresh


def remote(answer: Any = None, not_fresh: BaseException | None = None, **spec: Any) -> tuple[Tool, Remote]:
    transport = Remote(answer, not_fresh)
    return Tool(ToolSpec(name=NAME, source="mcp", **spec), transport), transport


def served(tool: Tool, ledger: RecordingLedger, **options: Any) -> Runtime:
    return Runtime([tool], ledger=ledger, **options)


@pytest.mark.parametrize(
    ("exc", "code"),
    [
        (ToolSchemaChangedError("its description changed", reason="description"), "schema_changed"),
        (ServerUnavailableError("it does not start", reason="spawn_failed"), "server_unavailable"),
        (RefusedError("no"), "refused"),
    ],
)
async def test_a_tool_that_is_not_fresh_is_refused_before_it_gets_its_arguments(
    exc: Any, code: str, ledger: RecordingLedger
) -> None:
    tool, transport = remote(not_fresh=exc)
    result = await served(tool, ledger).call(WHO, NAME)
    assert (result.code, result.effect, result.error) == (code, "none", str(exc))
    assert result.reason == exc.reason
    assert transport.calls == []
    assert ledger.kinds == ["tool.requested", "tool.refused"]


async def test_every_call_of_a_turn_is_told_the_same_turn_and_a_call_outside_has_one_of_its_own(
    ledger: RecordingLedger,
) -> None:
    tool, transport = remote()
    runtime = served(tool, ledger)
    async with runtime.run(WHO) as run:
        async with run.turn():
            await run.call(NAME)
            await run.call(NAME)
        await run.call(NAME)
        await run.call(NAME)
        run.next_turn()
        await run.call(NAME)
        await run.call(NAME)
        run.next_turn()
        await run.call(NAME)
    one, same, alone, other, served_, again, last = transport.turns
    assert one is same
    assert served_ is again
    assert len({id(turn) for turn in (one, alone, other, served_, last)}) == 5


async def test_an_answer_keeps_its_blocks_beside_its_output(ledger: RecordingLedger) -> None:
    blocks = ({"type": "text", "text": "7"}, {"type": "image", "data": "AA==", "mimeType": "image/png"})
    tool, _ = remote(Answer({"n": 7}, blocks, {"n": 7}, (("definition", "changed_since_listing"),)))
    result = await served(tool, ledger).call(WHO, NAME)
    assert (result.output, result.blocks, result.structured) == ({"n": 7}, blocks, {"n": 7})
    assert result.metadata == {"definition": "changed_since_listing"}
    assert "image/png" not in result.content, "a model is shown the output"


async def test_the_blocks_of_an_answer_count_towards_the_limit_of_a_result(ledger: RecordingLedger) -> None:
    image = {"type": "resource", "resource": {"uri": "x:y", "blob": "A" * 2000}}
    tool, _ = remote(Answer({}, (image,)))
    result = await served(tool, ledger, limits=Limits(output_bytes=1000)).call(WHO, NAME)
    assert (result.code, result.effect) == ("invalid_result", "unknown")


@pytest.mark.parametrize("structured", [None, {"n": "seven"}, [7]])
async def test_structured_content_that_does_not_fit_its_schema_is_no_result(
    structured: Any, ledger: RecordingLedger
) -> None:
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    tool, _ = remote(Answer({"n": 7}, (), structured), output_schema=schema)
    result = await served(tool, ledger).call(WHO, NAME)
    assert (result.code, result.effect) == ("invalid_result", "unknown")


async def test_a_failure_that_a_server_tells_keeps_its_blocks_and_its_words(ledger: RecordingLedger) -> None:
    blocks = ({"type": "text", "text": "no such branch"},)
    tool, _ = remote(FailedAnswer("no such branch", blocks=blocks))
    result = await served(tool, ledger).call(WHO, NAME)
    assert (result.code, result.error, result.effect, result.blocks) == (
        "tool_failed", "no such branch", "unknown", blocks,
    )  # fmt: skip


@pytest.mark.requirement("mcp.never-retry-non-idempotent")
@pytest.mark.parametrize("exc", [TransportError("it closed"), ServerUnavailableError("it is gone"), ConnectionError()])
async def test_a_tool_that_is_not_idempotent_is_started_once_whatever_fails(
    exc: BaseException, ledger: RecordingLedger
) -> None:
    tool, transport = remote(exc)
    result = await served(tool, ledger).call(WHO, NAME)
    assert not result.success
    assert len(transport.calls) == 1


async def test_what_refuses_a_second_try_says_nothing_of_the_first(ledger: RecordingLedger) -> None:
    answers = [TransportError("it closed under the call", reason="closed"), ServerUnavailableError("it is gone")]

    def next_answer(arguments: Any) -> Any:
        raise answers.pop(0)

    tool, transport = remote(next_answer, capabilities=IDEMPOTENT)
    result = await served(tool, ledger, limits=Limits(attempts=2, backoff_s=0.0)).call(WHO, NAME)
    assert len(transport.calls) == 2
    assert (result.code, result.effect, result.reason) == ("transport", "unknown", "closed")


async def test_progress_gives_a_call_its_time_anew_up_to_a_limit(clock: FixedClock, ledger: RecordingLedger) -> None:
    heard: list[Any] = []
    deadlines: list[float] = []

    class Slow(Remote):
        async def call(self, arguments: dict[str, Any], context: CallContext, /) -> Any:
            for step in range(5):
                assert context.deadline is not None
                deadlines.append(context.deadline)
                clock.advance(40)
                context.progress(step, 5, "on")
            return {}

    runtime = Runtime([Tool(ToolSpec(name=NAME, source="mcp"), Slow())], ledger=ledger, clock=clock,
                      limits=Limits(progress_s=100))  # fmt: skip
    token = PROGRESS.set(lambda *told: heard.append(told))
    try:
        assert (await runtime.call(WHO, NAME)).success
    finally:
        PROGRESS.reset(token)
    assert heard == [(step, 5, "on") for step in range(5)]
    assert deadlines == [30, 70, 100, 100, 100]


class Source:
    def __init__(self, name: str, listing: Listing | ServerUnavailableError) -> None:
        self.name = name
        self._listing = listing

    async def list(self) -> Listing:
        if isinstance(self._listing, ServerUnavailableError):
            raise self._listing
        return self._listing

    async def close(self) -> None: ...


@pytest.mark.requirement("own.error-is-not-emptiness")
async def test_a_dead_server_is_a_line_and_a_typed_refusal_and_no_empty_list(ledger: RecordingLedger) -> None:
    tool, _ = remote()
    dead = Source("mcp/dead", ServerUnavailableError("mcp/dead exits at once", reason="exited"))
    runtime = Runtime(ledger=ledger)
    lines = await runtime.connect(dead, Source("mcp/git", Listing((tool,), report=(Line("mcp/git", "ready"),))))
    assert [(line.server, line.state, line.reason) for line in lines] == [
        ("mcp/dead", "unavailable", "exited"), ("mcp/git", "ready", ""),
    ]  # fmt: skip
    assert (await runtime.call(WHO, NAME)).success, "the other server works"
    result = await runtime.call(WHO, "mcp/dead.x")
    assert (result.code, result.reason, result.effect) == ("server_unavailable", "exited", "none")
    assert runtime.why(WHO, "mcp/dead.x").denial == Deny(
        "server_unavailable", "mcp/dead exits at once", "exited", "licet tools says how its servers are"
    )
    ungranted = Principal("nobody", mode="workspace_write")
    assert (await runtime.call(ungranted, "mcp/dead.x")).code == "not_granted", "the grant comes first"


@pytest.mark.requirement("own.one-bad-tool")
async def test_what_cannot_be_registered_is_withheld_with_its_reason_and_its_siblings_work(
    ledger: RecordingLedger,
) -> None:
    good, _ = remote()
    like = Tool(ToolSpec(name="mcp/git.Log", source="mcp"), Remote())
    bad = Tool(ToolSpec(name="mcp/git.diff", source="mcp", input_schema={"type": "int"}), Remote())
    withheld = {"mcp/git.push": Deny("quarantined", "its schema has no type", "bad_schema")}
    runtime = Runtime(ledger=ledger)
    lines = await runtime.connect(Source("mcp/git", Listing((good, like, bad), withheld)))
    assert {(line.state, line.tool) for line in lines} == {
        ("quarantined", "mcp/git.Log"), ("quarantined", "mcp/git.diff"),
    }  # fmt: skip
    assert [spec.name for spec in runtime.tools_for(WHO)] == [NAME]
    result = await runtime.call(WHO, "mcp/git.diff")
    assert (result.code, result.effect) == ("quarantined", "none")
    pusher = Principal("p", grants=["mcp/git.push"], mode="workspace_write")
    assert (await runtime.call(pusher, "mcp/git.push")).reason == "bad_schema"
    assert "unknown_tool" in (await runtime.call(pusher, "mcp/git.push")).content, "to a model it is not there"


async def test_connecting_again_replaces_what_a_server_offered_and_what_was_said_of_it(
    ledger: RecordingLedger,
) -> None:
    tool, _ = remote()
    runtime = Runtime(ledger=ledger)
    await runtime.connect(Source("mcp/git", ServerUnavailableError("gone")))
    await runtime.connect(Source("mcp/git", Listing((tool,))))
    assert (await runtime.call(WHO, NAME)).success
    other = Tool(ToolSpec(name="mcp/git.diff", source="mcp"), Remote())
    await runtime.connect(Source("mcp/git", Listing((other,))))
    assert (await runtime.call(WHO, NAME)).code == "unknown_tool"
    assert (await runtime.call(WHO, "mcp/git.diff")).success
    await runtime.connect(Source("mcp/git", ServerUnavailableError("gone again")))
    assert runtime.specs() == []
    assert (await runtime.call(WHO, "mcp/git.diff")).code == "server_unavailable"


async def test_a_call_that_is_cancelled_while_its_tool_is_checked_touched_nothing(ledger: RecordingLedger) -> None:
    begun = asyncio.Event()

    class Hangs(Remote):
        async def check_fresh(self, context: CallContext, /) -> None:
            begun.set()
            await asyncio.Event().wait()

    transport = Hangs()
    runtime = Runtime([Tool(ToolSpec(name=NAME, source="mcp"), transport)], ledger=ledger)
    task = asyncio.create_task(runtime.call(WHO, NAME))
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert transport.calls == []
    assert b'"effect":"none"' in list(ledger.entries())[-1].body
