"""Between the grant and the other checks: a granted name that is not registered is asked of the attached resolver."""

import asyncio
import inspect
from typing import Any

from ..catalog import Bound, Tool
from ..model.context import CallContext
from ..model.names import short
from ..model.tool import ToolSpec
from ..model.verdict import Deny
from ..ports import ToolResolver
from .workers import Workers

PATIENCE_S = 30.0
"""How long a resolver may take to say whether it has a tool."""


class Resolved:
    """The transport of a tool that a resolver has. It gets exactly the given arguments."""

    kind = "resolver"
    wants_context = False

    def __init__(self, resolver: ToolResolver, name: str) -> None:
        self.resolver = resolver
        self._name = name
        self.asynchronous = inspect.iscoroutinefunction(resolver.call)

    async def call(self, arguments: dict[str, Any], context: CallContext, /) -> Any:
        return await self.call_blocking(arguments, context)

    def call_blocking(self, arguments: dict[str, Any], context: CallContext, /) -> Any:
        return self.resolver.call(self._name, arguments)


def is_same(tool: Bound, other: Bound) -> bool:
    """Whether two lookups of one name found the same tool: the same registration, or the same resolver's."""
    if tool is other:
        return True
    one, two = tool.transport, other.transport
    return isinstance(one, Resolved) and isinstance(two, Resolved) and one.resolver is two.resolver


async def resolved(resolver: ToolResolver, name: str, workers: Workers) -> Bound | Deny | None:
    """The tool behind a granted name, under its granted spelling; nothing is known of it, so it counts as writing.

    None: the resolver does not have it. A Deny: it did not say.
    """
    asked = short(name)
    try:
        async with asyncio.timeout(PATIENCE_S):
            has: Any = await workers.run(lambda: resolver.has(asked))
            if inspect.isawaitable(has):
                has = await has
    except (Exception, SystemExit) as exc:
        problem = f"the resolver did not say whether it has {asked!r}: it raised {type(exc).__name__}"
        return Deny("check_failed", problem, reason="resolver_failed", remedy="mend the resolver, or detach it")
    return Bound(Tool(ToolSpec(name=name), Resolved(resolver, asked))) if has else None
