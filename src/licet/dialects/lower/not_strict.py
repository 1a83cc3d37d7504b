"""Why a model cannot be held to a schema."""

from ...schema.pointer import legible, pointer
from .document import Path


class NotStrict(Exception):  # noqa: N818 - it names what the schema cannot be
    """A strict wire cannot say what this schema takes. ``why`` says where and what stands against it."""

    def __init__(self, path: Path, why: str) -> None:
        super().__init__(why)
        self.why = f"{legible(pointer(path)) or 'the root'} {why}"


__all__ = ["NotStrict"]
