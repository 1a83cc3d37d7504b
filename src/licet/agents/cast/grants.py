"""What an agent was granted, as far as a registry knows it."""

import asyncio
import os
from collections.abc import Iterable, Iterator, Mapping

from ...doors.registry import ToolRegistry
from ...model.names import canonical, server_of, short
from ...model.principal import GrantSet, Principal
from ...policy.grants import covers
from ...project.agent import EVERYWHERE
from ...project.manifest import Manifest
from ...project.near import nearest
from ...project.place import quoted


async def described(manifest: Manifest, registry: ToolRegistry, principal: Principal) -> Mapping[str, str]:
    """Description by name, in the order of the file; what patterns and groups brought follows by name.

    What is withheld, because its server is not there or it is not pinned, is left out: a call of it says why. So is
    what waits for a skill.

    Raises:
        ConfigurationError: a granted tool is nowhere; with file, line and key.
        RefusedError: a resolver's server could not be asked.
    """
    named = [name for name in manifest.named if canonical(name) in principal.grants]
    names = [*named, *sorted({short(name) for name in principal.grants}.difference(named))]
    absent = [name for name in names if registry.get(name) is None and not is_withheld(registry, name)]
    if absent:  # a server has to be asked, and may have to start
        found = await asyncio.to_thread(registry.describe, names)
    else:
        found = registry.describe(names)
    elsewhere = {name for name in manifest.named if canonical(name) not in principal.grants}
    _refuse_absent(manifest, registry, elsewhere.union(found))
    return {name: found[name] for name in names if name in found}


def refuse_strange(manifest: Manifest, registry: ToolRegistry) -> None:
    """Raises ConfigurationError: a grant is about nothing that there is; RefusedError: a server could not be asked."""
    for at, root in enumerate(manifest.roots):
        if root != EVERYWHERE and not os.path.isdir(root):
            raise manifest.wrong(
                ("roots", at), f"{quoted(manifest.agent.roots[at])} is no folder here; make it, or drop it"
            )
    _refuse_absent(manifest, registry, registry.describe(manifest.named))
    for key, at, grant in _sets(manifest):
        if not any(covers(grant, spec) for spec in registry.list_tools()) and not _may_come(registry, grant):
            text = f"no registered tool is in {quoted(grant.value)}; register its tools first, or drop it"
            raise manifest.wrong((key, at), text)


def is_withheld(registry: ToolRegistry, name: str) -> bool:
    """Whether a name is known, and not registered: a call of it is refused, with the reason."""
    withheld, full = registry.runtime.withheld, canonical(name)
    return bool(withheld) and (full in withheld or server_of(full) in withheld)


def _may_come(registry: ToolRegistry, grant: GrantSet) -> bool:
    """Whether a set may be about tools of a server that is not there now."""
    servers = set(map(server_of, registry.runtime.withheld))
    if grant.kind == "group" or not servers:
        return grant.value in servers
    from ...project.assemble import may_be_about  # here: most agents have no server

    return any(may_be_about(grant.value, server) for server in servers)


def _refuse_absent(manifest: Manifest, registry: ToolRegistry, found: Iterable[str]) -> None:
    for at, name in enumerate(manifest.named):
        if name not in found and not is_withheld(registry, name):
            near = nearest(name, (short(spec.name) for spec in registry.list_tools()))
            instead = f"did you mean {near}?" if near else "register it first, or name a server that offers it"
            raise manifest.wrong(("tools", at), f"there is no tool {quoted(name)}; {instead}")


def _sets(manifest: Manifest) -> Iterator[tuple[str, int, GrantSet]]:
    for at, pattern in enumerate(manifest.agent.globs):
        yield "globs", at, GrantSet.glob(pattern)
    for at, group in enumerate(manifest.agent.groups):
        yield "groups", at, GrantSet.group(group)


__all__ = ["described", "refuse_strange"]
