"""What an agent's run is told, so that a name which nobody showed the model is a result too."""

from typing import TYPE_CHECKING, Any

from ...model.names import LOCAL
from ..extra import need
from ..handed import Handed
from ..holder import Who, held
from .tools import FRAMEWORK

if TYPE_CHECKING:
    from agents import RunConfig

    from ...runtime.runtime import Runtime


def run_config(runtime: "Runtime", who: Who, **options: Any) -> "RunConfig":
    """A ``RunConfig`` for agents that have these tools; ``options`` are any others of it.

    A call of a tool that was not shown ends no run: the corridor refuses it, and the model reads that. Text that cannot
    be read is refused before anybody is asked about it. Without this, the SDK raises at the one and asks at the other.

    Raises:
        ConfigurationError: the SDK is not installed.
    """
    need("agents", "openai-agents")
    from agents import RunConfig, ToolExecutionConfig

    handed = Handed(runtime, held(runtime, who, FRAMEWORK, profile=None, server=LOCAL, names={}))

    async def told(error: Any) -> str | None:
        if error.kind != "tool_not_found":
            return None
        result = await handed.unknown(error.tool_name, {}, error.call_id)
        return result.content

    first: dict[str, Any] = {
        "tool_not_found_behavior": "return_error_to_model",
        "tool_error_formatter": told,
        "tool_execution": ToolExecutionConfig(pre_approval_tool_input_guardrails=True),
    }
    return RunConfig(**{**first, **options})


__all__ = ["run_config"]
