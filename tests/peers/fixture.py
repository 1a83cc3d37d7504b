"""The tools that the official conformance suite calls by name, on a server of both eras of the protocol.

    python tests/peers/fixture.py stdio [--legacy]
    python tests/peers/fixture.py PORT

Over stdio, ``--legacy`` leaves only the era that begins with ``initialize``.
"""

import sys
import warnings
from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import mcp_types as t
import uvicorn
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.runner import serve_loop
from mcp.server.stdio import stdio_server
from mcp.server.streamable_http import EventMessage, EventStore
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ToolsListChanged
from mcp.shared.exceptions import MCPDeprecationWarning, MCPError

RED_PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="  # a PNG
NO_SOUND = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAAAAA=="  # a WAV of one sample
NOTHING = {"type": "object", "properties": {}}
CONTACT = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}
USER = {
    "type": "object",
    "properties": {
        "username": {"type": "string", "description": "User's response"},
        "email": {"type": "string", "description": "User's email address"},
    },
    "required": ["username", "email"],
}

TEXT = t.TextContent(type="text", text="This is a simple text response for testing.")
IMAGE = t.ImageContent(type="image", data=RED_PIXEL, mime_type="image/png")
AUDIO = t.AudioContent(type="audio", data=NO_SOUND, mime_type="audio/wav")

Context = Any
Arguments = dict[str, Any]
Answer = t.CallToolResult

bus = InMemorySubscriptionBus()
more: list[t.Tool] = []


def resource(uri: str, mime_type: str, text: str) -> t.EmbeddedResource:
    contents = t.TextResourceContents(uri=uri, mime_type=mime_type, text=text)
    return t.EmbeddedResource(type="resource", resource=contents)


def answer(*blocks: Any, is_error: bool = False) -> Answer:
    return t.CallToolResult(content=list(blocks), is_error=is_error)


def said(text: str, *, is_error: bool = False) -> Answer:
    return answer(t.TextContent(type="text", text=text), is_error=is_error)


def fixed(*blocks: Any, is_error: bool = False) -> "Callable[[Context, Arguments], Awaitable[Answer]]":
    async def call(ctx: Context, arguments: Arguments) -> Answer:
        return answer(*blocks, is_error=is_error)

    return call


async def progress(ctx: Context, arguments: Arguments) -> Answer:
    for done in (0, 50, 100):
        await ctx.session.report_progress(done, 100)
    return said("The tool with progress is done.")


async def sampling(ctx: Context, arguments: Arguments) -> Answer:
    """In the older era the client's model is asked; whoever did not say that it has one is told what is missing."""
    wanted = t.ClientCapabilities(sampling=t.SamplingCapability())
    if not ctx.session.check_client_capability(wanted):
        missing = t.MissingRequiredClientCapabilityErrorData(required_capabilities=wanted)
        raise MCPError(
            t.MISSING_REQUIRED_CLIENT_CAPABILITY,
            "The client did not declare sampling",
            missing.model_dump(by_alias=True, mode="json", exclude_none=True),
        )
    asked = t.TextContent(type="text", text=arguments.get("prompt", "?"))
    message = t.SamplingMessage(role="user", content=asked)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MCPDeprecationWarning)
        reply = await ctx.session.create_message(messages=[message], max_tokens=100)
    return said(f"LLM response: {reply.content.text}")


async def elicitation(ctx: Context, arguments: Arguments) -> Answer:
    reply = await ctx.session.elicit_form(arguments["message"], USER)
    return said(f"User response: action={reply.action}, content={reply.content}")


async def change(ctx: Context, arguments: Arguments) -> Answer:
    """One more tool, or one less; both eras are told in their own way."""
    if more:
        more.clear()
    else:
        more.append(tool("test_added_tool"))
    await bus.publish(ToolsListChanged())
    if ctx.protocol_version < "2026":
        await ctx.session.send_tool_list_changed()
    return said("The list of tools has changed.")


