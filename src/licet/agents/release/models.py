"""The scripts by the names under which manifests ask for them, beside licet's other models."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from ...ports import Model
from ...project.manifest import Manifest
from ..cast.models import MODELS, model_named
from .checker import check_project
from .script import Scripted
from .writer import CHECKER, SKILL, write_notes

SCRIPTS: Mapping[str, Callable[[], Model]] = MappingProxyType(
    {SKILL: lambda: Scripted(SKILL, write_notes), CHECKER: lambda: Scripted(CHECKER, check_project)}
)

NAMES = (*MODELS, *SCRIPTS)
"""What a manifest may ask for where these are known."""


def scripted_or_named(manifest: Manifest) -> Model:
    """The model that a manifest asks for. Raises ConfigurationError: there is none of that name."""
    script = SCRIPTS.get(manifest.model)
    return model_named(manifest) if script is None else script()


__all__ = ["NAMES", "SCRIPTS", "scripted_or_named"]
