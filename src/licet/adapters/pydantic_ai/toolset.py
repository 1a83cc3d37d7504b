"""pydantic_ai's own kind of tools, over the corridor: a toolset for ``Agent(toolsets=[...])``."""

from collections.abc import Awaitable, Callable, Mapping
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from ...model.names import LOCAL
from ..extra import need
from ..handed import Handed, Shown
from ..holder import Who, held
from .reading import READING, UNREAD, asked_for

if TYPE_CHECKING:
    from pydantic_ai import RunContext
    from pydantic_ai.toolsets import AbstractToolset, ToolsetTool

    from ...runtime.runtime import Runtime

FRAMEWORK = "pydantic-ai"
_NOTHING: Mapping[str, str] = MappingProxyType({})


def toolset(
    runtime: "Runtime",
    who: Who,
    *,
    profile: str | None = None,
    server: str = LOCAL,
    names: Mapping[str, str] = _NOTHING,
    id: str | None = "licet",
) -> "AbstractToolset[Any]":
    """The principal's tools as a toolset. Each call walks the corridor, in one run, which ``who`` may be itself.

    A call is refused, or found to fit, before anybody is asked about it. Whatever it ends with, the model reads it as
    the call's result, and the agent goes on. A call id runs once in a conversation. Where a tool asks, the agent's run
    ends with ``DeferredToolRequests``, and goes on with the ``DeferredToolResults`` that answer them; arguments other
    than those that were asked about are refused. If the run has an approver of its own, that one is asked instead.

    ``profile`` is a profile of the engine at ``server`` (``mcp/algenta``, or ``local``), for ``who`` by name alone;
    ``names`` are wire names of your own by canonical name; ``id`` is the toolset's.

    Raises:
        ConfigurationError: pydantic_ai is not installed, or a name or a profile is none.
    """
    need("pydantic_ai", "pydantic-ai")
    of = held(runtime, who, FRAMEWORK, profile=profile, server=server, names=names)
    made: AbstractToolset[Any] = _kind()(Handed(runtime, of), id)
    return made


@cache
def _kind() -> Any:
    """The class, made when pydantic_ai is first needed."""
    from pydantic_ai.exceptions import ApprovalRequired, ToolFailed
    from pydantic_ai.tools import ToolDefinition
    from pydantic_ai.toolsets import AbstractToolset, ToolsetTool

    class LicetToolset(AbstractToolset[Any]):
        """The tools of one principal, over the corridor."""

        def __init__(self, handed: Handed, id: str | None) -> None:
            self._handed = handed
            self._id = id
            self._made: dict[str, tuple[Shown, ToolsetTool[Any]]] = {}

        @property
        def id(self) -> str | None:
            return self._id

        async def get_tools(self, ctx: "RunContext[Any]") -> "dict[str, ToolsetTool[Any]]":
            return {shown.wire: self._tool(shown) for shown in self._handed.tools()}

        def _tool(self, shown: Shown) -> "ToolsetTool[Any]":
            kept = self._made.get(shown.wire)
            if kept is None or kept[0] is not shown:
                definition = ToolDefinition(
                    name=shown.wire,
                    description=shown.spec.description,
                    parameters_json_schema=shown.schema.copy(),
                    strict=False,  # strict modes make a model invent values for what it would leave out
                    sequential=shown.spec.execution.mode == "sequential",
                    metadata={"licet": shown.name},
                )
                kept = (
                    shown,
                    ToolsetTool(
                        toolset=self,
                        tool_def=definition,
                        max_retries=1,
                        args_validator=READING,
                        args_validator_func=self._check(shown),
                    ),
                )
                self._made[shown.wire] = kept
            return kept[1]

        def _check(self, shown: Shown) -> "Callable[..., Awaitable[None]]":
            """What is asked before a call may wait for anybody. Its positional argument cannot meet a tool's.

            It is awaited also where it waits for nothing: pydantic_ai is quicker to find that a coroutine can be.
            """
            handed, is_plain, fits = self._handed, shown.is_plain, shown.fits

            async def check(ctx: "RunContext[Any]", /, **arguments: Any) -> None:
                try:
                    if is_plain and UNREAD not in arguments and fits(arguments):
                        return  # as most do
                except (TypeError, ValueError):
                    pass  # they hold what is no JSON
                asked = asked_for(arguments)
                if handed.judged(shown, asked).is_refused:
                    await self._refuse(shown, asked, ctx)

            return check

        async def _refuse(self, shown: Shown, arguments: Any, ctx: "RunContext[Any]") -> None:
            """Let the corridor refuse it, so that the ledger has it and the model reads why."""
            result = await self._handed.call(shown, arguments, ctx.tool_call_id, ctx.conversation_id or "")
            if not result.success:
                raise ToolFailed(result.content)

        async def call_tool(
            self, name: str, tool_args: dict[str, Any], ctx: "RunContext[Any]", tool: "ToolsetTool[Any]"
        ) -> Any:
            handed, shown = self._handed, self._made[name][0]
            arguments = asked_for(tool_args) if UNREAD in tool_args else tool_args
            said, scope = ctx.tool_call_id, ctx.conversation_id or ""
            approved = ctx.tool_call_approved
            if not approved and not shown.is_plain:
                judged = handed.judged(shown, arguments)
                if judged.reasons and not judged.is_refused:
                    handed.ask(arguments, said, scope)
                    raise ApprovalRequired({"tool": shown.name, "reasons": list(judged.reasons)})
            if approved or said is None:
                result = await handed.call(shown, arguments, said, scope, approved)
            else:  # the same in fewer steps
                result = await handed.run.call(shown.name, arguments, call_id=handed.ids.own(said, scope))
            if not result.success:
                raise ToolFailed(result.content)
            return result.content

    return LicetToolset


__all__ = ["FRAMEWORK", "toolset"]
