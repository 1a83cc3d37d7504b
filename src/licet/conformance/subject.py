"""What is examined: a tool runtime behind four methods, made anew for every vector."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, NamedTuple, Protocol, TypedDict

Execute = Callable[[dict[str, Any]], Awaitable[Any]]
Ask = Callable[[dict[str, Any]], Awaitable[bool]]


class UnsupportedError(Exception):
    """Raised by a subject for what it does not have; the text says why. The vector is then not applicable."""


class Tool(NamedTuple):
    """What the subject registers in its runtime, under this name, description and schema, and with these flags.

    ``execute`` is the tool's code, and the suite's: it counts, and it answers or raises as the vector says. It takes
    the arguments as one dictionary, in the loop that called ``setup``.
    """

    name: str
    description: str
    input_schema: dict[str, Any]
    execute: Execute
    read_only: bool = True
    idempotent: bool = True
    granted: bool = True
    """False: it is registered, and this model may neither see nor call it. A runtime without such a thing raises
    ``UnsupportedError``."""
    ask: Ask | None = None
    """A person, who is asked about each call of it, with the arguments that would run; true: yes. None: nobody is
    asked. A runtime that asks nobody raises ``UnsupportedError``."""


class Options(NamedTuple):
    """What a vector asks of the runtime besides its tools."""

    profile: str | None = None
    """The profile of the tool contract that the model gets; None: nobody asked for one."""
    is_profiled: bool = False
    """Whether the tools are the decision engine's, of which the model gets a profile."""
    upstream: tuple[str, ...] = ()
    """A command that serves these tools over MCP's stdio, for a subject that is a gateway. Its calls count as well."""
    upstream_url: str = ""
    """The same over streamable HTTP."""
    needs: tuple[str, ...] = ()
    """What the vector cannot do without: ``call id``, ``text`` (arguments as a model wrote them), ``exception``,
    ``approval``."""
    source_is_dead: bool = False
    """Whether the tools' source cannot be reached, from the beginning. A runtime without sources raises
    ``UnsupportedError``."""


class Shown(TypedDict):
    """One tool as a model is shown it."""

    name: str
    description: str
    input_schema: dict[str, Any]


class _Answer(TypedDict):
    ok: bool
    content: str


class Answer(_Answer, total=False):
    """What comes of a call: whether the runtime calls it a success, and in ``content`` the text that the model reads.

    ``code`` is the runtime's word for a failure, ``data`` the structured result; both may be left out.
    """

    code: str | None
    data: Any


class Subject(Protocol):
    """A tool runtime. The suite makes one for each vector, and closes it."""

    async def setup(self, tools: Sequence[Tool], options: Options, /) -> None:
        """Register the tools, exactly as they are.

        Called a second time only in vectors about changed definitions: the source of the same tools now says this of
        them, after it was agreed to what it said at first.

        Raises:
            UnsupportedError: the runtime has no such thing; the vector is not applicable.
        """

    async def list(self) -> Sequence[Shown]:
        """What a model would be shown. Raises anything: it cannot be known."""

    async def call(self, name: str, arguments: dict[str, Any] | str, call_id: str, /) -> Answer:
        """Carry out what a model asked for, under a name that ``list`` gave or that it invented.

        ``arguments`` are an object, or the text that the model wrote, which may be no JSON. May be called several
        times at once, and cancelled. Raises UnsupportedError: it cannot be asked here.
        """

    async def close(self) -> None:
        """Let go of everything. Called once, whatever happened."""
