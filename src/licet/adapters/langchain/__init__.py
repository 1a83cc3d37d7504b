"""The tools of a principal, as LangChain and LangGraph take them: structured tools."""

from .middleware import middleware
from .tools import tools

__all__ = ["middleware", "tools"]
