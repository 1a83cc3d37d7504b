"""Arguments fit the schema that was registered, never the one that a provider was shown."""

from collections.abc import Callable, Iterable
from typing import Any, Protocol

from ..model.names import short
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


def arguments_fit(spec: ToolSpec, fit: Fit, arguments: dict[str, Any] | None) -> Verdict:
    if arguments is None or fit.is_valid(arguments):
        return PERMIT
    found = "; ".join(f"{p.pointer or '/'}: {p.message}" for p in fit.errors(arguments))
    return Deny(
        "invalid_arguments",
        f"the arguments of {short(spec.name)!r} do not fit its schema: {found or 'they could not be validated'}",
        remedy="send arguments that fit the tool's input schema",
    )
