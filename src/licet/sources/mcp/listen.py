"""Hearing from a server of the newest era that its tools have changed. Older ones simply say so."""

import asyncio
import random
from collections.abc import Callable
from typing import Any

from .limits import McpLimits

_ATTEMPTS = 5


def offers_changes(client: Any) -> bool:
    """Whether it has to be asked for them, and would tell."""
    from mcp_types.version import MODERN_PROTOCOL_VERSIONS

    tools = client.server_capabilities.tools
    return bool(client.protocol_version in MODERN_PROTOCOL_VERSIONS and tools is not None and tools.list_changed)


async def listen(client: Any, limits: McpLimits, changed: Callable[[], None]) -> None:
    """Keep it telling, until this is cancelled. What it tells is handed on like what others say without being asked.

    What may have been missed meanwhile counts as a change. A server that refuses, or fails again and again, is listened
    to no more: its tools are listed before each turn anyway.
    """
    import anyio
    from mcp.client.subscriptions import SubscriptionLost

    failed = 0
    while failed < _ATTEMPTS:
        try:
            with anyio.move_on_after(limits.list_s) as scope:
                async with client.listen(tools_list_changed=True) as subscription:
                    scope.deadline = float("inf")
                    if failed:
                        changed()
                    async for _ in subscription:
                        failed = 0
        except SubscriptionLost:
            pass
        except Exception:
            return
        failed += 1
        await asyncio.sleep(random.uniform(0.5, 1.5) * min(limits.most_pause_s, limits.least_pause_s * 2**failed))
