"""The tools of a request that a model's dialect cannot offer it."""

from collections.abc import Mapping, Sequence

from ...model.tool import Offered
from ...ports import Model

_NOTHING: Mapping[str, str] = {}


def withheld(model: Model, tools: Sequence[Offered]) -> Mapping[str, str]:
    """Which of them a model is not offered, and why, by canonical name; of one that does not say so, none."""
    asked = getattr(model, "withheld", None)
    return _NOTHING if asked is None else asked(tools)


__all__ = ["withheld"]
