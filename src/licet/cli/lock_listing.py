"""Asks the servers of a trusted configuration what they list, while a person sees who is waited for."""

import asyncio
import os
from collections.abc import Collection
from typing import TYPE_CHECKING

from ..errors import ConfigurationError, LicetError
from .waiting import Waiting

if TYPE_CHECKING:
    from ..project.listing import Answer
    from .lock_file import LockFile


def asked(file: "LockFile", names: Collection[str]) -> "tuple[dict[str, Answer], dict[str, LicetError]]":
    """What the named servers answer, and why others were not even asked: a variable of theirs is not set."""
    from ..project.listing import list_servers

    specs, problems = [], {}
    for name in names:
        try:
            specs.append(file.servers[name].resolve(os.environ))
        except ConfigurationError as exc:
            problems[name] = exc
    if not specs:
        return {}, dict(problems)
    with Waiting(spec.name for spec in specs) as waiting:
        return asyncio.run(list_servers(specs, waiting.answered, file.project.mcp_limits)), dict(problems)


__all__ = ["asked"]
