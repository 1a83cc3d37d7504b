"""What is said to whoever uses an adapter without its framework."""

from importlib import import_module

from ..errors import ConfigurationError


def need(module: str, extra: str) -> None:
    """Raises ConfigurationError: the framework is not installed; the message names the extra that brings it."""
    try:
        import_module(module)
    except ModuleNotFoundError as exc:
        missing = exc.name or module
        raise ConfigurationError(f"the package {missing} is not installed; run: pip install 'licet[{extra}]'") from None


__all__ = ["need"]
