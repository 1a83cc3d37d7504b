"""Arguments fit the schema that was registered, never the one that a provider was shown."""

from collections.abc import Callable, Iterable
from typing import Any, Protocol

from ..model.names import short
from ..model.principal import Principal
from ..model.tool import ToolSpec
from ..model.verdict import PERMIT, Deny, Verdict


class Problem(Protocol):
    """What is wrong, and the JSON pointer to it."""

    @property
    def pointer(self) -> str: ...

    @property
    def message(self) -> str: ...


class Fit(Protocol):
    """A compiled schema."""

    @property
    def is_valid(self) -> Callable[[Any], bool]: ...

    def errors(self, value: Any, /) -> Iterable[Problem]: ...


class Fitted(Protocol):
    """A tool with its compiled input schema."""

    @property
    def spec(self) -> ToolSpec: ...

    @property
    def fit(self) -> Fit: ...


def arguments_fit(principal: Principal, tool: Fitted, arguments: dict[str, Any] | None) -> Verdict:
    """The schema is asked whether, and only for a no also why."""
    if arguments is None:
        return PERMIT
    is_valid = tool.fit.is_valid
    if is_valid(arguments):
        return PERMIT
    name = short(tool.spec.name)
    found = "; ".join(f"{p.pointer or '/'}: {p.message}" for p in tool.fit.errors(arguments))
    return Deny(
        "invalid_arguments",
        f"the arguments of {name!r} do not fit its schema: {found or 'they could not be validated'}",
        remedy="send arguments that fit the tool's input schema",
    )
