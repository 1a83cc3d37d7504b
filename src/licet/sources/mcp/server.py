"""One MCP server as a source of tools: what it lists, held against what was pinned."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias
from weakref import WeakKeyDictionary

from ...catalog import Tool
from ...dialects.mcp import Definition, Quarantined, read_listing, read_tool, spec_of
from ...errors import LedgerUnavailableError, QuarantinedError, ToolSchemaChangedError
from ...model.server import ServerSpec
from ...model.verdict import Deny
from ...policy.operator import Word, classified
from ...ports import Line, Listing
from ...schema.canonical import freeze
from ...schema.pin import Pin, launch_pin, pin_of
from .connection import Connection
from .limits import McpLimits
from .round import Round
from .tool import McpTool

Note = Callable[[str, dict[str, Any]], None]
"""Takes the kind and the body of an entry about a server: ``Runtime.note`` does."""

Listed: TypeAlias = tuple[list[Definition], list[Quarantined], dict[str, Any]]
"""What a server lists, what of it cannot be used, and what it says of itself."""


class Pinned(NamedTuple):
    """What a lock holds of one server: the digest of its launch, and its definitions by the server's own names."""

    launch: str
    tools: Mapping[str, Definition]


class McpServer:
    """Give it to ``Runtime.connect``. Nothing is started before it is asked for something; close it at the end.

    ``pinned`` is what a lock holds of the server: only that is offered, and the server is first reached by a call.
    Without it the first listing is what is pinned, for as long as this object lives. ``word`` is what the operator says
    of a tool, and ``note`` takes entries for the ledger.
    """

    def __init__(
        self,
        spec: ServerSpec,
        *,
        pinned: Pinned | None = None,
        word: Callable[[str], Word | None] = lambda name: None,
        note: Note = lambda kind, body: None,
        limits: McpLimits = McpLimits(),  # noqa: B008 - frozen
    ) -> None:
        self.spec = spec
        self._pinned = pinned
        self._word = word
        self._note = note
        self._changes = 0
        self._connection = Connection(spec, limits, on_changed=self._changed, note=self._noted)
        self._rounds: WeakKeyDictionary[Any, Round] = WeakKeyDictionary()
        self._pins: dict[str, tuple[bytes, Pin | Quarantined]] = {}
        self._told: set[tuple[str, str]] = set()
        self.on_changed: Callable[[], None] = lambda: None
        """Called when the server says that its tools changed, on whatever thread heard of it."""

    @property
    def name(self) -> str:
        return self.spec.name

    async def list(self) -> Listing:
        """What is pinned, or what the server lists when it is asked for the first time.

        Raises:
            ServerUnavailableError: it cannot be reached, or is none.
        """
        if self._pinned is not None:
            return self._from_lock(self._pinned)
        definitions, quarantined, _ = await self.list_definitions()
        listing = self._offered(definitions, quarantined, "first_use")
        body = {"server": self.name, "launch": launch_pin(self.spec), "tools": {}}
        body["tools"] = {tool.spec.name: pin_of(tool.spec).whole for tool in listing.tools}
        self._note("pin.first_use", body)
        return listing

    async def list_definitions(self) -> Listed:
        """What the server lists now, what of it cannot be used, and what it says of itself; nothing is pinned.

        Raises:
            ServerUnavailableError: it cannot be reached, or is none.
        """
        raw = await self._connection.list_tools()
        # On a thread, because each schema is compiled: of ten thousand tools that takes seconds.
        definitions, quarantined = await asyncio.to_thread(read_listing, raw, self.spec)
        about = {**self._connection.info, "protocol": self._connection.protocol_version}
        return definitions, quarantined, about

    async def close(self) -> None:
        """End the server's process and all that it started, or leave its session."""
        await self._connection.close()

    # --- for its tools ---

    async def check_fresh(self, tool: McpTool, turn: object) -> Round:
        """The listing of this turn, in which the tool is what was registered.

        Raises:
            ToolSchemaChangedError: it is not, or is not listed any more.
            QuarantinedError: its definition cannot be used any more.
            ServerUnavailableError: the server cannot be reached.
        """
        found = await self._round(turn)
        if tool.own_name in found.checked:
            return found
        listed = found.tools.get(tool.own_name)
        if listed is None:
            raise self._drifted(tool, "vanished", "its server lists it no more")
        now = self._pin_of(tool.own_name, listed)
        if isinstance(now, Quarantined):
            problem = f"{tool.name!r} changed, and its definition cannot be used: {now.told}"
            raise QuarantinedError(problem, tool_name=tool.name, reason=now.reason)
        if now.whole != tool.pin.whole:
            parts = [part for part in Pin._fields[:-1] if getattr(now, part) != getattr(tool.pin, part)]
            raise self._drifted(
                tool, parts[0] if len(parts) == 1 else "several_parts", f"its {', '.join(parts)} changed"
            )
        found.checked.add(tool.own_name)
        return found

    async def call(self, tool: McpTool, arguments: dict[str, Any], turn: object, progress: Any) -> dict[str, Any]:
        """The raw result, of a call to the very connection whose listing was checked."""
        found = await self.check_fresh(tool, turn)
        return await self._connection.call(tool.own_name, arguments, on_progress=progress, generation=found.generation)

    def marks(self, turn: object) -> tuple[tuple[str, Any], ...]:
        """What an answer has to say of its own definition: that it changed while the call was under way."""
        found = self._rounds.get(turn)
        return () if found is None or found.changes == self._changes else (("definition", "changed_since_listing"),)

    async def _round(self, turn: object) -> Round:
        """One listing for all calls of a turn, however many ask at once; another one if the server is another since."""
        loop = asyncio.get_running_loop()
        found = self._rounds.get(turn)
        if found is None or found.loop is not loop or found.is_over(self._connection.generation, self._changes):
            found = self._rounds[turn] = Round(loop, self._changes)
            found.begin(self._relist(found))
        await found.done()
        return found

    async def _relist(self, found: Round) -> None:
        found.generation, raw = await self._connection.listed()
        for tool in raw:
            own = tool.get("name") if isinstance(tool, dict) else None
            if isinstance(own, str):
                found.tools[own] = None if own in found.tools else tool  # listed twice is not listed

    def _pin_of(self, own_name: str, listed: Any) -> Pin | Quarantined:
        """The pin of a tool as it is listed now; the same bytes are not read twice."""
        try:
            data, _ = freeze(listed, limit_bytes=16 << 20)
        except ValueError as exc:
            return Quarantined(own_name, "not_json", str(exc))
        known = self._pins.get(own_name)
        if known is not None and known[0] == data:
            return known[1]
        read = read_tool(listed, self.spec)
        pin = read if isinstance(read, Quarantined) else pin_of(spec_of(read, self.spec))
        self._pins[own_name] = data, pin
        return pin

    def _drifted(self, tool: McpTool, reason: str, told: str) -> ToolSchemaChangedError:
        if (tool.name, reason) not in self._told:
            self._told.add((tool.name, reason))
            self._note("pin.changed", {"server": self.name, "tool": tool.name, "change": told})
        problem = f"{tool.name!r} is not what was pinned: {told}; licet lock --check shows it"
        return ToolSchemaChangedError(problem, tool_name=tool.name, reason=reason)

    # --- what is offered ---

    def _from_lock(self, pinned: Pinned) -> Listing:
        if pinned.tools and pinned.launch != launch_pin(self.spec):
            told = f"how {self.name} is started or reached is not what was pinned; licet lock --check shows it"
            deny = Deny("schema_changed", told, "launch", f"licet lock --accept {self.spec.id}")
            return Listing((), {self.name: deny}, (Line(self.name, "drifted", reason="launch", told=told),))
        listing = self._offered(tuple(pinned.tools.values()), (), "ready")
        told = f"no tool of this name is pinned; licet lock adds what {self.name} lists"
        rest = Deny("not_pinned", told, remedy="licet lock")
        lines = listing.report if pinned.tools else (Line(self.name, "not_pinned", told=told),)
        return Listing(listing.tools, {**listing.withheld, self.name: rest}, lines)

    def _offered(self, definitions: Sequence[Definition], quarantined: Sequence[Quarantined], state: str) -> Listing:
        tools = [self._tool(definition) for definition in definitions]
        withheld: dict[str, Deny] = {}
        for one in quarantined:
            withheld[f"{self.name}.{one.name}"] = Deny("quarantined", one.told, one.reason)
        lines = [Line(self.name, "quarantined", one.name, one.reason, one.told) for one in quarantined]
        told = f"{len(tools)} tools" if len(tools) != 1 else "1 tool"
        return Listing(tuple(tools), withheld, (Line(self.name, state, told=told), *lines))

    def _tool(self, definition: Definition) -> Tool:
        bare = spec_of(definition, self.spec)
        spec = classified(bare, self._word(bare.name))
        return Tool(spec, McpTool(self, definition.name, spec.name, pin_of(spec)))

    def _changed(self) -> None:
        self._changes += 1
        self.on_changed()

    def _noted(self, kind: str, body: dict[str, Any]) -> None:
        """An entry about the connection. A ledger that is full refuses calls; it does not end a connection."""
        try:
            self._note(kind, {"server": self.name, **body})
        except LedgerUnavailableError:
            return
