"""The OpenAI Agents SDK's own kind of tools, over the corridor: function tools for ``Agent(tools=[...])``."""

from collections.abc import Awaitable, Callable, Mapping
from inspect import Parameter, Signature
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from ...model.names import LOCAL
from ..extra import need
from ..handed import Handed, Shown
from ..holder import Who, held

if TYPE_CHECKING:
    from agents import FunctionTool, ToolInputGuardrail

    from ...runtime.runtime import Runtime

FRAMEWORK = "openai-agents"
_SIGNATURE = Signature([Parameter(name, Parameter.POSITIONAL_OR_KEYWORD) for name in ("context", "arguments")])
"""The SDK looks at it before each call, for what a context is annotated with; made once, it is found at once."""
_NOTHING: Mapping[str, str] = MappingProxyType({})


def tools(
    runtime: "Runtime",
    who: Who,
    *,
    profile: str | None = None,
    server: str = LOCAL,
    names: Mapping[str, str] = _NOTHING,
) -> "list[FunctionTool]":
    """The principal's tools as function tools. Each call walks the corridor, in one run, which ``who`` may be itself.

    Whatever a call ends with, the model reads it as the call's result, and the agent goes on. A call id runs once in
    the run. Where a tool asks, and the arguments fit, the agent's run is interrupted and goes on with
    ``state.approve(item)``; arguments other than those that were asked about are refused. If the run has an approver of
    its own, that one is asked instead. The list is what may be seen now: make it anew after tools were registered.

    ``profile`` is a profile of the engine at ``server`` (``mcp/algenta``, or ``local``), for ``who`` by name alone;
    ``names`` are wire names of your own by canonical name.

    Raises:
        ConfigurationError: the SDK is not installed, or a name or a profile is none.
    """
    need("agents", "openai-agents")
    handed = Handed(runtime, held(runtime, who, FRAMEWORK, profile=profile, server=server, names=names))
    return [_tool(handed, shown) for shown in handed.tools()]


def _tool(handed: Handed, shown: Shown) -> "FunctionTool":
    from agents import FunctionTool

    return FunctionTool(
        name=shown.wire,
        description=shown.spec.description,
        params_json_schema=shown.schema.copy(),
        on_invoke_tool=_invoked(handed, shown),
        strict_json_schema=False,  # strict mode makes a model invent values for what it would leave out
        needs_approval=False if shown.is_plain else _asks(handed, shown),
        tool_input_guardrails=None if shown.is_plain else [_guard(handed, shown)],
    )


def _invoked(handed: Handed, shown: Shown) -> Callable[[Any, str], Awaitable[str]]:
    async def invoke(context: Any, arguments: str) -> str:
        said = context.tool_call_id
        approved = not shown.is_plain and context.is_tool_approved(shown.wire, said) is True
        result = await handed.call(shown, arguments or "{}", said, approved=approved)
        return result.content

    invoke.__annotations__, invoke.__signature__ = {}, _SIGNATURE  # type: ignore[attr-defined]
    return invoke


def _asks(handed: Handed, shown: Shown) -> Callable[[Any, dict[str, Any], str], Awaitable[bool]]:
    """Whether a person is asked about a call: not about one that could not run anyway."""

    async def asks(context: Any, arguments: dict[str, Any], said: str) -> bool:
        judged = handed.judged(shown, arguments)
        if judged.is_refused or not judged.reasons:
            return False
        handed.ask(arguments, said)
        return True

    return asks


def _guard(handed: Handed, shown: Shown) -> "ToolInputGuardrail[Any]":
    """Refuses what could not run, text that cannot be read included, before the SDK asks a person about it.

    It does so where ``run_config`` is used; else the SDK comes here after it asked.
    """
    from agents import ToolGuardrailFunctionOutput, ToolInputGuardrail

    async def fits(data: Any) -> Any:
        context = data.context
        arguments = context.tool_arguments or "{}"
        if handed.judged(shown, arguments).is_refused:
            result = await handed.call(shown, arguments, context.tool_call_id)
            if not result.success:
                return ToolGuardrailFunctionOutput.reject_content(result.content)
        return ToolGuardrailFunctionOutput.allow()

    return ToolInputGuardrail(guardrail_function=fits, name="licet")


__all__ = ["FRAMEWORK", "tools"]
