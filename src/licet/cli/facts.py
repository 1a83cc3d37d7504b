"""A tool's facts in the words of a table."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..model.tool import ToolSpec


def effect(spec: "ToolSpec") -> str:
    """``reads`` or ``writes``; a tool that declares neither counts as writing."""
    if spec.capabilities.read_only:
        return "reads"
    return "writes" if spec.capabilities.writes else "may write"


def asks(spec: "ToolSpec") -> str:
    """``asks`` if a person has to say yes to each call."""
    return "asks" if spec.capabilities.asks else ""


def timeout(spec: "ToolSpec") -> str:
    """Seconds, or ``none`` for a tool without a timer."""
    return "none" if spec.execution.inline else f"{spec.execution.timeout_s:g} s"


def timer(spec: "ToolSpec") -> str:
    """The same in a sentence."""
    return "no timer" if spec.execution.inline else f"at most {spec.execution.timeout_s:g} s"


def parameters(spec: "ToolSpec") -> str:
    """The names of its arguments, the required ones first; what may be left out ends with a question mark."""
    properties: Any = spec.input_schema.get("properties")
    if not isinstance(properties, dict):
        return ""
    required = spec.input_schema.get("required")
    needed = set(required) if isinstance(required, list) else set()
    ordered = sorted(properties, key=lambda name: name not in needed)
    return ", ".join(name if name in needed else f"{name}?" for name in ordered)


__all__ = ["asks", "effect", "parameters", "timeout", "timer"]
