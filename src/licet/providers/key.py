"""Keys and packages of providers: where they come from, and what is said where one is missing."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from ..errors import ProviderSetupError


class Key:
    """A key that shows itself to nobody who does not ask for it."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        return self._value

    def hidden_in(self, text: str) -> str:
        """The text without the key."""
        return text.replace(self._value, "***") if len(self._value) >= 4 else text

    def __repr__(self) -> str:
        return "Key(***)"

    def __reduce__(self) -> Any:
        raise TypeError("a Key is not copied")


def key_from(environ: Mapping[str, str], *names: str, extra: str) -> Key:
    """The first of these variables that is set and not empty.

    Raises:
        ProviderSetupError: none is, or it is no key.
    """
    for name in names:
        value = environ.get(name, "").strip()
        if value:
            if not value.isascii() or not value.isprintable() or " " in value:
                raise ProviderSetupError(f"{name} holds characters that no key has; set it again", reason="missing_key")
            return Key(value)
    told = " or ".join(names)
    raise ProviderSetupError(f"{told} is not set; {extra} takes its key from there", reason="missing_key")


def sdk(module: str, *, extra: str) -> Any:
    """An SDK's module.

    Raises:
        ProviderSetupError: it is not installed.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as exc:
        missing = exc.name or module
    told = f"the package {missing} is not installed; run: pip install 'licet[{extra}]'"
    raise ProviderSetupError(told, reason="missing_extra")


__all__ = ["Key", "key_from", "sdk"]
