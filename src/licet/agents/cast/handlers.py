"""What acts when an agent's turn comes, by the name under which a manifest asks for it."""

import inspect
from collections.abc import Awaitable, Callable, Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol, cast

from ...errors import ConfigurationError
from ...model.event import Event
from ...project.manifest import GENERIC, Manifest
from .fortune_teller import FortuneTeller
from .generic import generic
from .scene import Scene

if TYPE_CHECKING:
    from .agent import ManifestAgent


class Handler(Protocol):
    """An async function of the agent and the scene, or an object that is called like one. It holds no tool either."""

    def __call__(self, agent: "ManifestAgent", scene: Scene, /) -> Awaitable[Iterable[Event]]: ...


_BY_NAME: dict[str, Callable[..., Any]] = {GENERIC: generic, "fortune-teller": FortuneTeller}

HANDLERS: Mapping[str, Callable[..., Any]] = MappingProxyType(_BY_NAME)
"""Functions, and classes of which each agent gets an object of its own."""


def register_handler(name: str, handler: Callable[..., Any], *, replace: bool = False) -> None:
    """Let manifests that are read from now on ask for a handler by this name.

    Raises:
        ConfigurationError: the name is taken, or it is no handler.
    """
    if not callable(handler):
        raise ConfigurationError(f"{handler!r} is no handler; give an async function, or a class of such objects")
    if name in _BY_NAME and not replace:
        raise ConfigurationError(f"there is a handler {name!r} already; use another name, or replace=True")
    _BY_NAME[name] = handler


def handler_named(manifest: Manifest, handlers: Mapping[str, Callable[..., Any]]) -> Handler:
    """The handler that a manifest asks for. Raises ConfigurationError: there is none of that name."""
    found = handlers.get(manifest.handler)
    if found is None:
        known = ", ".join(sorted(handlers)) or "none"
        raise manifest.wrong(("handler",), f"there is no handler {manifest.handler!r}; there is {known}")
    return cast(Handler, found() if inspect.isclass(found) else found)


__all__ = ["HANDLERS", "Handler", "handler_named", "register_handler"]
