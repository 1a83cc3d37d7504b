"""Models by the names under which manifests and the command line ask for them: ``openai:NAME`` and the like."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from ..errors import ConfigurationError
from ..ports import Model
from .listener import Listener

MOST_NAME = 256


def _openai(name: str, listener: Listener | None) -> Model:
    from .openai import OpenAI

    return OpenAI(name, listener=listener)


def _anthropic(name: str, listener: Listener | None) -> Model:
    from .anthropic import Anthropic

    return Anthropic(name, listener=listener)


def _google(name: str, listener: Listener | None) -> Model:
    from .google import Google

    return Google(name, listener=listener)


def _bedrock(name: str, listener: Listener | None) -> Model:
    from .bedrock import Bedrock

    return Bedrock(name, listener=listener)


def _local(listener: Listener | None) -> Model:
    from .local import Local

    return Local()


def _local_file(path: str, listener: Listener | None) -> Model:
    from .local import Local

    return Local(path)


PROVIDERS: Mapping[str, Callable[[str, Listener | None], Model]] = MappingProxyType(
    {"openai": _openai, "anthropic": _anthropic, "google": _google, "bedrock": _bedrock, "local": _local_file}
)
"""What stands before the colon, and what makes a model of the rest."""

WHOLE_NAMES: Mapping[str, Callable[[Listener | None], Model]] = MappingProxyType({"local": _local})
"""Names that stand alone."""


def is_provided(text: str) -> bool:
    """Whether this names a model of a provider; there may be none of that name."""
    provider, colon, name = text.partition(":")
    return text in WHOLE_NAMES or bool(
        colon
        and provider in PROVIDERS
        and name
        and len(text) <= MOST_NAME
        and name.isprintable()
        and name == name.strip()
    )


def told() -> tuple[str, ...]:
    """The names that there are, for a message."""
    return (*WHOLE_NAMES, *(f"{provider}:NAME" for provider in PROVIDERS))


def model_from(text: str, *, listener: Listener | None = None) -> Model:
    """The model of this name. Nothing is sent. With a ``listener`` its answers are streamed, where it can.

    Raises:
        ConfigurationError: it names no provider.
        ProviderSetupError: the provider's package or key is missing.
    """
    if text in WHOLE_NAMES:
        return WHOLE_NAMES[text](listener)
    if not is_provided(text):
        raise ConfigurationError(f"{text[:80]!r} names no model; use one of {', '.join(told())}")
    provider, _, name = text.partition(":")
    return PROVIDERS[provider](name, listener)


__all__ = ["MOST_NAME", "PROVIDERS", "WHOLE_NAMES", "is_provided", "model_from", "told"]
