"""Between the grant and the other checks: a granted name that is not registered is asked of the attached resolver."""

import inspect
from typing import Any

from ..catalog import Bound, Tool
from ..model.context import CallContext
from ..model.names import short
from ..model.tool import ToolSpec
from ..ports import ToolResolver
from .workers import Workers


class Resolved:
    """The transport of a tool that a resolver has. It gets exactly the given arguments."""

    kind = "resolver"
    wants_context = False

    def __init__(self, resolver: ToolResolver, name: str) -> None:
        self.resolver = resolver
        self._name = name

    async def call(self, arguments: dict[str, Any], context: CallContext, /) -> Any:
        value = self.call_blocking(arguments, context)
        return await value if inspect.isawaitable(value) else value

    def call_blocking(self, arguments: dict[str, Any], context: CallContext, /) -> Any:
        return self.resolver.call(self._name, arguments)


def is_same(tool: Bound, other: Bound) -> bool:
    """Whether two lookups of one name found the same tool: the same registration, or the same resolver's."""
    if tool is other:
        return True
    one, two = tool.transport, other.transport
    return isinstance(one, Resolved) and isinstance(two, Resolved) and one.resolver is two.resolver


async def resolved(resolver: ToolResolver, name: str, workers: Workers) -> Bound | None:
    """The tool behind a granted name, under its granted spelling; nothing is known of it, so it counts as writing."""
    asked = short(name)
    if not await workers.run(lambda: resolver.has(asked)):
        return None
    return Bound(Tool(ToolSpec(name=name), Resolved(resolver, asked)))
