"""One MCP server, for whoever waits: its tools listed and called from any thread, also one whose loop is running."""

import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from ...errors import ConfigurationError, UnknownToolError, error_for
from ...model.principal import Principal
from ...model.server import ServerSpec
from ...model.tool import ToolSpec
from ...ports import Approver, Listing, RemoteSource, Sourced
from ...runtime.runtime import Runtime
from ..blocking import Blocking
from ..registry import as_object
from .command_line import server_of

if TYPE_CHECKING:
    from ...policy.operator import Word
    from ...ports import Line

Note = Callable[[str, dict[str, Any]], None]

PRINCIPAL = "mcp-client"
DEFAULT_ID = "server1"


class _Listed(NamedTuple):
    """A source that was asked already."""

    name: str
    listing: Listing

    async def list(self) -> Listing:
        return self.listing

    async def close(self) -> None:
        return


class MCPToolClient:
    """Tools of a server by its own names for them. Nothing is started or connected before something is asked of it.

    The client holds a corridor of its own: arguments are checked, definitions are pinned for as long as it lives, and
    a tool that claims to destroy is refused unless the ``approver`` says yes. What nobody checks here is a grant: put
    the client behind an ``MCPResolver`` for that. ``word`` is what the operator says of the server's tools.
    """

    def __init__(
        self,
        server: str | ServerSpec | RemoteSource,
        *,
        id: str = DEFAULT_ID,
        word: "Word | None" = None,
        approver: Approver | None = None,
    ) -> None:
        """``server`` is a command line or a URL; or a source that you made, with its own pins and words.

        Raises:
            ConfigurationError: the text is neither command line nor URL.
        """
        made = server_of(server, id) if isinstance(server, str) else server
        self.name = made.name
        """``plugin/server``."""
        self._runtime = Runtime(approver=approver)
        self._note: Note = self._runtime.note
        self._connecting = threading.Lock()
        self._source = self._source_of(made, word) if isinstance(made, ServerSpec) else made
        self._listing: Listing | None = None
        self._offered: Mapping[str, Sourced] = {}
        self._asked = self._closed = False

    def note_to(self, note: Note) -> None:
        """What was pinned of the server, and what changed, stands on another ledger than the client's own from now."""
        self._note = note

    def list_tools(self) -> list[ToolSpec]:
        """What the server offers, under canonical names. Raises ServerUnavailableError."""
        return [tool.spec for tool in self.listing().tools]

    def report(self) -> "tuple[Line, ...]":
        """A line for the server, and one for each tool that it lists and that is not offered, with its reason.

        Raises:
            ServerUnavailableError: it could not be asked.
        """
        return self.listing().report

    def has(self, tool: str, /) -> bool:
        """Whether the server offers the tool. Raises what ``find`` raises."""
        return self.find(tool) is not None

    def describe(self, tool: str, /) -> str:
        """The pinned description. Raises UnknownToolError, or what ``find`` raises."""
        return self._found(tool).spec.description

    def call(self, tool: str, params: Mapping[str, Any] | None = None, /) -> dict[str, Any]:
        """The tool's structured content if that is an object, ``{"result": value}`` or ``{"text": text}``.

        Raises:
            UnknownToolError: the server offers no such tool; a KeyError.
            ServerUnavailableError: it could not be asked.
            InvalidArgumentsError: the params do not fit the pinned schema; nothing was sent.
            ToolSchemaChangedError: the tool is not the one that was listed first; nothing was sent.
            ToolFailedError: the server said that the tool failed.
            ToolError: any other refusal or failure, by its own class.
        """
        name = self._found(tool).spec.name
        with Blocking(self._runtime, Principal(PRINCIPAL, grants=[name], mode="workspace_write")) as door:
            return as_object(door.call(name, params))

    def find(self, tool: str, /) -> Sourced | None:
        """The tool with the way to it, the same object each time; None: the server lists no such tool.

        Raises:
            ServerUnavailableError: it could not be asked.
            RefusedError: it lists the tool, and what it lists cannot be used.
        """
        listing = self.listing()
        name = f"{self.name}.{tool}"
        deny = listing.withheld.get(name)
        if deny is not None:
            raise error_for(deny.code, deny.message, tool_name=name, reason=deny.reason)
        return self._offered.get(name)

    def listing(self) -> Listing:
        """All that the server offers: asked for once, and again only where it could not be asked.

        Raises:
            ServerUnavailableError: the command does not start, nobody answers, or the answer is none; also without the
                extra ``licet[mcp]``.
            ConfigurationError: the client is closed.
        """
        with self._connecting:
            if self._closed:
                raise ConfigurationError(f"the client of {self.name} is closed; make another one")
            if self._listing is None:
                self._asked = True
                portal = self._runtime.portal()  # its thread serves the connection from now on
                listing = portal.run(self._source.list)
                portal.run(lambda: self._runtime.connect(_Listed(self.name, listing)))
                self._offered = {tool.spec.name: tool for tool in listing.tools}
                self._listing = listing
            return self._listing

    def close(self) -> None:
        """Let go of the process or the connection. Safe to call twice, and while somebody waits for an answer."""
        was_closed, self._closed = self._closed, True
        if not was_closed:
            if self._asked:
                self._runtime.portal().run(self._source.close)
            self._runtime.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def _found(self, tool: str) -> Sourced:
        found = self.find(tool)
        if found is None:
            problem = f"{self.name} offers no tool {tool[:80]!r}"
            raise UnknownToolError(problem, tool_name=f"{self.name}.{tool[:80]}")
        return found

    def _source_of(self, server: ServerSpec, word: "Word | None") -> RemoteSource:
        from ...sources.mcp.server import McpServer  # here: most programs that import a door have no server

        return McpServer(server, word=lambda name: word, note=lambda kind, body: self._note(kind, body))
