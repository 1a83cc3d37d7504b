"""What an agent of LangChain is told, so that a name which nobody showed the model stands on the ledger too."""

from collections.abc import Awaitable
from functools import cache
from typing import TYPE_CHECKING, Any

from ...model.names import LOCAL
from ...model.result import ToolResult
from ..extra import need
from ..handed import Handed
from ..holder import Who, held
from .tools import FRAMEWORK

if TYPE_CHECKING:
    from langchain.agents.middleware import AgentMiddleware

    from ...runtime.runtime import Runtime


def middleware(runtime: "Runtime", who: Who) -> "AgentMiddleware[Any, Any]":
    """For ``create_agent(model, tools, middleware=[...])``: the corridor refuses a call of a tool that was not shown.

    Without it LangChain answers such a call itself, with a list of the tools that there are.

    Raises:
        ConfigurationError: langchain is not installed.
    """
    need("langchain.agents", "langchain")
    handed = Handed(runtime, held(runtime, who, FRAMEWORK, profile=None, server=LOCAL, names={}))
    made: AgentMiddleware[Any, Any] = _kind()(handed)
    return made


@cache
def _kind() -> Any:
    """The class, made when LangChain is first needed."""
    from langchain.agents.middleware import AgentMiddleware, TracePolicy
    from langchain_core.messages import ToolMessage

    class UnknownTools(AgentMiddleware[Any, Any]):
        """Answers calls of tools that the agent does not have."""

        trace_policy = TracePolicy(process_inputs=_untold, process_outputs=_untold)
        """Its own span says nothing: the span of the tool does, and what is given back here is not awaited yet."""

        def __init__(self, handed: Handed) -> None:
            super().__init__()
            self._handed = handed

        def wrap_tool_call(self, request: Any, handler: Any) -> Any:
            if request.tool is not None:
                return handler(request)
            call = request.tool_call
            return message(call, self._handed.unknown_blocking(call["name"], call["args"], call["id"]))

        def awrap_tool_call(self, request: Any, handler: Any) -> Awaitable[Any]:  # type: ignore[override]
            """No coroutine function, and awaited all the same: around one, LangChain's tracing goes to a thread and
            back twice for each call of any tool, traced or not, which costs a tenth of an agent's run.
            """
            awaited: Awaitable[Any] = self._answered(request) if request.tool is None else handler(request)
            return awaited

        async def _answered(self, request: Any) -> ToolMessage:
            call = request.tool_call
            return message(call, await self._handed.unknown(call["name"], call["args"], call["id"]))

    def message(call: Any, result: ToolResult) -> ToolMessage:
        return ToolMessage(result.content, name=call["name"], tool_call_id=call["id"], status="error")

    return UnknownTools


def _untold(_: Any) -> dict[str, Any]:
    return {}


__all__ = ["middleware"]
