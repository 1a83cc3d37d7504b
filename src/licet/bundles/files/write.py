"""``write``: a whole file, new or replaced."""

from typing import Any

from ...errors import ToolFailedError
from ...model.context import CallContext
from ...workspace.target import Target
from .declare import closed_object, editor, path_property
from .diff import changes

MAX_COMPARED_BYTES = 1024 * 1024
"""Of the file that is replaced; a larger one is replaced without a diff."""

WRITTEN = {
    "path": {"type": "string"},
    "bytes": {"type": "integer"},
    "digest": {"type": "string", "description": "SHA-256 of the file as it is now."},
    "diff": {"type": "string", "description": "A unified diff of what changed."},
    "diff_truncated": {"type": "boolean", "description": "The diff does not tell everything."},
}


def write(context: CallContext, path: str, content: str) -> dict[str, Any]:
    """Put ``content`` there in one step, making the folders it needs."""
    data = text_bytes(content)
    workspace = context.workspace
    with workspace.target(path) as target:
        before = _before(target)
        written = workspace.replace(target, data, create_parents=True)
    told = {"diff": "", "diff_truncated": True} if before is None else changes(before, data, written.shown)
    return {
        "path": written.shown,
        "created": written.created,
        "bytes": len(data),
        "digest": written.digest,
        **told,
    }


def text_bytes(text: str) -> bytes:
    """UTF-8. Raises ToolFailedError: the text holds half of a surrogate pair."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise ToolFailedError("the text holds a lone surrogate, which no file can", reason="bad_text") from None


def checkpoint(arguments: dict[str, Any], context: CallContext) -> dict[str, Any]:
    """Keep what is there now; the token puts it back."""
    return context.workspace.journal.checkpoint(arguments["path"], lambda before: text_bytes(arguments["content"]))


def restore(token: Any, context: CallContext) -> None:
    """Put back what a checkpoint kept, unless the file was changed by something else since."""
    context.workspace.journal.restore(token)


def _before(target: Target) -> bytes | None:
    """What is replaced, empty for nothing; None: it is too large to compare."""
    try:
        return target.read(MAX_COMPARED_BYTES) or b""
    except ToolFailedError as exc:
        if exc.reason != "too_large":
            raise
        return None


SPEC = editor(
    "write",
    "Write a text file, replacing what is there; folders on the way are made. Gives a diff. To change a part of a "
    "file, use edit.",
    write,
    title="Write a file",
    input_schema=closed_object(
        {
            "path": path_property(),
            "content": {"type": "string", "description": "The whole new text."},
        },
        required=("path", "content"),
    ),
    output_schema=closed_object(
        {**WRITTEN, "created": {"type": "boolean", "description": "There was no such file before."}},
        required=("path", "created", "bytes", "digest", "diff"),
    ),
    checkpoint=checkpoint,
    restore=restore,
)
