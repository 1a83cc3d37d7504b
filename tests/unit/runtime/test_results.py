"""What comes back: JSON or a typed failure, a copy that nobody can change, and nothing that a model should not read."""

import asyncio
import copy
import enum
import logging
import pickle
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any, NamedTuple

import orjson
import pytest

from doubles import READS, given, holder
from licet import Runtime, ToolError, tool
from licet.errors import (
    InvalidResultError,
    ToolFailedError,
)
from licet.model.command import WorkflowCommand
from licet.runtime.limits import Limits
from licet.testing import FixedClock, RecordingLedger, fake_tool

WHO = holder("t", "u", "inner", "outer")


SECRET = "/home/alice/.ssh/id_rsa: hunter2"


class Point(NamedTuple):
    x: int
    y: int


class Text(str):
    """Claims to be something else."""

    def __str__(self) -> str:
        return "another"


@pytest.mark.requirement("result.json-io")
@pytest.mark.parametrize(
    ("value", "output"),
    [
        ({"a": [1, 2.5, None, True, "é\n"]}, {"a": [1, 2.5, None, True, "é\n"]}),
        ([], []),
        ("", ""),
        (0, 0),
        (False, False),
        (None, None),
        ((1, (2, 3)), [1, [2, 3]]),
        (Point(1, 2), [1, 2]),
        (Text("text"), "text"),
        ({"big": 2**64 - 1, "small": -(2**63)}, {"big": 2**64 - 1, "small": -(2**63)}),
    ],
)
async def test_any_json_value_is_an_output(value: Any, output: Any) -> None:
    result = await given(lambda arguments: value)
    assert (result.success, result.output, result.error, result.code, result.effect) == (
        True, output, None, None, "done",
    )  # fmt: skip
    assert type(result.output) is type(output)
    assert result.unwrap() == output
    assert result.untrusted


class Colour(enum.Enum):
    RED = 1


@dataclass
class Thing:
    x: int = 1


def nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


def cyclic() -> Any:
    value: list[Any] = []
    value.append(value)
    return value


class Raising(dict[str, Any]):
    def items(self) -> Any:
        raise RuntimeError("mine")

    def __iter__(self) -> Any:
        raise RuntimeError("mine")


@pytest.mark.requirement("result.json-io")
@pytest.mark.parametrize(
    "value",
    [
        object(), {1, 2}, b"raw", bytearray(b"x"), Colour.RED, Thing(), uuid.uuid4(), date(2026, 1, 1), Decimal("1"),
        float("nan"), float("inf"), {"x": -float("inf")}, 2**64, -(2**63) - 1, "\ud800", {"\udfff": 1}, {1: 2},
        {None: 1}, nested(65), cyclic(), iter([]), (n for n in ()), {"deep": [{"x": {1}}]}, ToolError, lambda: 1,
    ],
)  # fmt: skip
async def test_anything_else_is_an_invalid_result_and_its_effect_unknown(value: Any) -> None:
    result = await given(lambda arguments: value)
    assert (result.success, result.code, result.effect, result.output) == (False, "invalid_result", "unknown", {})
    assert result.json == b"{}"
    with pytest.raises(InvalidResultError):
        result.unwrap()


class Unreadable(Mapping[str, Any]):
    def __len__(self) -> int:
        return 1

    def __iter__(self) -> Any:
        raise RuntimeError("mine")

    def __getitem__(self, key: str) -> Any:
        raise RuntimeError("mine")


async def test_a_hostile_mapping_is_read_as_what_it_is_or_refused(ledger: RecordingLedger) -> None:
    assert (await given(lambda arguments: Raising(a=1))).output == {"a": 1}
    assert (await given(lambda arguments: Unreadable())).code == "invalid_result"
    fake, transport = fake_tool("t")
    async with Runtime([fake], ledger=ledger) as runtime:
        assert (await runtime.call(WHO, "t", Raising(a=1))).success
        refused = await runtime.call(WHO, "t", Unreadable())
        assert (refused.code, refused.effect) == ("invalid_arguments", "none")
        assert "mine" not in refused.content
    assert transport.calls == [{"a": 1}]
    assert ledger.kinds == ["tool.requested", "tool.completed", "tool.refused"]


@pytest.mark.requirement("result.duration")
async def test_duration_is_monotonic_and_set_on_every_ending(clock: FixedClock) -> None:
    def slow(arguments: Any) -> Any:
        clock.advance(0.25)
        return arguments

    def fails(arguments: Any) -> Any:
        clock.advance(0.5)
        raise ValueError

    for answer, took in ((slow, 250), (fails, 500)):
        fake, _ = fake_tool("t", answer)
        async with Runtime([fake], clock=clock) as runtime:
            assert (await runtime.call(WHO, "t")).duration_ms == took
            assert (await runtime.call(WHO, "nowhere")).duration_ms == 0
    result = await given({})
    assert result.duration_ms > 0
    assert isinstance(result.duration_ms, float)


@pytest.mark.requirement("result.fields")
async def test_a_result_and_an_error_have_the_fields_of_the_contract() -> None:
    done, failed = await given({"a": 1}), await given(ValueError("no"))
    assert (done.success, done.output, done.error, done.metadata) == (True, {"a": 1}, None, {})
    assert (failed.success, failed.output, failed.command) == (False, {}, None)
    assert isinstance(failed.error, str)
    assert isinstance(failed.metadata, dict)
    with pytest.raises(ToolError) as raised:
        failed.unwrap()
    assert (raised.value.tool_name, raised.value.error_type) == ("local/t", "ToolFailedError")
    assert raised.value.details == str(raised.value) == failed.error
    assert isinstance(raised.value.__cause__, ValueError)
    for one in (done, failed):
        assert repr(one).startswith("ToolResult('local/t', ")


