"""Listing and calling through the gateway, with the official SDK's client, in both eras."""

import asyncio
import shlex
from typing import Any

import pytest
from mcp import MCPError
from served import ERAS, client

from licet.catalog import Tool
from licet.errors import ToolFailedError
from licet.model.answer import Answer, FailedAnswer
from licet.model.tool import Annotations
from licet.testing import RecordingLedger, fake_tool

PNG = {"type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png"}
WAV = {"type": "audio", "data": "UklGRg==", "mimeType": "audio/wav"}
FILE = {"type": "resource", "resource": {"uri": "test://a", "mimeType": "text/plain", "text": "within"}}
SCHEMA = {
    "type": "object",
    "properties": {"path": {"type": "string", "x-mcp-header": "Path"}, "deep": {"default": None}},
    "required": ["path"],
    "$defs": {"a": {"$anchor": "a", "type": "string"}},
    "additionalProperties": False,
}


def status(answer: Any = None, **spec: Any) -> Any:
    spec.setdefault("input_schema", SCHEMA)
    return fake_tool("mcp/git.git_status", answer, source="mcp", read_only=True, **spec)


@pytest.mark.parametrize("era", ERAS)
async def test_a_listing_shows_pinned_parts_alone_under_served_names(era: str) -> None:
    tool, _ = status(
        title="Status", description="Says it.", annotations=Annotations(read_only=True), metadata={"vendor": 1}
    )
    async with client(era, tool) as connected:
        listed = (await connected.list_tools()).tools
    assert [shown.model_dump(by_alias=True, exclude_none=True) for shown in listed] == [
        {
            "name": "git__git_status",
            "title": "Status",
            "description": "Says it.",
            "inputSchema": {
                **SCHEMA,
                "properties": {"path": {"type": "string"}, "deep": {"default": None}},
            },
            "annotations": {"readOnlyHint": True},
        }
    ]


@pytest.mark.parametrize("era", ERAS)
async def test_a_tool_is_called_by_the_name_that_its_operator_chose(era: str) -> None:
    tool, transport = status(Answer({"text": "clean"}, ({"type": "text", "text": "clean"},)))
    async with client(era, tool, names={"mcp/git.git_status": "state"}) as connected:
        assert [shown.name for shown in (await connected.list_tools()).tools] == ["state"]
        result = await connected.call_tool("state", {"path": "."})
        with pytest.raises(MCPError, match="Unknown tool: git__git_status"):
            await connected.call_tool("git__git_status", {"path": "."})
    assert result.content[0].text == "clean"
    assert transport.calls == [{"path": "."}]


@pytest.mark.parametrize("era", ERAS)
async def test_every_kind_of_content_passes_as_it_came(era: str) -> None:
    words = {"type": "text", "text": "<b>not escaped</b> \u202e [x]"}
    tool, _ = status(Answer({"n": 1}, (words, PNG, WAV, FILE), {"n": 1}))
    async with client(era, tool) as connected:
        result = await connected.call_tool("git__git_status", {"path": "."})
    shown = [block.model_dump(by_alias=True, exclude_none=True) for block in result.content]
    assert shown == [words, PNG, WAV, FILE]
    assert (result.structured_content, result.is_error) == ({"n": 1}, False)


@pytest.mark.parametrize("era", ERAS)
async def test_four_megabytes_pass_whole(era: str) -> None:
    text = "x" * (4 * 1024 * 1024 - 100)
    tool, _ = status(Answer({"text": text}, ({"type": "text", "text": text},)))
    async with client(era, tool) as connected:
        result = await connected.call_tool("git__git_status", {"path": "."})
    assert result.content[0].text == text


@pytest.mark.parametrize("era", ERAS)
async def test_an_upstream_error_passes_with_its_own_blocks(era: str) -> None:
    tool, _ = status(FailedAnswer("no repository", blocks=({"type": "text", "text": "no repository"}, PNG)))
    async with client(era, tool) as connected:
        result = await connected.call_tool("git__git_status", {"path": "."})
    assert result.is_error
    assert [block.type for block in result.content] == ["text", "image"]


@pytest.mark.parametrize("era", ERAS)
async def test_the_text_of_a_foreign_exception_never_reaches_the_client(era: str) -> None:
    tool, _ = status(ValueError("the secret"))
    async with client(era, tool) as connected:
        result = await connected.call_tool("git__git_status", {"path": "."})
    assert result.is_error
    assert "secret" not in str(result)


