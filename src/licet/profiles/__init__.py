"""Profiles: which of an engine's tools an integration exposes, and which arguments no model may see.

The contract file says it for every language; ``shipped()`` is that file. Asking for a profile sets grants and the mode.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .fields import Fields
    from .flat import flat_name, flat_names
    from .guard import answers_at_once, fields_of, guarded
    from .holder import grant, principal
    from .omission import missing
    from .scrub import Scrubbed, scrubbed
    from .strip import stripped
    from .terms import DEFAULT, Contract, Profile, load, profile, shipped
    from .withheld import withheld_arguments

_HOME = {
    "DEFAULT": "terms",
    "Contract": "terms",
    "Fields": "fields",
    "Profile": "terms",
    "Scrubbed": "scrub",
    "answers_at_once": "guard",
    "fields_of": "guard",
    "flat_name": "flat",
    "flat_names": "flat",
    "grant": "holder",
    "guarded": "guard",
    "load": "terms",
    "missing": "omission",
    "principal": "holder",
    "profile": "terms",
    "scrubbed": "scrub",
    "shipped": "terms",
    "stripped": "strip",
    "withheld_arguments": "withheld",
}

__all__ = [
    "DEFAULT",
    "Contract",
    "Fields",
    "Profile",
    "Scrubbed",
    "answers_at_once",
    "fields_of",
    "flat_name",
    "flat_names",
    "grant",
    "guarded",
    "load",
    "missing",
    "principal",
    "profile",
    "scrubbed",
    "shipped",
    "stripped",
    "withheld_arguments",
]


def __getattr__(name: str) -> Any:
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module 'licet.profiles' has no attribute {name!r}")
    value = getattr(import_module(f".{home}", __name__), name)
    globals()[name] = value
    return value
