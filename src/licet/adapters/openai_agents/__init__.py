"""The tools of a principal, as the OpenAI Agents SDK takes them: function tools."""

from .config import run_config
from .tools import tools

__all__ = ["run_config", "tools"]
