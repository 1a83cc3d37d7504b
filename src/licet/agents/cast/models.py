"""Models of agents, by the name under which a manifest asks for one."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from ...ports import Model
from ...project.manifest import OFFLINE, Manifest
from ...providers.named import is_provided, model_from, told
from .offline import OfflineModel

MODELS: Mapping[str, Callable[[], Model]] = MappingProxyType({OFFLINE: OfflineModel})


def model_named(manifest: Manifest) -> Model:
    """The model that a manifest asks for: one of licet's own, or a provider's (``openai:NAME``).

    Raises:
        ConfigurationError: there is none of this name.
        ProviderSetupError: the provider's package or key is missing.
    """
    name = manifest.model
    found = MODELS.get(name)
    if found is not None:
        return found()
    if is_provided(name):
        return model_from(name)
    text = f"there is no model {name!r} here; write {OFFLINE}, one of {', '.join(told())}, or give the agent your own"
    raise manifest.wrong(("model",), text)


__all__ = ["MODELS", "model_named"]
