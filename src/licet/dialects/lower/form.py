"""What the wire of one provider can hold of a tool: the facts that lowering goes by."""

from dataclasses import dataclass
from typing import Literal

Names = Literal["words", "identifiers"]
"""``words``: letters, digits, ``_`` and ``-``; ``identifiers``: without ``-``. Both begin with a letter or ``_``."""

NOTHING: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Form:
    """One wire. What a field names is held as it was written; everything else is said otherwise, and is a loss.

    A form is equal to itself alone, so that a cache finds what belongs to it at once.
    """

    name: str
    """As in messages, such as ``openai_chat`` or ``openai strict``."""

    whole: bool = False
    """Whether a JSON Schema goes over as it is, whatever it says."""

    keywords: frozenset[str] | None = None
    """JSON Schema keywords that are held; None: every one."""

    root: frozenset[str] | None = None
    """Those of them that may stand at the root; None: all."""

    not_at_root: frozenset[str] = NOTHING
    """Those of them that may not stand at the root."""

    formats: frozenset[str] | None = None
    """Values of ``format`` that are held; None: every one."""

    plain_patterns: bool = False
    """Whether a ``pattern`` that looks around is refused."""

    most_min_items: int | None = None
    """The largest ``minItems`` that is held; None: any."""

    type_lists: bool = True
    """Whether ``type`` may be a list. Otherwise it becomes ``nullable`` or ``anyOf``."""

    nullable: bool = False
    """Whether null is said by ``nullable: true``, as OpenAPI 3.0 does it."""

    uppercase: bool = False
    """Whether types are written ``STRING``."""

    text_enums: bool = False
    """Whether ``enum`` holds texts only."""

    any_of_alone: bool = False
    """Whether nothing may stand beside ``anyOf``."""

    booleans: bool = True
    """Whether ``true`` and ``false`` are schemas. ``additionalProperties`` may be one wherever it is held."""

    references: bool = True
    """Whether ``$ref`` leads into ``$defs``. Otherwise what it leads to stands in its place."""

    reference_alone: bool = False
    """Whether nothing may stand beside ``$ref``."""

    recursion: bool = True
    """Whether a ``$ref`` may lead back to where it stands."""

    strict: bool = False
    """Whether what a model writes is held to the schema: every object is closed, and everything has a type."""

    requires_all: bool = False
    """Whether every property is required, so that an optional one is given as null."""

    most_properties: int | None = None
    """Properties in one schema; None: no limit is known. So for the following."""

    most_levels: int | None = None
    """Objects inside each other, the root included, of the schema and of each definition for itself."""

    most_values: int | None = None
    """Values of all ``enum`` together."""

    most_characters: int | None = None
    """Characters of all names and values together."""

    property_names: str | None = None
    """A pattern (``re``, whole) that the names of properties match; None: any text."""

    property_names_at_root: bool = False
    """Whether only the names at the root are looked at."""

    names: Names = "words"
    """Of tools."""

    needs_description: bool = False
    """Whether a description may not be empty. The dialect then leaves the key out."""

    may_omit_parameters: bool = False
    """Whether a tool without arguments may do without a schema. Lowering gives one all the same."""

    otherwise: "Form | None" = None
    """Of a strict form: what a tool is lowered to that cannot be held to its schema."""

    def holds(self, keyword: str, *, at_root: bool = False) -> bool:
        """Whether a keyword may stand on the wire as it was written."""
        if at_root and (keyword in self.not_at_root or (self.root is not None and keyword not in self.root)):
            return False
        return self.keywords is None or keyword in self.keywords


__all__ = ["Form", "Names"]