@pytest.mark.parametrize("era", ERAS)
async def test_bad_arguments_touch_nothing_and_name_the_place(era: str, ledger: RecordingLedger) -> None:
    tool, transport = status()
    told: list[str] = []
    async with client(era, tool, ledger=ledger, told=told) as connected:
        result = await connected.call_tool("git__git_status", {"path": 7})
    assert result.is_error
    assert result.content[0].text.startswith("invalid_arguments: ")
    assert "/path" in result.content[0].text
    assert transport.calls == []
    assert ledger.kinds == ["tool.refused"]
    command = told[0].partition("explained by: ")[2]
    assert shlex.split(command) == ["licet", "why", "mcp/git.git_status", '{"path":7}', "--agent", "coder"]


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(
    ("called", "recorded"),
    [
        ("git__git_push", "mcp/git.git_push"),  # registered, and not granted
        ("git__git_commit", "mcp/git.git_commit"),  # granted, and hidden by the mode
        ("nothing", "local/nothing"),
        ("../etc/passwd", "../etc/passwd"),
        ("mcp/git.git_status", "?mcp/git.git_status"),  # a canonical name is no name on this wire
    ],
)
async def test_what_is_not_offered_is_unknown_to_the_client_and_told_on_the_ledger(
    era: str, called: str, recorded: str, ledger: RecordingLedger
) -> None:
    tools = [fake_tool(f"mcp/git.git_{name}", source="mcp") for name in ("push", "commit")]
    seen, transport = status()
    every = [seen, *(tool for tool, _ in tools)]
    granted = ("mcp/git.git_status", "mcp/git.git_commit")
    async with client(era, *every, ledger=ledger, grants=granted) as connected:
        with pytest.raises(MCPError) as caught:
            await connected.call_tool(called, {"path": "."})
    assert (caught.value.error.code, caught.value.error.message) == (-32602, f"Unknown tool: {called}")
    assert [entry.kind for entry in ledger.entries()] == ["tool.refused"]
    assert recorded in next(iter(ledger.entries())).body.decode()
    assert transport.calls == [] == [call for _, other in tools for call in other.calls]


@pytest.mark.parametrize("era", ERAS)
async def test_a_call_that_its_client_cancels_ends_upstream_and_is_recorded(era: str, ledger: RecordingLedger) -> None:
    begun, ended = asyncio.Event(), asyncio.Event()

    async def hang() -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    tool = Tool(status()[0].spec, _Awaiting(hang))
    async with client(era, tool, ledger=ledger) as connected:
        calling = asyncio.create_task(connected.call_tool("git__git_status", {"path": "."}))
        await begun.wait()
        calling.cancel()
        await ended.wait()
    assert ledger.kinds[-1] == "tool.abandoned"


class _Awaiting:
    kind = "fake"

    def __init__(self, answer: Any) -> None:
        self._answer = answer

    async def call(self, arguments: dict[str, Any], context: Any, /) -> Any:
        return await self._answer()


class _Reporting:
    kind = "fake"

    async def call(self, arguments: dict[str, Any], context: Any, /) -> Any:
        for step in (0, 50, 100):
            context.progress(step, 100, f"step {step}")
        return {"done": True}


@pytest.mark.parametrize("era", ERAS)
async def test_progress_reaches_the_client_in_order_and_before_the_result(era: str) -> None:
    heard: list[tuple[float, float | None, str | None]] = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        heard.append((progress, total, message))

    async with client(era, Tool(status()[0].spec, _Reporting())) as connected:
        await connected.call_tool("git__git_status", {"path": "."}, progress_callback=hear)
    assert heard == [(0, 100, "step 0"), (50, 100, "step 50"), (100, 100, "step 100")]


@pytest.mark.parametrize("era", ERAS)
async def test_a_tool_of_ours_with_an_output_schema_gives_structured_content(era: str) -> None:
    output = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    tool, _ = fake_tool("count", {"n": 3}, read_only=True, output_schema=output)
    async with client(era, tool) as connected:
        await connected.list_tools()
        result = await connected.call_tool("count", {})
    assert result.structured_content == {"n": 3}


@pytest.mark.parametrize("era", ERAS)
async def test_an_output_schema_of_a_list_spoils_no_listing(era: str) -> None:
    output = {"type": "array", "items": {"type": "integer"}}
    tool, _ = status(Answer({"result": [1]}, ({"type": "text", "text": "[1]"},), [1]), output_schema=output)
    async with client(era, tool) as connected:
        listed = (await connected.list_tools()).tools[0]
        result = await connected.call_tool("git__git_status", {"path": "."})
    assert (listed.output_schema, result.structured_content) == ((None, None) if era == "legacy" else (output, [1]))
    assert result.content[0].text == "[1]"


@pytest.mark.parametrize("era", ERAS)
async def test_without_a_ledger_no_call_runs_and_the_client_learns_no_file_name(era: str) -> None:
    ledger = RecordingLedger()
    tool, transport = status()
    async with client(era, tool, ledger=ledger) as connected:
        ledger.broken = True
        result = await connected.call_tool("git__git_status", {"path": 7})
    assert result.is_error
    assert result.content[0].text.startswith("ledger_unavailable: ")
    assert transport.calls == []


async def test_a_capability_that_its_client_lacks_is_told_by_the_upstreams_own_error() -> None:
    lacking = ToolFailedError("mcp/git: error -32021", reason="rpc_error")
    lacking.__cause__ = MCPError(-32021, "no sampling", {"requiredCapabilities": {"sampling": {}}})
    tool, _ = status(lacking)
    async with client("auto", tool) as connected:
        with pytest.raises(MCPError) as caught:
            await connected.call_tool("git__git_status", {"path": "."})
    error = caught.value.error
    assert (error.code, error.data) == (-32021, {"requiredCapabilities": {"sampling": {}}})
    async with client("legacy", tool) as connected:
        assert (await connected.call_tool("git__git_status", {"path": "."})).is_error
