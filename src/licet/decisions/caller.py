"""Whoever calls a tool of the engine, as the operator's file knows it."""

from typing import NamedTuple


class Caller(NamedTuple):
    """``key_id`` names a key and is none. ``may_execute`` is what the role permits; ``enabled`` is what the file says
    of the key, until the operator switches it.
    """

    key_id: str
    tenant: str
    role: str
    may_execute: bool = False
    enabled: bool = False


__all__ = ["Caller"]
