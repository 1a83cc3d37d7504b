"""A bug that is planted, so that a fuzzer shows that it finds one."""

from collections.abc import Callable
from typing import NamedTuple


class Flaw(NamedTuple):
    """``seeds`` are what the fuzzer begins with: they do not show the flaw."""

    name: str
    plant: Callable[[], None]
    seeds: list[str]
