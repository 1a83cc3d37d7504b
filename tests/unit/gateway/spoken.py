"""What a client is answered that sends all its lines at once: early and then by the SDK, or by the SDK alone."""

import asyncio
import json
import os
from collections import Counter
from typing import Any, NamedTuple

from licet import Principal, Runtime
from licet.gateway.clients import Clients
from licet.gateway.early import STATELESS_VERSION, Early
from licet.gateway.opening import Opening
from licet.gateway.pipes import Pipes
from licet.gateway.refusals import Refusals
from licet.gateway.server import Gateway
from licet.gateway.stdio import serve_pipes
from licet.gateway.surface import Surface
from licet.model.tool import ToolCapability
from licet.testing import RecordingLedger, fake_tool

INFO = {"name": "a client", "version": "1", "title": "Ein \u201eClient\u201c", "websiteUrl": "no url"}
ASKED = {"type": "object", "properties": {"\u00e9": {"type": "number", "minimum": 1e22, "default": -0.0}}}
DECLARED: tuple[dict[str, Any], ...] = (
    {},
    {"roots": {"listChanged": True}},
    {"elicitation": {}},
    {"elicitation": {"form": {}}, "sampling": {}, "roots": {}},
    {"elicitation": {"url": {}}},
    {"elicitation": {"url": {}, "form": {}}},
)
META = "io.modelcontextprotocol/"
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}


class Heard(NamedTuple):
    """Answers by their text, what the ledger holds, runs, how many lines were answered early, whether the SDK came."""

    answers: Counter[str]
    kinds: list[str]
    sessions: int
    early: int
    loaded: bool


def request(id: Any, method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, "method": method, **({"params": params} if params else {})}


def hello(
    version: Any = "2025-11-25", capabilities: Any = DECLARED[0], info: Any = INFO, **more: Any
) -> dict[str, Any]:
    return request(1, "initialize", protocolVersion=version, capabilities=capabilities, clientInfo=info, **more)


def envelope(version: Any = STATELESS_VERSION, capabilities: Any = DECLARED[0], info: Any = INFO) -> dict[str, Any]:
    told = {"protocolVersion": version, "clientInfo": info, "clientCapabilities": capabilities}
    return {META + name: value for name, value in told.items()}


async def heard(*messages: Any, early: bool, ends: bool = False) -> Heard:
    """What a client that sends all this at once is answered; ``ends``: its end is closed before anybody reads."""
    flags = ToolCapability(read_only=True, human_approval_required=True)
    tools = [
        fake_tool("look", {"seen": 1}, read_only=True, input_schema=ASKED, description="Looks \u2028 \U0001f600.")[0],
        fake_tool("mcp/git.git_reset", source="mcp", capabilities=flags)[0],
    ]
    ledger = RecordingLedger()
    (into, sent), (got, out) = os.pipe(), os.pipe()
    data = b"".join((one if type(one) is bytes else json.dumps(one).encode()) + b"\n" for one in messages)
    os.write(sent, data)
    if ends:
        os.close(sent)
    gateways: list[Gateway] = []
    with Runtime(tools, ledger=ledger) as runtime:
        principal = Principal("coder", grants=[tool.spec.name for tool in tools])
        surface = Surface(runtime, principal)
        clients = Clients(surface)
        opening = Opening(Pipes(into, out))

        async def load() -> Any:
            gateways.append(Gateway(surface, Refusals(lambda line: None, ()), clients))
            return gateways[0].server

        server = await opening.loaded(Early(clients), load) if early else await load()
        answered = sum(one.answer is not None for one in opening.heard)
        if not ends:
            os.close(sent)
        if server is not None:
            await serve_pipes(server, opening, Pipes(into, out), asyncio.Event())
        sessions = len(list(clients.all()))
        for gateway in gateways:
            await gateway.close()
        clients.close()
    for fd in (into, out):
        os.close(fd)
    return Heard(texts(got), ledger.kinds, sessions, answered, bool(gateways))


def texts(fd: int) -> Counter[str]:
    with os.fdopen(fd, "rb") as answers:
        return Counter(json.dumps(json.loads(line), sort_keys=True) for line in answers)


async def both(*messages: Any) -> int:
    """How many lines were answered early, once both ways gave the same."""
    early, late = await heard(*messages, early=True), await heard(*messages, early=False)
    assert early.answers == late.answers
    assert (early.kinds, early.sessions) == (late.kinds, late.sessions)
    assert early.loaded
    return early.early
