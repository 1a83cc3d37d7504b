"""What the wire of one provider can hold of a tool: the facts that lowering goes by."""

from dataclasses import dataclass
from typing import Literal

Names = Literal["words", "identifiers"]
"""``words``: letters, digits, ``_`` and ``-``; ``identifiers``: without ``-``. Both begin with a letter or ``_``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """One wire. What a field names is held as it was written; everything else is said otherwise, and is a loss."""

    name: str
    """As in messages, such as ``openai_chat`` or ``openai strict``."""

    keywords: frozenset[str] | None = None
    """JSON Schema keywords that are held; None: every one."""

    root: frozenset[str] | None = None
    """Those of them that may stand at the root; None: all."""

    formats: frozenset[str] | None = None
    """Values of ``format`` that are held; None: every one."""

    type_lists: bool = True
    """Whether ``type`` may be a list. Otherwise it becomes ``anyOf``, or ``nullable``."""

    nullable: bool = False
    """Whether null is said by ``nullable: true``, as OpenAPI 3.0 does it."""

    uppercase: bool = False
    """Whether types are written ``STRING``."""

    text_enums: bool = False
    """Whether ``enum`` holds texts only."""

    booleans: bool = True
    """Whether ``true`` and ``false`` are schemas."""

    references: bool = True
    """Whether ``$ref`` leads into ``$defs``. Otherwise what it leads to stands in its place."""

    recursion: bool = True
    """Whether a ``$ref`` may lead back to where it stands."""

    strict: bool = False
    """Whether what a model writes is held to the schema: every object is closed, and says what it holds."""

    requires_all: bool = False
    """Whether every property is required, so that an optional one is given as null."""

    most_properties: int | None = None
    """Properties in one schema; None: no limit is known."""

    most_levels: int | None = None
    """Objects and arrays inside each other; None: no limit is known."""

    most_values: int | None = None
    """Values of all ``enum`` together; None: no limit is known."""

    property_names: str | None = None
    """A pattern (``re``, whole) for names of properties; None: any text."""

    names: Names = "words"
    """Of tools."""

    needs_description: bool = False
    """Whether an empty description is refused; the name stands in for it, or the key is left out."""

    may_omit_parameters: bool = False
    """Whether a tool without arguments may do without a schema. Lowering always gives one."""


__all__ = ["Form", "Names"]
