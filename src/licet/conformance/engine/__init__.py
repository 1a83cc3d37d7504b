"""A small reference engine of decisions, for the vectors about gates: seven tools, nothing random, nothing sent."""

from ..vector import Vector
from .reference import ReferenceEngine


def engine_of(vector: Vector) -> ReferenceEngine | None:
    """The engine that a vector is about, as it stands before the first step; None: it is about none."""
    return None if vector.engine is None else ReferenceEngine(vector.engine)


__all__ = ["ReferenceEngine", "engine_of"]
