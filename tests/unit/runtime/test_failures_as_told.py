"""What a model reads of a failure: what is meant for it, and nothing of a handler's own words or paths."""

from typing import Any

import pytest

from doubles import given, holder
from licet import Runtime, tool
from licet.errors import (
    CapabilityViolation,
    InvalidResultError,
    PathViolation,
    ToolFailedError,
    ToolTimeoutError,
    TransportError,
)
from licet.testing import RecordingLedger, fake_tool

WHO = holder("t", "inner", "outer")


SECRET = "/home/alice/.ssh/id_rsa: hunter2"


class Unmade(ToolFailedError):  # noqa: N818
    def __init__(self) -> None:
        """Sets nothing that its class promises."""


class Speechless(ToolFailedError):  # noqa: N818
    def __str__(self) -> str:
        raise RuntimeError("no text")


@pytest.mark.parametrize(
    "raised",
    [
        ValueError(SECRET), FileNotFoundError(2, SECRET, SECRET), ConnectionError(SECRET), TransportError(SECRET),
        CapabilityViolation(SECRET), ToolTimeoutError(SECRET), InvalidResultError(SECRET), PathViolation(SECRET),
        TransportError("x", reason=SECRET), ToolFailedError("told", reason=SECRET), Speechless("x"), Unmade(),
        ExceptionGroup(SECRET, [ValueError(SECRET)]), KeyError(SECRET),
    ],
)  # fmt: skip
async def test_a_handlers_words_and_paths_reach_neither_the_model_nor_the_ledger(
    ledger: RecordingLedger, caplog: pytest.LogCaptureFixture, raised: Exception
) -> None:
    fake, _ = fake_tool("t", raised)
    async with Runtime([fake], ledger=ledger) as runtime:
        result = await runtime.call(WHO, "t")
    assert (result.success, result.effect) == (False, "unknown")
    for text in (result.content, str(result.error), str(result.metadata), repr(list(ledger.entries()))):
        assert "hunter2" not in text
    assert result.cause is raised, "the developer finds it here"


async def test_a_message_that_a_tool_declares_safe_is_told() -> None:
    result = await given(ToolFailedError("the index is being rebuilt; try again in a minute", reason="index_busy"))
    assert (result.code, result.reason) == ("tool_failed", "index_busy")
    assert "try again in a minute" in result.content
    odd = await given(ToolFailedError("half a character: \ud800"))
    assert "half a character" in odd.content


async def test_a_refusal_that_a_handler_raises_is_its_failure_of_unknown_effect() -> None:
    """A handler that calls another tool and passes on what that said has itself been started."""
    fake, _ = fake_tool("inner")

    @tool
    async def outer() -> Any:
        return (await runtime.call(holder(), "inner")).unwrap()

    @tool(name="t")
    async def timed_out() -> Any:
        raise ToolTimeoutError("the other one gave no answer in time; it had not started", reason="not_started")

    runtime = Runtime([fake, outer, timed_out])
    for name in ("outer", "t"):
        result = await runtime.call(WHO, name)
        assert (result.code, result.effect) == ("tool_failed", "unknown"), name
    runtime.close()


@pytest.mark.requirement("call.unknown-tool-result")
async def test_to_a_model_unknown_ungranted_hidden_and_hosted_are_one_text(ledger: RecordingLedger) -> None:
    from licet import ToolSpec

    fake, transport = fake_tool("t")
    hosted = ToolSpec(name="t", source="hosted")
    told, codes = set(), []
    for tools, who in (
        ([], WHO),
        ([fake], holder()),
        ([fake], holder("t", mode="read_only")),
        ([hosted], WHO),
    ):
        async with Runtime(tools, ledger=ledger) as runtime, runtime.run(who) as run:
            result = await run.call("t", {"a": 1})
        codes.append(result.code)
        assert (result.success, result.effect, result.output) == (False, "none", {})
        told.add("\n".join(line for line in result.content.splitlines() if "local/t" not in line)[:-34])
    assert codes == ["unknown_tool", "not_granted", "mode_forbids", "hosted_tool"], "Python sees the difference"
    assert len(told) == 1
    assert "there is no tool of this name" in told.pop()
    assert [entry.body.count(code.encode()) for entry, code in zip(ledger.entries(), codes, strict=True)] == [1] * 4
    assert transport.calls == []


@pytest.mark.requirement("call.invalid-arguments-result")
async def test_invalid_arguments_are_told_with_their_pointers_and_nothing_runs(ledger: RecordingLedger) -> None:
    schema = {
        "type": "object",
        "properties": {"a": {"type": "array", "items": {"type": "integer"}}, "b/c": {"enum": ["x"]}},
        "required": ["a"],
        "additionalProperties": False,
    }
    fake, transport = fake_tool("t", input_schema=schema)
    async with Runtime([fake], ledger=ledger) as runtime:
        for arguments, pointer in (
            ({"a": [1, "x"]}, "/a/1"),
            ({"a": [], "b/c": "y"}, "/b~1c"),
            ({}, "/"),
            ({"a": [], "extra": 1}, "/"),
            ('{"a": [1], "a": [2]}', "/a"),
            ("[1]", "object"),
            ("{", "JSON"),
            ({"a": [float("nan")]}, "/a/0"),
            ("nul", "JSON"),
        ):
            result = await runtime.call(WHO, "t", arguments)
            assert (result.code, result.effect) == ("invalid_arguments", "none"), arguments
            assert pointer in str(result.error)
            assert pointer in result.content.replace("\\\\/", "/")
    assert transport.calls == []
    assert set(ledger.kinds) == {"tool.refused"}
