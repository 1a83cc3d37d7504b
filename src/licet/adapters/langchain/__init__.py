"""The tools of a principal, as LangChain and LangGraph take them: structured tools."""

from .tools import tools

__all__ = ["tools"]
