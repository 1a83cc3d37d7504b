"""Lowering: the registered JSON Schema of a tool, said as one wire can hold it, and a list of all that differs.

What a model writes by the lowered schema is decoded by it, and judged by the registered one alone. A loss says what
became of a keyword:

- ``dropped``: nothing is said of it; ``in the description``, perhaps ``, cut``: it is said in words.
- ``anyOf``, ``enum``, ``nullable``, ``prefixItems``, ``$ref #/$defs/Name``, ``exclusiveMinimum 0``: that stands there.
- ``merged``: of ``allOf``, into its holder; of several that say one thing, into one. ``in anyOf``: into each branch.
- ``inlined``: what a reference leads to stands there; ``any object``, ``any value``: it would have led in a circle.
- ``or null``, ``every property`` (of ``required``), ``false`` (of ``additionalProperties``): a strict wire wants it so.
- ``left out``: a ``false`` that no value fits; ``{}``: a ``true``. ``x_0123abcd for x y``: a property's other name.
- of ``strict``, at the root: ``dropped`` where a wire has none, ``false: PLACE WHY`` where the schema cannot be.

Types in capitals, and words after a description, are no losses.
"""

from .form import Form
from .lowered import Lowered
from .lowering import lowered

__all__ = ["Form", "Lowered", "lowered"]