async def reconnection(ctx: Context, arguments: Arguments) -> Answer:
    """Over HTTP the stream is closed before the answer, which the client fetches by the last event that it saw."""
    if ctx.close_sse_stream is not None:
        await ctx.close_sse_stream()
    return said("The stream was closed, and this came after.")


def text(name: str) -> dict[str, Any]:
    return {"type": "object", "properties": {name: {"type": "string"}}, "required": [name]}


CALLS: dict[str, Callable[[Context, Arguments], Awaitable[Answer]]] = {
    "test_simple_text": fixed(TEXT),
    "test_image_content": fixed(IMAGE),
    "test_audio_content": fixed(AUDIO),
    "test_embedded_resource": fixed(
        resource("test://embedded-resource", "text/plain", "This is an embedded resource content.")
    ),
    "test_multiple_content_types": fixed(
        t.TextContent(type="text", text="Multiple content types test:"),
        IMAGE,
        resource("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
    ),
    "test_error_handling": fixed(
        t.TextContent(type="text", text="This tool intentionally returns an error for testing"), is_error=True
    ),
    "test_tool_with_progress": progress,
    "json_schema_2020_12_tool": fixed(TEXT),
    "test_sampling": sampling,
    "test_elicitation": elicitation,
    "test_missing_capability": sampling,
    "test_streaming_elicitation": progress,
    "test_logging_tool": fixed(TEXT),
    "test_reconnection": reconnection,
    "test_trigger_tool_change": change,
}
SCHEMAS = {"json_schema_2020_12_tool": CONTACT, "test_sampling": text("prompt"), "test_elicitation": text("message")}


def tool(name: str) -> t.Tool:
    return t.Tool(
        name=name,
        description=f"What the conformance suite calls as {name}.",
        input_schema=SCHEMAS.get(name, NOTHING),
        annotations=t.ToolAnnotations(read_only_hint=name != "test_trigger_tool_change", open_world_hint=False),
    )


async def list_tools(ctx: Context, params: Any) -> t.ListToolsResult:
    return t.ListToolsResult(tools=[*map(tool, CALLS), *more])


async def call_tool(ctx: Context, params: Any) -> Answer:
    if params.name not in CALLS:
        raise MCPError(t.INVALID_PARAMS, f"Unknown tool: {params.name}")
    return await CALLS[params.name](ctx, params.arguments or {})


class Events(EventStore):
    """All events of a test's few streams."""

    def __init__(self) -> None:
        self._kept: list[tuple[str, Any]] = []

    async def store_event(self, stream_id: str, message: Any) -> str:
        self._kept.append((stream_id, message))
        return str(len(self._kept))

    async def replay_events_after(self, last_event_id: str, send_callback: Any) -> str | None:
        stream = self._kept[int(last_event_id) - 1][0]
        for number, (of, message) in enumerate(self._kept[int(last_event_id) :], int(last_event_id) + 1):
            if of == stream and message is not None:
                await send_callback(EventMessage(message, str(number)))
        return stream


def server() -> Server:
    return Server(
        "fixture",
        version="1.0.0",
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_subscriptions_listen=ListenHandler(bus),
        get_tool_input_schema=lambda name: SCHEMAS.get(name, NOTHING),
    )


async def over_stdio(served: Server, legacy: bool) -> None:
    options = served.create_initialization_options(NotificationOptions(tools_changed=True))
    async with stdio_server() as (read, write):
        if legacy:
            await serve_loop(served, read, write, lifespan_state={}, init_options=options)
        else:
            await served.run(read, write, options)


def main(where: str, *options: str) -> None:
    served = server()
    if where == "stdio":
        anyio.run(over_stdio, served, "--legacy" in options)
    else:
        app = served.streamable_http_app(event_store=Events(), retry_interval=500)
        uvicorn.run(app, host="127.0.0.1", port=int(where), log_level="warning", http="h11")


if __name__ == "__main__":
    main(*sys.argv[1:])