async def test_nobody_can_change_a_result_through_the_handlers_object_or_through_its_output() -> None:
    mine = {"list": [1], "deep": {"x": 1}}
    fake, _ = fake_tool("t", lambda arguments: mine)
    async with Runtime([fake]) as runtime:
        result = await runtime.call(WHO, "t")
        before = (result.content, result.json)
        mine["list"].append(2)  # type: ignore[attr-defined]
        assert result.output == {"list": [1], "deep": {"x": 1}}
        result.output["deep"]["x"] = 1_000_000
        result.output.clear()
        assert (result.content, result.json) == before
        assert result.json == b'{"deep":{"x":1},"list":[1]}'
        assert (await runtime.call(WHO, "t")).output["deep"] == {"x": 1}


async def test_an_output_schema_is_kept_and_a_limit_too(ledger: RecordingLedger) -> None:
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    assert (await given({"n": 1}, output_schema=schema)).success
    for wrong in ({"n": "x"}, {}, [1], None):
        result = await given(lambda arguments, wrong=wrong: wrong, output_schema=schema)
        assert (result.success, result.code, result.effect) == (False, "invalid_result", "unknown")
        assert "output schema" in str(result.error)
    assert (await given({"x": "y" * 90}, limits=Limits(output_bytes=100))).success
    large = await given({"x": "y" * 93}, limits=Limits(output_bytes=100))
    assert (large.code, large.effect) == ("invalid_result", "unknown")
    assert "101 bytes" in str(large.error)
    fake, transport = fake_tool("t")
    async with Runtime([fake], ledger=ledger, limits=Limits(arguments_bytes=100)) as runtime:
        assert (await runtime.call(WHO, "t", {"x": "y" * 92})).success
        for over in ({"x": "y" * 93}, '{"x": "' + "y" * 93 + '"}'):
            refused = await runtime.call(WHO, "t", over)
            assert (refused.code, refused.effect) == ("invalid_arguments", "none")
    assert len(transport.calls) == 1
    assert all(len(entry.body) < 5000 for entry in ledger.entries())


# --- leaving the process ---


async def test_a_result_that_leaves_takes_its_block_along_and_no_secret() -> None:
    done, failed = await given({"a": 1}), await given(ValueError(SECRET))
    for result in (done, failed):
        for double in (pickle.loads(pickle.dumps(result)), copy.copy(result), copy.deepcopy(result)):
            assert double.content == result.content
            assert double[:10] == result[:10]
            assert double.cause is None
        assert b"hunter2" not in pickle.dumps(result)
        with pytest.raises(TypeError, match="secret"):
            pickle.dumps(result.renderer)
    with pytest.raises(ToolFailedError):
        pickle.loads(pickle.dumps(failed)).unwrap()


async def test_a_workflow_command_is_a_result_with_a_command() -> None:
    result = await given(lambda arguments: WorkflowCommand("attach_plan", {"steps": [1]}))
    assert result.command is not None
    assert (result.command.kind, result.output) == ("attach_plan", {"command": "attach_plan", "steps": [1]})


async def test_an_overrun_of_an_inline_tool_is_reported(clock: FixedClock) -> None:
    @tool(inline=True, read_only=True, timeout_s=1, name="t")
    def slow() -> None:
        clock.advance(1.5)

    async with Runtime([slow], clock=clock) as runtime:
        result = await runtime.call(WHO, "t")
        assert result.success
        assert result.metadata["overrun_ms"] == 500


async def test_only_an_inline_tool_overruns(clock: FixedClock) -> None:
    """Any other is stopped; that the ledger took long is no fault of the tool."""

    def slow(arguments: Any) -> None:
        clock.advance(31)

    for answer, took in ((slow, 31_000), ({}, 0)):
        fake, _ = fake_tool("t", answer)
        async with Runtime([fake], clock=clock) as runtime:
            result = await runtime.call(WHO, "t")
        assert (result.success, result.duration_ms, result.metadata) == (True, took, {})


async def test_what_nobody_could_read_stands_on_the_ledger_as_its_beginning(ledger: RecordingLedger) -> None:
    fake, _ = fake_tool("t")
    long = "[" + "x" * 10_000
    for arguments, shown in (
        ("not json", "not json"),
        (b"raw \xff", "raw \ufffd"),
        ("half \ud800", "half ?"),
        (long, long[:4096]),
        (7, "<int>"),
        ([1], "<list>"),
    ):
        async with Runtime([fake], ledger=ledger) as runtime:
            assert (await runtime.call(WHO, "t", arguments)).code == "invalid_arguments"  # type: ignore[arg-type]
        told = orjson.loads(list(ledger.entries())[-1].body)["arguments"]
        if arguments is long:
            assert told["truncated"]["start"].startswith('{"unreadable":"[xxx')
        else:
            assert told == {"unreadable": shown}


async def test_what_a_handler_raised_is_logged_for_the_developer(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, "licet.call"):
        await given(ValueError("for the log"))
    assert any(record.exc_info and "for the log" in str(record.exc_info[1]) for record in caplog.records)


async def test_handlers_of_one_call_get_arguments_of_their_own() -> None:
    def greedy(arguments: dict[str, Any]) -> Any:
        arguments["a"] = 2
        return arguments

    arguments = {"a": 1}
    fake, transport = fake_tool("t", greedy, capabilities=READS)
    async with Runtime([fake]) as runtime:
        results = await asyncio.gather(*(runtime.call(WHO, "t", arguments) for _ in range(3)))
    assert arguments == {"a": 1}
    assert transport.calls == [{"a": 1}] * 3
    assert [result.output for result in results] == [{"a": 2}] * 3
