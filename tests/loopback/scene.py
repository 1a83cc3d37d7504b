"""A run whose model is on the other side of a provider's wire, beside a tool that is not granted."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from doubles import READS, holder
from licet import Runtime
from licet.agents.loop import Outcome, Record, loop
from licet.agents.spoken import retold
from licet.ports import Message
from licet.runtime.run import Run
from licet.testing import FakeTransport, RecordingLedger, fake_tool

from .models import KEY, Provider
from .reply import Reply
from .server import Loopback

WHO = holder("read", name="worker")
PATH = {
    "type": "object",
    "properties": {"path": {"type": "string"}},
    "required": ["path"],
    "additionalProperties": False,
}


class Heard:
    def piece(self, text: str, /) -> None: ...

    def void(self) -> None: ...


class Scene:
    """A runtime with a tool that is granted and one that is not, and a model on the other side of a wire."""

    def __init__(self, provider: Provider, server: Loopback, model: Any, runtime: Runtime, run: Run) -> None:
        self.provider, self.server, self.model = provider, server, model
        self.runtime, self.run = runtime, run
        self.kept: list[Message] = []

    async def go(self, **given: Any) -> Outcome:
        tools = [spec.model_tool for spec in self.runtime.tools_for(WHO)]
        record = Record(self.runtime.ledger, self.run)
        return await loop(self.model, self.run, tools, "Look.", keep=self.kept, record=record, **given)

    def accepted(self) -> Sequence[dict[str, Any]]:
        """The bodies of all requests, each of which the provider takes."""
        bodies = [asked.body for asked in self.server.asked]
        for body in bodies:
            self.provider.accepts(body)
        return bodies


@asynccontextmanager
async def scene(
    provider: Provider, ledger: RecordingLedger, read: Any, *replies: Reply, streamed: bool = False
) -> AsyncIterator[tuple[Scene, FakeTransport]]:
    wipe, wiped = fake_tool("wipe", input_schema=PATH)
    given = {"listener": Heard()} if streamed else {}
    with Loopback(provider.wire, *replies) as server:
        model = provider.model(server.url, **given)
        async with Runtime([read, wipe], ledger=ledger) as runtime, runtime.run(WHO) as run:
            try:
                yield Scene(provider, server, model, runtime, run), wiped
            finally:
                await model.close()
    assert wiped.calls == [], "what was not granted never ran"
    assert KEY not in str([entry.body + entry.trace for entry in ledger.entries()])
    told = retold(ledger.entries())
    assert told is not None, "and what was said can be told again"


def reading() -> tuple[Any, FakeTransport]:
    return fake_tool("read", lambda arguments: {"text": arguments["path"]}, capabilities=READS, input_schema=PATH)


__all__ = ["PATH", "WHO", "Heard", "Scene", "reading", "scene"]
