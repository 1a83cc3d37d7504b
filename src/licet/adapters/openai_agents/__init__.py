"""The tools of a principal, as the OpenAI Agents SDK takes them: function tools."""

from .tools import tools

__all__ = ["tools"]
