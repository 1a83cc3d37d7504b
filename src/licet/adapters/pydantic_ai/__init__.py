"""The tools of a principal, as pydantic_ai takes them: a toolset."""

from .toolset import toolset

__all__ = ["toolset"]
