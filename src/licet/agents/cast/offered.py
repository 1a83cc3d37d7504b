"""Which tools a model is told of: exactly those that its agent may call now, wherever they are."""

from ...model.principal import Principal
from ...model.tool import Offered
from ...runtime.runtime import Runtime


async def offered(runtime: Runtime, principal: Principal) -> list[Offered]:
    """Those that are registered and those that a resolver holds, by name: the same over every transport. Then those
    that the model's provider runs itself.

    The grants are those of a run, which are exact. A server that has to be asked may start.
    """
    specs = [*runtime.tools_for(principal), *await runtime.resolved_for(principal)]
    called = [spec.model_tool for spec in sorted(specs, key=lambda spec: spec.name)]
    return [*called, *runtime.hosted_for(principal)]


__all__ = ["offered"]
