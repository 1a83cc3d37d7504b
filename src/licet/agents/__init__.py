"""Loops over the corridor. An agent holds no tool: it asks, and reads what came back as data.

Public names are loaded when they are first used: a loop needs neither files nor a project.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..model.event import Event
    from ..project.manifest import Manifest
    from ..project.shelf import Shelf
    from .cast.agent import ManifestAgent
    from .cast.casting import manifests
    from .cast.fortune_teller import FortuneTeller
    from .cast.handlers import Handler, register_handler
    from .cast.offline import OfflineModel
    from .cast.prompt import Extra
    from .cast.rules import GrantRules
    from .cast.scene import Scene

__all__ = [
    "Event",
    "Extra",
    "FortuneTeller",
    "GrantRules",
    "Handler",
    "Manifest",
    "ManifestAgent",
    "OfflineModel",
    "Scene",
    "Shelf",
    "manifests",
    "register_handler",
]

_HOME = {
    "Event": "licet.model.event",
    "Extra": "licet.agents.cast.prompt",
    "FortuneTeller": "licet.agents.cast.fortune_teller",
    "GrantRules": "licet.agents.cast.rules",
    "Handler": "licet.agents.cast.handlers",
    "Manifest": "licet.project.manifest",
    "ManifestAgent": "licet.agents.cast.agent",
    "OfflineModel": "licet.agents.cast.offline",
    "Scene": "licet.agents.cast.scene",
    "Shelf": "licet.project.shelf",
    "manifests": "licet.agents.cast.casting",
    "register_handler": "licet.agents.cast.handlers",
}


def __getattr__(name: str) -> Any:
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module 'licet.agents' has no attribute {name!r}")
    value = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
