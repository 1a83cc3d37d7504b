"""An agent of the configuration at work: opened for one command, with its servers, and closed after it."""

import argparse
import os
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from ..errors import ConfigurationError

if TYPE_CHECKING:
    from ..model.principal import Principal
    from ..ports import Approver, Line
    from ..runtime.runtime import Runtime

T = TypeVar("T")


class AtWork(NamedTuple):
    """``principal`` is the agent's, narrowed by the options; ``report`` says how its servers are."""

    agent: str
    runtime: "Runtime"
    principal: "Principal"
    report: "tuple[Line, ...]"


def with_agent(
    arguments: argparse.Namespace,
    work: Callable[[AtWork], Awaitable[T]],
    *,
    recorded: bool = False,
    approver: "Approver | None" = None,
) -> T:
    """What ``work`` gives. ``recorded``: its calls stand on the project's ledger, or on the one that was named.

    Raises:
        ConfigurationError: the configuration is not trusted or wrong, or an option asks for more than the agent holds.
        LedgerUnavailableError: no ledger, no call.
    """
    import asyncio

    return asyncio.run(_with_agent(arguments, work, recorded, approver))


async def _with_agent(
    arguments: argparse.Namespace,
    work: Callable[[AtWork], Awaitable[T]],
    recorded: bool,
    approver: "Approver | None",
) -> T:
    from contextlib import ExitStack, closing

    from ..ledger.sqlite import SqliteLedger
    from ..project.assemble import opened
    from .configured import agent_named, configured, ledger_beside
    from .narrowed import narrowed

    if arguments.source is not None:
        raise ConfigurationError("--from brings tools of yours, --agent those of a configuration; drop one of the two")
    project, lock = configured(arguments.config)
    agent = agent_named(project, arguments.agent)
    with ExitStack() as stack:
        ledger = None
        if recorded:
            place = ledger_beside(project) if arguments.ledger is None else arguments.ledger
            ledger = stack.enter_context(closing(SqliteLedger(place)))
        async with opened(
            project,
            agent,
            environ=os.environ,
            lock=lock,
            ledger=ledger,
            approver=approver,
            trust_first_use=True,
        ) as held:
            tell(held.report)
            who = narrowed(held.principal, arguments, held.runtime.specs())
            return await work(AtWork(agent.name, held.runtime, who, held.report))


def tell(report: "tuple[Line, ...]") -> None:
    """Say of every server and tool what is not as it should be; nothing where all is well."""
    from ..model.names import short
    from . import output

    for line in report:
        if line.state == "first_use":
            output.say(
                f"licet: {line.server} is not locked: what it lists now ({line.told}) is pinned for this command only; "
                "licet lock pins it for good"
            )
        elif line.state != "ready":
            reason = f" ({line.reason})" if line.reason else ""
            about = short(line.tool) if line.tool else line.server
            output.say(f"licet: {about} is {line.state.replace('_', ' ')}{reason}: {line.told}")


__all__ = ["AtWork", "tell", "with_agent"]
