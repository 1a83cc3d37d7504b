"""The lowering of one tool, cached."""

from functools import lru_cache

from ...model.tool import ModelTool
from .form import Form
from .lowered import Lowered

CACHED = 4096
"""Lowered tools that are kept, the latest used ones."""


@lru_cache(maxsize=CACHED)
def lowered(tool: ModelTool, form: Form) -> Lowered:
    """The input schema of a tool as ``form`` can hold it."""
    return Lowered(tool.input_schema.json, strict=form.strict)


__all__ = ["CACHED", "lowered"]
