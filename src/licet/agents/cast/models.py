"""Models of agents, by the name under which a manifest asks for one."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from ...ports import Model
from ...project.manifest import OFFLINE, Manifest
from .offline import OfflineModel

MODELS: Mapping[str, Callable[[], Model]] = MappingProxyType({OFFLINE: OfflineModel})


def model_named(manifest: Manifest) -> Model:
    """The model that a manifest asks for. Raises ConfigurationError: it is none of licet's own."""
    found = MODELS.get(manifest.model)
    if found is None:
        text = f"there is no model {manifest.model!r} here; write {OFFLINE}, or give the agent a model of yours"
        raise manifest.wrong(("model",), text)
    return found()


__all__ = ["MODELS", "model_named"]
