"""From one lock to the next: what is missing is added, and a pin changes only where somebody accepted the change."""

from dataclasses import replace

from .drift import Drift
from .locked import Lock, LockedServer


def with_missing(lock: Lock, name: str, now: LockedServer) -> Lock:
    """The lock with a server, or those of its tools, that are not pinned yet. No pin in it changes.

    Nothing is added to a server that is started differently now: nobody has accepted that other program.
    """
    known = lock.servers.get(name)
    if known is None:
        return lock.with_server(name, now)
    new = {own: tool for own, tool in now.tools.items() if own not in known.tools}
    if not new or known.launch_digest != now.launch_digest:
        return lock
    return lock.with_server(name, replace(known, tools={**known.tools, **new}, note=now.note))


def accepting_server(lock: Lock, name: str, now: LockedServer | None) -> Lock:
    """The lock with a whole server as it is now; None takes it out.

    For a tool whose definition is another one, the operator's classification is dropped.
    """
    if now is None:
        return lock.with_server(name, None)
    known = lock.servers.get(name)
    if known is None:
        return lock.with_server(name, now)
    tools = {}
    for own, tool in now.tools.items():
        before = known.tools.get(own)
        if before is not None:
            same = before.pin.whole == tool.pin.whole
            tool = replace(tool, classification_dropped=before.classification_dropped if same else True)
        tools[own] = tool
    return lock.with_server(name, replace(now, tools=tools))


def accepting_tool(lock: Lock, drift: Drift, now: LockedServer) -> Lock:
    """The lock with one tool as it is now: pinned anew without its classification, pinned first, or taken out."""
    if drift.server not in lock.servers:
        return lock.with_server(drift.server, replace(now, tools={drift.tool: now.tools[drift.tool]}))
    if drift.state in ("vanished", "quarantined"):
        return lock.with_tool(drift.name, None)
    tool = replace(now.tools[drift.tool], classification_dropped=drift.state == "changed")
    return lock.with_tool(drift.name, tool)


def classifying(lock: Lock, name: str) -> Lock:
    """The lock in which the operator's words count again for one locked tool."""
    tool = lock.tool(name)
    assert tool is not None
    return lock.with_tool(name, replace(tool, classification_dropped=False))


__all__ = ["accepting_server", "accepting_tool", "classifying", "with_missing"]
