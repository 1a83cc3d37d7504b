"""A model on the machine itself: ``Local``."""

from .model import MOST_BYTES, Local
from .weights import VARIABLE

__all__ = ["MOST_BYTES", "VARIABLE", "Local"]
