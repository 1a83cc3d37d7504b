"""The Runtime's one flat map: canonical name -> tool. Locked, copy-on-write, and it hands out no code."""

import json
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from .errors import ConfigurationError, RegistrationError
from .model.json_object import JsonObject
from .model.names import LOCAL, canonical, server_of, skeletons
from .model.tool import ToolSpec
from .model.verdict import Deny
from .policy.judge import BuiltIn, relevant
from .ports import Blocking, Checkpointing, Fresh, Transport
from .profiles.guard import answers_at_once, fields_of, guarded
from .schema.closed import names_are_plain
from .schema.validate import Validator, compile

if TYPE_CHECKING:
    from .schema.pin import Pin


@dataclass(frozen=True, slots=True)
class Tool:
    """A declaration and the way to it: what you hand in."""

    spec: ToolSpec
    transport: Transport | None = None


class Bound:
    """A registered tool: its contract without code, its compiled schemas, the way to it.

    Slots, and no cached properties, because every call reads a dozen of these: a slot is read five times as fast as an
    attribute of an object whose dictionary was ever asked for.
    """

    __slots__ = (
        "_pin",
        "abortable",
        "at_once",
        "blocking",
        "body_end",
        "checkpointable",
        "checks",
        "fit",
        "fresh",
        "guard",
        "idempotent",
        "inline",
        "known_as",
        "names_are_plain",
        "output_fit",
        "reads",
        "spec",
        "timeout_ns",
        "trace_end",
        "transport",
        "wants_context",
    )

    def __init__(self, tool: Tool, where: str = "", *, granted: str = "") -> None:
        """``granted`` is the name under which it is called, if it is not its own.

        Raises:
            RegistrationError: the declaration contradicts itself or its schema does not compile.
        """
        self.guard = fields_of(tool.spec)
        """What no model may set among its arguments; None: nothing. Its contract names none of it."""
        self.spec = guarded(tool.spec.without_code(), self.guard)
        self.at_once = self.guard is not None and answers_at_once(self.spec)
        """Whether no call of it may ever wait for a person."""
        self.transport = tool.transport
        self.fit: Validator = self._compiled(self.spec.input_schema, where or f"{self.spec.name} input_schema", True)
        output = self.spec.output_schema
        self.output_fit = None if output is None else self._compiled(output, f"{self.spec.name} output_schema", False)
        _coherent(self)
        execution = self.spec.execution
        self.checks: tuple[BuiltIn, ...] = relevant(self.spec)
        self.inline = execution.inline
        self.abortable = execution.abortable
        self.timeout_ns = int(execution.timeout_s * 1e9)
        self.blocking = _is(tool.transport, Blocking) and not getattr(tool.transport, "asynchronous", False)
        self.fresh = _is(tool.transport, Fresh)
        self.wants_context = self.fresh or getattr(tool.transport, "wants_context", True)
        via = str(getattr(tool.transport, "kind", "transport"))
        name = self.spec.name
        self.known_as = (self.spec,) if granted in ("", name) else (self.spec, replace(self.spec, name=granted))
        """Its contract under each of its names: a check of yours that knows only one of them still finds it."""
        self.body_end = f'","tool":"{granted or name}"}}'.encode()
        self.trace_end = f',"tool":"{name}","via":{json.dumps(via)}}}'.encode()
        """How its entries end: the body names the tool as it was granted, the trace says where the call went."""
        self.idempotent = self.spec.capabilities.idempotent
        self.checkpointable = self.spec.capabilities.checkpointable
        self.reads = self.spec.capabilities.read_only
        """Whether its in-process author or the operator said that it only reads: its entries need not be waited for."""

        self.names_are_plain: bool | None = None
        """Whether its arguments need no look for secrets before they go on the ledger; None: ``look_at_names``."""
        self._pin: Pin | None = None

    def look_at_names(self) -> bool:
        """Done at the first call: ten thousand tools are registered faster without."""
        self.names_are_plain = names_are_plain(JsonObject.of(self.spec.input_schema))
        return self.names_are_plain

    def _compiled(self, schema: Mapping[str, Any], where: str, tool_input: bool) -> Validator:
        try:
            return compile(JsonObject.of(schema), where=where, tool_input=tool_input)
        except RegistrationError as exc:
            exc.tool_name = self.spec.name  # schemas know of no tools
            raise

    @property
    def pin(self) -> "Pin":
        """The digests of the whole definition, computed when first asked for."""
        if self._pin is None:
            from .schema.pin import pin_of

            self._pin = pin_of(self.spec)
        return self._pin


def _is(transport: Transport | None, port: type) -> bool:
    """``isinstance``, answered from the class where it can be: that is remembered, a protocol's own answer is not."""
    return issubclass(type(transport), port) or isinstance(transport, port)


