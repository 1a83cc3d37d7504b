"""What a simulation or a recommendation is about: variables, actions with an objective each, and a unit."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ..error import DecisionError
from ..expression import Node, is_name, parse, refuse_unknown
from .distribution import Distribution, distribution

MAX_VARIABLES = 1_000
MAX_ACTIONS = 16
UNIT = "units of the objective"
"""Where a caller states none."""


class Action(NamedTuple):
    """A name, and what is gained by it in one draw of the variables."""

    name: str
    objective: Node


def variables(told: Sequence[Mapping[str, Any]], *, where: str) -> dict[str, Distribution]:
    """The variables by name, in their order.

    Raises:
        DecisionError: ``invalid_variable``: too many, none, a name that is none or stands twice;
            ``invalid_distribution``.
    """
    if not 1 <= len(told) <= MAX_VARIABLES:
        raise DecisionError("invalid_variable", f"{where} has {len(told)} variables; use 1 to {MAX_VARIABLES}")
    found: dict[str, Distribution] = {}
    for number, one in enumerate(told):
        name = one["name"]
        if not is_name(name):
            raise DecisionError(
                "invalid_variable",
                f"{where}: the name of variable {number} is none; use letters, digits and _, and no word of Python",
            )
        if name in found:
            raise DecisionError("invalid_variable", f"{where}: the variable {name} stands there twice; name each once")
        found[name] = distribution(one, where=f"{where}: the variable {name}")
    return found


def objective(text: str, known: Mapping[str, Distribution], *, where: str) -> Node:
    """Raises DecisionError: ``invalid_expression``, or ``unknown_name``: a name that is no variable."""
    node = parse(text, where=where)
    refuse_unknown(node, known.__contains__, where=where)
    return node


def label(text: str, *, where: str) -> str:
    """A name or a unit that is shown to people.

    Raises:
        DecisionError: ``invalid_label``: it is empty, longer than 64 characters or not printable.
    """
    if not 1 <= len(text) <= 64 or not text.isprintable() or text != text.strip():
        raise DecisionError("invalid_label", f"{where} is no label; use 1 to 64 printable characters")
    return text
