"""What a remote tool answered, where it is more than a JSON value."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from ..errors import ToolFailedError

Block = dict[str, Any]
"""One content block of the Model Context Protocol: text, image, audio, a resource or a link to one."""


class Answer(NamedTuple):
    """``output`` is the value that a caller sees; ``blocks`` and ``structured`` are what came, for whoever hands it on.

    ``structured`` is None where the server gave no structured content.
    """

    output: Any
    blocks: tuple[Block, ...] = ()
    structured: Any = None
    marks: tuple[tuple[str, Any], ...] = ()
    """What the way to the tool has to say about this answer, for the result's metadata."""


class FailedAnswer(ToolFailedError):  # noqa: N818 - it says what came
    """The tool ran and said that it failed. The message is the server's own text."""

    def __init__(
        self,
        message: str,
        *,
        tool_name: str = "",
        reason: str = "",
        blocks: Iterable[Block] = (),
        structured: Any = None,
    ) -> None:
        super().__init__(message, tool_name=tool_name, reason=reason)
        self.blocks = tuple(blocks)
        self.structured = structured
