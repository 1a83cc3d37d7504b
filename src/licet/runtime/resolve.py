"""Between the grant and the other checks: a granted name that is not registered is asked of the attached resolver."""

import asyncio
import inspect
from typing import Any

from ..catalog import Bound, Tool
from ..errors import RefusedError, RegistrationError
from ..model.context import CallContext
from ..model.names import short
from ..model.tool import ToolSpec
from ..model.verdict import Deny
from ..ports import Sourced, ToolResolver
from .workers import Workers

PATIENCE_S = 30.0
"""How long a resolver may take to say whether it has a tool."""


class Resolved:
    """The transport of a tool of which its resolver only says that it has it. It gets exactly the given arguments."""

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


class Found:
    """Tools that a resolver handed over, compiled once for as long as it hands over the same."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[Sourced, Bound]] = {}

    def bound(self, name: str, found: Sourced) -> Bound | Deny:
        known = self._known.get(name)
        if known is not None and known[0] is found:
            return known[1]
        try:
            bound = Bound(Tool(found.spec, found.transport), granted=name)
        except RegistrationError as exc:
            return Deny("quarantined", str(exc), reason="not_registered")
        self._known[name] = found, bound
        return bound


def is_same(tool: Bound, other: Bound) -> bool:
    """Whether two lookups of one name found the same tool: the same registration, or the same resolver's."""
    if tool is other:
        return True
    one, two = tool.transport, other.transport
    return isinstance(one, Resolved) and isinstance(two, Resolved) and one.resolver is two.resolver


async def resolved(resolver: ToolResolver, name: str, workers: Workers, found: Found) -> Bound | Deny | None:
    """The tool behind a granted name: the one that the resolver hands over, else one under its granted spelling.

    Of the latter nothing is known, so it counts as writing. None: the resolver has none. A Deny: it did not say.
    """
    asked = short(name)
    ask = getattr(resolver, "find", None) or resolver.has
    try:
        async with asyncio.timeout(PATIENCE_S):
            has: Any = await workers.run(lambda: ask(asked))
            if inspect.isawaitable(has):
                has = await has
    except RefusedError as exc:
        return Deny(exc.code, str(exc), reason=exc.reason)
    except (Exception, SystemExit) as exc:
        problem = f"the resolver did not say whether it has {asked!r}: it raised {type(exc).__name__}"
        return Deny("check_failed", problem, reason="resolver_failed", remedy="mend the resolver, or detach it")
    if not has:
        return None
    if has is True or not isinstance(getattr(has, "spec", None), ToolSpec):
        return Bound(Tool(ToolSpec(name=name), Resolved(resolver, asked)))
    return found.bound(name, has)
