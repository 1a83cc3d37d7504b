"""LangChain's own kind of tools, over the corridor: structured tools for ``create_agent(model, tools)``."""

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from ...model.names import LOCAL
from ...model.result import ToolResult
from ..extra import need
from ..handed import Handed, Shown
from ..holder import Who, held
from .person import approves

if TYPE_CHECKING:
    from langchain_core.tools import StructuredTool

    from ...runtime.runtime import Runtime

FRAMEWORK = "langchain"
_NOTHING: Mapping[str, str] = MappingProxyType({})


def tools(
    runtime: "Runtime",
    who: Who,
    *,
    profile: str | None = None,
    server: str = LOCAL,
    names: Mapping[str, str] = _NOTHING,
) -> "list[StructuredTool]":
    """The principal's tools as structured tools. Each call walks the corridor, in one run, which ``who`` may be itself.

    A failed call is a message with ``status="error"``, which the model reads, and the agent goes on. A call id runs
    once in a thread of a graph, also where the graph runs a node again. Where a tool asks, and the arguments fit, it
    interrupts the graph, as LangChain's own middleware for that does, and goes on with
    ``Command(resume={"decisions": [{"type": "approve"}]})``. Outside a graph nobody can be asked, and the call is
    refused. If the run has an approver of its own, that one is asked instead. The list is what may be seen now: make
    it anew after tools were registered.

    ``profile`` is a profile of the engine at ``server`` (``mcp/algenta``, or ``local``), for ``who`` by name alone;
    ``names`` are wire names of your own by canonical name.

    Raises:
        ConfigurationError: langchain-core is not installed, or a name or a profile is none.
    """
    need("langchain_core.tools", "langchain")
    handed = Handed(runtime, held(runtime, who, FRAMEWORK, profile=profile, server=server, names=names))
    make = _maker()
    return [make(handed, shown) for shown in handed.tools()]


@cache
def _maker() -> Any:
    """Makes a tool; made itself when LangChain is first needed."""
    from langchain_core.runnables import RunnableConfig
    from langchain_core.tools import StructuredTool, ToolException

    class LicetTool(StructuredTool):
        """One tool over the corridor, which gets the arguments as they came, and the id of the call."""

        def _to_args_and_kwargs(
            self, tool_input: str | dict[str, Any], tool_call_id: str | None
        ) -> tuple[tuple[Any, ...], dict[str, Any]]:
            return (tool_input, tool_call_id), {}

    def make(handed: Handed, shown: Shown) -> StructuredTool:
        def call(arguments: Any, said: str | None, config: RunnableConfig) -> str:
            scope = _thread(config)
            approved = not shown.is_plain and _approved(handed, shown, arguments, said, scope)
            return told(handed.call_blocking(shown, arguments, said, scope, approved))

        async def acall(arguments: Any, said: str | None, config: RunnableConfig) -> str:
            scope = _thread(config)
            approved = not shown.is_plain and _approved(handed, shown, arguments, said, scope)
            return told(await handed.call(shown, arguments, said, scope, approved))

        def told(result: ToolResult) -> str:
            if not result.success:
                raise ToolException(result.content)
            return result.content

        return LicetTool(
            name=shown.wire,
            description=shown.spec.description,
            args_schema=shown.schema.copy(),
            func=call,
            coroutine=acall,
            handle_tool_error=True,
            metadata={"licet": shown.name},
        )

    return make


def _approved(handed: Handed, shown: Shown, arguments: Any, said: str | None, scope: str) -> bool:
    """Whether a person says yes, where one is asked: not about a call that could not run anyway."""
    judged = handed.judged(shown, arguments)
    if judged.is_refused or not judged.reasons or said is None:
        return False
    handed.ask(arguments, said, scope)
    return approves(shown.wire, arguments, "; ".join(judged.reasons))


def _thread(config: Mapping[str, Any]) -> str:
    """The conversation, as LangGraph calls it; empty outside one."""
    return str((config.get("configurable") or {}).get("thread_id") or "")


__all__ = ["FRAMEWORK", "tools"]
