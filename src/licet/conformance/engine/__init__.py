"""A small reference engine of decisions, for the vectors about gates: seven tools, nothing random, nothing sent."""

from ..execution import Engine
from ..vector import Vector


def engine_of(vector: Vector) -> Engine | None:
    """The engine that a vector is about; None: it is about none."""
    return None
