"""The tools of one run as a framework is handed them: wire names, the framework's call ids, the framework's yes."""

from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, NamedTuple

from ..dialects.names import WireNames
from ..errors import ConfigurationError
from ..model.json_object import JsonObject
from ..model.names import canonical
from ..model.result import ToolResult
from ..model.tool import ToolSpec
from ..model.verdict import Ask, Deny
from ..profiles.guard import engine_tool, own_name
from ..schema.validate import compile
from .call_id import Ids
from .holder import Held
from .word import Arguments, Word

if TYPE_CHECKING:
    from ..runtime.run import Run
    from ..runtime.runtime import Runtime


class Shown:
    """One tool: under ``wire`` a model sees it, ``name`` is its own. Slots, because every call reads some of them."""

    __slots__ = ("fits", "is_plain", "name", "never_waits", "schema", "spec", "wire")

    def __init__(self, spec: ToolSpec, wire: str, is_plain: bool) -> None:
        self.spec = spec
        self.name = spec.name
        self.wire = wire
        self.schema = JsonObject.of(spec.input_schema)
        self.fits: Callable[[Any], bool] = compile(self.schema, where=f"{spec.name} input_schema").is_valid
        engine = engine_tool(own_name(spec.name))
        self.never_waits = engine is not None and engine.safety_critical
        """Whether it answers at once, whatever would ask: the decision engine holds the gates of its executing tool."""
        self.is_plain = is_plain
        """Whether the schema alone decides if a call of it is refused before it runs, and nobody is ever asked."""

    def takes(self, arguments: Any) -> bool:
        """Whether that is so, and these arguments fit. False says nothing: the corridor has to be asked."""
        try:
            return self.is_plain and self.fits(arguments)
        except (TypeError, ValueError):
            return False  # they hold what is no JSON


class Judged(NamedTuple):
    """What the corridor would say of a call now. ``reasons`` are why a person would be asked; empty: nobody is."""

    is_refused: bool
    reasons: tuple[str, ...] = ()


FITS = Judged(False)


class Handed:
    """Lists, judges and calls. It holds no code of a tool."""

    def __init__(self, runtime: "Runtime", held: Held) -> None:
        self.runtime = runtime
        self.run: Run = held.run
        self._word: Word | None = held.word
        self.ids = Ids(held.run.id)
        self._names = WireNames(sorted(self.run.principal.grants), held.names)
        self._made: dict[str, Shown] = {}

    def tools(self) -> list[Shown]:
        """What the model may see now, in order of registration. One stays the same as long as its contract does."""
        who, runtime = self.run.principal, self.runtime
        listed = {spec.name for spec in runtime.tools_for(who)}
        return [
            self._shown(spec)
            for spec in runtime.specs()
            if spec.name in who.grants
            and spec.name not in self._names.refused
            and (spec.name in listed or self._waits_only_for_a_yes(spec))
        ]

    def judged(self, tool: Shown, arguments: Arguments) -> Judged:
        """What the corridor would say, without recording anything. Arguments may be the text that a model wrote."""
        if type(arguments) is dict and tool.takes(arguments):
            return FITS
        found = self.runtime.why(self.run.principal, tool.name, arguments).findings
        for one in found:
            if isinstance(one.verdict, Deny) and one.verdict.reason != "no_approver":
                return Judged(True)
        if self._word is None or tool.never_waits:
            return FITS
        return Judged(False, tuple(one.verdict.reason for one in found if isinstance(one.verdict, Ask)))

    def call(
        self, tool: Shown, arguments: Arguments, said: str | None, scope: str = "", approved: bool = False
    ) -> Coroutine[Any, Any, ToolResult]:
        """One call through the corridor, under the framework's id in its conversation; await its ToolResult.

        ``approved`` says that the framework has a person's yes to exactly this call.
        """
        call_id = None if said is None else self.ids.own(said, scope)
        if approved and self._word is not None and call_id is not None:
            return self._approved(self._word, tool, arguments, call_id)
        return self.run.call(tool.name, arguments, call_id=call_id)

    def call_blocking(
        self, tool: Shown, arguments: Arguments, said: str | None, scope: str = "", approved: bool = False
    ) -> ToolResult:
        """The same for a thread that waits."""
        call_id = None if said is None else self.ids.own(said, scope)
        if approved and self._word is not None and call_id is not None:
            with self._word.given(call_id, arguments):
                return self.runtime.call_blocking(self.run, tool.name, arguments, call_id=call_id)
        return self.runtime.call_blocking(self.run, tool.name, arguments, call_id=call_id)

    def unknown(self, wire: str, arguments: Arguments, said: str | None) -> Coroutine[Any, Any, ToolResult]:
        """Let the corridor refuse a name that the model was not shown, so that the ledger has what was asked for.

        It means no granted tool, whatever it spells.
        """
        call_id = None if said is None else self.ids.own(said)
        return self.run.call(self._not_granted(wire), arguments, call_id=call_id)

    def unknown_blocking(self, wire: str, arguments: Arguments, said: str | None) -> ToolResult:
        """The same for a thread that waits."""
        call_id = None if said is None else self.ids.own(said)
        return self.runtime.call_blocking(self.run, self._not_granted(wire), arguments, call_id=call_id)

    def ask(self, arguments: Arguments, said: str | None, scope: str = "") -> None:
        """The framework is about to ask a person about this call: another one is not covered by the answer."""
        if self._word is not None and said is not None:
            self._word.ask(self.ids.own(said, scope), arguments)

    async def _approved(self, word: Word, tool: Shown, arguments: Arguments, call_id: str) -> ToolResult:
        with word.given(call_id, arguments):
            return await self.run.call(tool.name, arguments, call_id=call_id)

    def _shown(self, spec: ToolSpec) -> Shown:
        kept = self._made.get(spec.name)
        if kept is None or kept.spec is not spec:
            kept = Shown(spec, self._names.encode(spec.name), self._is_plain(spec))
            self._made[spec.name] = kept
        return kept

    def _is_plain(self, spec: ToolSpec) -> bool:
        more = spec.capabilities.asks or spec.path_arguments or spec.never_model_facing
        return not more and spec.path_access == "none" and not self.runtime.checks

    def _not_granted(self, name: str) -> str:
        try:
            return f"?{name}" if canonical(name) in self.run.principal.grants else name
        except ConfigurationError:
            return name  # it is no name at all

    def _waits_only_for_a_yes(self, spec: ToolSpec) -> bool:
        """Whether it is listed for whoever has somebody to ask; the run has, and its runtime may not."""
        denial = self.runtime.why(self.run.principal, spec.name).denial
        return denial is not None and denial.reason == "no_approver"


__all__ = ["FITS", "Handed", "Judged", "Shown"]
