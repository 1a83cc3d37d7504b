"""Several sources as one, at the edge: the catalog stays one flat map."""

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

from ..catalog import Tool
from ..errors import ConfigurationError
from ..model.tool import ToolSpec
from ..ports import ToolSource
from .function import bind, make

Offer: TypeAlias = Tool | ToolSpec | ToolSource | Callable[..., Any]
"""What a Runtime takes as a tool: a Tool, a spec with its handler, a source, or a plain function."""


def combine(offers: Iterable[Offer]) -> list[Tool]:
    """All tools of all offers, in order.

    Raises:
        ConfigurationError: something is no tool, no source and no function.
    """
    return [tool for offer in offers for tool in _tools(offer)]


def _tools(offer: Any) -> list[Tool]:
    if isinstance(offer, Tool):
        return [offer if offer.spec.handler is None or offer.transport is not None else bind(offer.spec)]
    if isinstance(offer, ToolSpec):
        return [bind(offer)]
    if callable(getattr(offer, "tools", None)):
        return combine(offer.tools())
    if callable(offer):
        return [make(offer)]
    raise ConfigurationError(f"{offer!r} is no tool; give a @tool function, a ToolSpec with its handler, or a source")
