"""The dialect of guided decoding: a principal's tools as the grammar of one call.

A call that was not granted cannot even be written under it. What a grammar cannot hold is on the list of losses, and
the corridor judges every call by its registered schema all the same.
"""

from .bounds import MOST_BYTES
from .compiled import DIALECT, Compiled, compile

__all__ = ["DIALECT", "MOST_BYTES", "Compiled", "compile"]
