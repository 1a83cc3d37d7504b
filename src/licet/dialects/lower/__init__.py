"""Lowering: the registered JSON Schema of a tool, said as one wire can hold it, and a list of all that differs.

What a model writes by the lowered schema is decoded by it, and judged by the registered one alone.
"""

from .form import Form
from .lowered import Lowered
from .lowering import lowered

__all__ = ["Form", "Lowered", "lowered"]
