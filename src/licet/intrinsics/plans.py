"""The steps of a plan, which depend on each other in no circle."""

from collections.abc import Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from typing import Any

from .refusal import refusal

Shape = tuple[str, tuple[str, ...]]
"""Description of a step, and the names that it depends on."""


def ordered(steps: Sequence[Mapping[str, Any]]) -> dict[str, Shape]:
    """The steps by name, as they were written.

    Raises:
        ToolFailedError: ``duplicate_step``, ``unknown_step`` or ``plan_cycle``.
    """
    shapes: dict[str, Shape] = {}
    for step in steps:
        if step["name"] in shapes:
            raise refusal("duplicate_step", f"two steps are called {step['name']!r}; give each a name of its own")
        shapes[step["name"]] = (step["description"], tuple(step["depends_on"]))
    for name, (_, needed) in shapes.items():
        if unknown := [other for other in needed if other not in shapes]:
            raise refusal("unknown_step", f"the step {name!r} depends on {unknown[0][:80]!r}, which is no step")
    try:
        TopologicalSorter({name: needed for name, (_, needed) in shapes.items()}).prepare()
    except CycleError as exc:
        circle = " -> ".join(exc.args[1])
        raise refusal("plan_cycle", f"these steps wait for each other: {circle[:400]}; drop one dependency") from None
    return shapes
