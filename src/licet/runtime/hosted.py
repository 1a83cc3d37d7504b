"""Tools that a model's provider runs itself: who may be told of them, and the entry of what was run."""

from collections.abc import Mapping
from typing import Any

from ..catalog import Bound
from ..dialects.untrusted import escaped
from ..model.names import short
from ..model.principal import Principal
from ..model.said import HostedItem
from ..model.tool import ToolSpec
from ..model.verdict import Permit
from ..policy.hosted import may_be_offered
from ..policy.judge import Judgement

RAN = "tool.hosted"
_MOST_CHARACTERS = 256


def offered(principal: Principal, tools: Mapping[str, Bound], by: Judgement) -> list[ToolSpec]:
    """The hosted tools that a provider may be told of for this principal."""
    specs = (tool.spec for tool in tools.values() if tool.spec.source == "hosted")
    return [spec for spec in specs if isinstance(may_be_offered(principal, spec, by), Permit)]


def told(item: HostedItem, *, permitted: bool) -> dict[str, Any]:
    """The body of its entry. What it did at the provider's is nobody's knowledge here."""
    return {
        "effect": "unknown",
        "item": escaped(item.id[:_MOST_CHARACTERS]),
        "kind": escaped(item.kind[:_MOST_CHARACTERS]),
        "permitted": permitted,
        "tool": None if item.tool is None else escaped(short(item.tool)),
    }


__all__ = ["RAN", "offered", "told"]
