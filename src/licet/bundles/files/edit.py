"""``edit``: parts of a file, each named by its old text."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from ...errors import ToolFailedError
from ...model.context import CallContext
from ...workspace.content import digest_of
from ...workspace.failure import not_found
from .declare import closed_object, editor, path_property
from .diff import changes
from .read import MAX_FILE_BYTES, refuse_binary
from .write import WRITTEN, restore, text_bytes

MAX_EDITS = 200


class Change(NamedTuple):
    """One edit in its place; ``number`` is its place in the request, from 1."""

    start: int
    end: int
    number: int
    new: bytes


def edit(context: CallContext, path: str, edits: list[dict[str, str]]) -> dict[str, Any]:
    """Apply every edit to the file as it was read, or none."""
    workspace = context.workspace
    with workspace.target(path) as target:
        before = target.read(MAX_FILE_BYTES)
        if before is None:
            raise not_found(target.shown)
        refuse_binary(before, target.shown)
        digest = digest_of(before)
        _refuse_unread(workspace.reads.known(target.key), digest, target.shown)
        after = applied(before, placed(before, edits))
        written = workspace.replace(target, after, expected_digest=digest)
    return {
        "path": written.shown,
        "edits": len(edits),
        "bytes": len(after),
        "digest": written.digest,
        **changes(before, after, written.shown),
    }


def checkpoint(arguments: dict[str, Any], context: CallContext) -> dict[str, Any]:
    """Keep what is there now; the token puts it back."""
    edits = arguments["edits"]
    return context.workspace.journal.checkpoint(arguments["path"], lambda text: applied(text, placed(text, edits)))


def placed(text: bytes, edits: Sequence[dict[str, str]]) -> list[Change]:
    """Each edit where its old text stands, in the order of the text; every one is checked.

    Raises:
        ToolFailedError: ``edit_target_not_found``, ``edit_target_not_unique``, ``edit_overlap``.
    """
    changes = sorted(_placed(text, one, number) for number, one in enumerate(edits, start=1))
    for one, following in pairwise(changes):
        if following.start < one.end:
            raise ToolFailedError(
                f"edits {one.number} and {following.number} touch the same text; make one edit of them",
                reason="edit_overlap",
            )
    return changes


def applied(text: bytes, changes: Sequence[Change]) -> bytes:
    """The text with every change made."""
    parts = []
    position = 0
    for change in changes:
        parts += [text[position : change.start], change.new]
        position = change.end
    return b"".join([*parts, text[position:]])


def _placed(text: bytes, one: dict[str, str], number: int) -> Change:
    old, new = text_bytes(one["old_text"]), text_bytes(one["new_text"])
    start = text.find(old) if old else -1
    if start < 0:
        hint = "; the file's lines end with \\r\\n" if b"\n" in old and b"\r\n" in text and b"\r\n" not in old else ""
        raise ToolFailedError(
            f"the old text of edit {number} does not stand in the file; copy it exactly as read shows it{hint}",
            reason="edit_target_not_found",
        )
    again = text.find(old, start + 1)
    if again >= 0:
        lines = [text.count(b"\n", 0, at) + 1 for at in (start, again)]
        raise ToolFailedError(
            f"the old text of edit {number} stands more than once, first in lines {lines[0]} and {lines[1]}; "
            "include more of what is around it",
            reason="edit_target_not_unique",
        )
    return Change(start, start + len(old), number, new)


def _refuse_unread(known: str | None, digest: str, shown: str) -> None:
    if known is None:
        raise ToolFailedError(f"{shown!r} was not read in this run; read it first", reason="edit_requires_read")
    if known != digest:
        raise ToolFailedError(f"{shown!r} was changed since it was read; read it again", reason="edit_stale")


SPEC = editor(
    "edit",
    "Change parts of a text file that was read before. Each old_text has to stand exactly once in the file as it was "
    "read, and no two may overlap; all edits are made, or none. Gives a diff.",
    edit,
    title="Edit a file",
    input_schema=closed_object(
        {
            "path": path_property(),
            "edits": {
                "type": "array",
                "minItems": 1,
                "maxItems": MAX_EDITS,
                "items": closed_object(
                    {
                        "old_text": {"type": "string", "minLength": 1, "description": "Exactly as it stands there."},
                        "new_text": {"type": "string"},
                    },
                    required=("old_text", "new_text"),
                ),
            },
        },
        required=("path", "edits"),
    ),
    output_schema=closed_object(
        {**WRITTEN, "edits": {"type": "integer"}},
        required=("path", "edits", "bytes", "digest", "diff"),
    ),
    checkpoint=checkpoint,
    restore=restore,
)
