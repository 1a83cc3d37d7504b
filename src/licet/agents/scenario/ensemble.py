"""The cast of a run at work: for each manifest an agent, its run and its budget, until the end of a block."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from functools import partial
from typing import Any

from ...dialects.untrusted import Fence
from ...doors.registry import ToolRegistry, principal_of
from ...errors import RefusedError
from ...ports import Model
from ...project.manifest import Manifest
from ...project.task_holder import refuse_idle
from ..cast.agent import ManifestAgent
from .budget import Budget
from .journal import Journal
from .metered import Metered
from .performer import Performer


@asynccontextmanager
async def ensemble(
    cast: Sequence[Manifest],
    registry: ToolRegistry,
    budget: Budget,
    journal: Journal,
    *,
    secret: bytes | None,
    model: Callable[[Manifest], Model],
    handlers: Mapping[str, Callable[..., Any]],
    part: str = "",
    used: Mapping[str, int] = {},
) -> AsyncIterator[list[Performer]]:
    """The performers, in the order of the cast.

    ``part`` sets the ids of their calls apart from those of earlier processes, ``used`` are the calls that they made
    in these, by name. Without a ``secret`` what results are fenced with is chance.

    Raises:
        ConfigurationError: an agent needs what there is not, or a worker would have no task; nothing has begun.
    """
    refuse_idle(cast)
    async with AsyncExitStack() as stack:
        performers: list[Performer] = []
        for number, manifest in enumerate(cast, 1):
            who, spoken = principal_of(manifest.name, manifest), f"{journal.run_id}.{number}"
            run = registry.runtime.begin(who, id=journal.run_id, max_calls=0, prefix=spoken + part, spoken=spoken)
            run.fence = Fence(secret or os.urandom(32))
            asked = Metered(model(manifest), budget.take_tokens, partial(_reserved, journal, budget, manifest.name))
            stack.push_async_callback(asked.close)
            agent = ManifestAgent(manifest, registry, model=asked, run=run, handlers=handlers)
            performer = Performer(manifest, agent, run, budget, used=used.get(manifest.name, 0))
            stack.callback(performer.close)
            performers.append(performer)
            with suppress(RefusedError):  # a server that cannot be asked now is told of in the turn that needs it
                await asyncio.to_thread(agent.check)
        yield performers


async def _reserved(journal: Journal, budget: Budget, actor: str) -> None:
    await journal.asking(actor, budget.spent_tokens)


__all__ = ["ensemble"]