def _coherent(bound: Bound) -> None:
    spec, transport = bound.spec, bound.transport

    def wrong(problem: str) -> RegistrationError:
        return RegistrationError(f"{spec.name}: {problem}", tool_name=spec.name)

    if spec.source == "hosted" and transport is not None:
        raise wrong("a hosted tool is run by the model's provider; register it without a handler")
    if spec.source != "hosted" and transport is None:
        raise wrong("no handler; give ToolSpec(handler=...) or a Tool with its transport")
    if spec.source == "mcp" and spec.name.startswith(f"{LOCAL}/"):
        raise wrong(f"the namespace {LOCAL!r} is reserved for tools of this process")
    if spec.tool_type == "intrinsic" and spec.source != "builtin":
        raise wrong("an intrinsic comes with licet (source 'builtin'): no run mode hides it, so nobody else makes one")
    if bound.at_once and spec.capabilities.asks:
        raise wrong("it answers at once, with a receipt or a named gate, and asks nobody; drop the flag that asks")
    if spec.execution.inline and spec.capabilities.checkpointable:
        raise wrong("nothing takes a checkpoint of an inline call; drop inline=True, or checkpointable")
    if spec.execution.inline and not _is(transport, Blocking):
        raise wrong("only a synchronous in-process function can be inline; drop inline=True")
    if spec.capabilities.checkpointable and not _is(transport, Checkpointing):
        raise wrong("a checkpointable tool brings checkpoint(arguments, context) and restore(token, context)")
    for pointer in spec.path_arguments:
        if not _declares(spec.input_schema, pointer.split("/")[1:]):
            raise wrong(f"path_arguments names {pointer!r}, which its input schema does not declare")


def _declares(schema: Mapping[str, object], tokens: list[str]) -> bool:
    """Whether each step of a pointer is declared (``*`` over an array): a misspelt one would leave a path unguarded."""
    node: object = schema
    for token in tokens:
        if not isinstance(node, Mapping):
            return False
        below = node.get("items") if token == "*" else node.get("properties")
        node = (
            below
            if token == "*"
            else below.get(token.replace("~1", "/").replace("~0", "~"))
            if isinstance(below, Mapping)
            else None
        )
    return isinstance(node, Mapping) or node is True


class Catalog:
    """All operations are safe under concurrent threads; a reader never waits."""

    def __init__(self, asks_before: frozenset[str] = frozenset()) -> None:
        """``asks_before`` are the tools that a rule asks about before each call."""
        self._asks_before = asks_before
        self._lock = threading.RLock()
        self.tools: Mapping[str, Bound] = {}
        """All tools at this moment, in order of registration. A change puts a new mapping here."""
        self.withheld: Mapping[str, Deny] = {}
        """Names of tools, and of whole servers (``mcp/git``), that are known and not registered, and why."""
        self._taken: dict[str, str] = {}
        """The forms under which a name may be mistaken for another, and whose they are. Read under the lock only."""

    def add(self, tools: Iterable[Tool], *, replace: bool = False) -> list[ToolSpec]:
        """Register all or none, and give the specs as registered.

        Raises:
            RegistrationError: a name is taken, may be mistaken for another, or a declaration does not hold.
        """
        bound = [Bound(tool) for tool in tools]
        with self._lock:
            fresh = dict(self.tools)
            forms: dict[str, str] = {}
            for tool in bound:
                self._place(tool, fresh, forms, replace)
            self.tools = fresh
            self._taken.update(forms)
        return [tool.spec for tool in bound]

    def remove(self, name: str) -> bool:
        """Whether there was such a tool."""
        try:
            wanted = canonical(name)
        except ConfigurationError:
            return False
        with self._lock:
            if wanted not in self.tools:
                return False
            self.tools = {k: v for k, v in self.tools.items() if k != wanted}
            self._taken = {k: v for k, v in self._taken.items() if v != wanted}
        return True

    def withhold(self, refusals: Mapping[str, Deny], *, under: str = "") -> None:
        """Say why names are not registered. With ``under``, in place of all that was said of that server."""
        with self._lock:
            kept = {name: deny for name, deny in self.withheld.items() if not (under and server_of(name) == under)}
            self.withheld = {**kept, **refusals}

    def why_absent(self, name: str) -> Deny | None:
        """What was said of a name that is not registered, or of its server."""
        withheld = self.withheld
        return (withheld.get(name) or withheld.get(server_of(name))) if withheld else None

    def _place(self, tool: Bound, fresh: dict[str, Bound], forms: dict[str, str], replace: bool) -> None:
        name = tool.spec.name
        if tool.at_once and name in self._asks_before:
            raise RegistrationError(
                f"{name!r} answers at once and asks nobody, and a rule asks before it; drop the rule", tool_name=name
            )
        if name in fresh and not replace:
            raise RegistrationError(
                f"{name!r} is already registered; remove it first or pass replace=True", tool_name=name
            )
        for form in _forms(name):
            other = self._taken.get(form) or forms.get(form)
            if other is not None and other != name:
                raise RegistrationError(
                    f"{name!r} may be mistaken for {other!r}; choose a name that looks different", tool_name=name
                )
            forms[form] = name
        fresh[name] = tool


def _forms(name: str) -> list[str]:
    """How a name may look, within its namespace; the name itself where it looks like that, which costs no memory."""
    plugin, _, rest = name.partition("/")
    return [name if form == rest else f"{plugin}/{form}" for form in skeletons(rest)]
