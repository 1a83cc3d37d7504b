"""What a wire format could not hold."""

from typing import NamedTuple


class Loss(NamedTuple):
    """One keyword of a registered schema that reaches the provider otherwise than it was written.

    ``path`` is the JSON pointer of the subschema in the registered schema, ``keyword`` stands there, and ``became``
    says what came of it: ``dropped``, ``in the description``, or what stands in its place. Calls are judged by the
    registered schema all the same.
    """

    tool: str
    path: str
    keyword: str
    became: str


__all__ = ["Loss"]
