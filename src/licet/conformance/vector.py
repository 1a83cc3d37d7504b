"""The vectors: what is set up, what is asked, and what has to be seen. They are JSON, for every language."""

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pkgutil import get_data
from typing import Any, NamedTuple

from ..errors import ConfigurationError

SUITES = ("core", "profile")
SCHEMA = "vectors/vector.schema.json"


class Vector(NamedTuple):
    """One promise and how it is tried. ``tools`` and ``steps`` are as the schema of vectors says.

    ``options`` are what the runtime is asked for besides tools; ``engine`` is the reference engine's configuration.
    ``foreign`` says how it is tried on a server whose tools are its own; None: it cannot be. ``needs`` is what not
    every subject has: ``call id``, ``text`` (arguments as a model wrote them), ``exception`` (of the tool's own code),
    ``approval`` (a person who is asked).
    """

    id: str
    suite: str
    title: str
    tools: tuple[Mapping[str, Any], ...]
    steps: tuple[Mapping[str, Any], ...]
    options: Mapping[str, Any]
    engine: Mapping[str, Any] | None
    foreign: str | None
    needs: tuple[str, ...] = ()

    @property
    def topic(self) -> str:
        """The part of the id before the dot."""
        return self.id.partition(".")[0]

    @property
    def profile(self) -> str | None:
        """The profile that it is about, if it is about one."""
        named = self.options.get("profile")
        return named if isinstance(named, str) else None


@cache
def vectors() -> tuple[Vector, ...]:
    """All that come with licet, core first, in the order of their files."""
    return tuple(vector for suite in SUITES for vector in _read(suite))


def chosen(suites: Sequence[str] = (), profiles: Sequence[str] = (), only: Iterable[str] = ()) -> tuple[Vector, ...]:
    """The vectors of these suites; of the profile suite only those about these profiles; of all only those named.

    Raises:
        ConfigurationError: there is no such suite, profile or vector.
    """
    from ..profiles import profile

    for suite in suites:
        if suite not in SUITES:
            raise ConfigurationError(f"there is no suite {suite!r}; use {' or '.join(SUITES)}")
    for name in profiles:
        profile(name)
    wanted = set(only)
    unknown = wanted - {vector.id for vector in vectors()}
    if unknown:
        raise ConfigurationError(f"there is no vector {min(unknown)!r}; licet conformance --list shows all")
    return tuple(
        vector
        for vector in vectors()
        if (not suites or vector.suite in suites)
        and (not profiles or vector.suite != "profile" or vector.profile in profiles)
        and (not wanted or vector.id in wanted)
    )


def _read(suite: str) -> list[Vector]:
    document = json.loads(get_data(__package__, f"vectors/{suite}.json") or b"{}")
    return [
        Vector(
            one["id"],
            suite,
            one["title"],
            tuple(document["tools"][name] if isinstance(name, str) else name for name in one["tools"]),
            tuple(one["steps"]),
            one.get("options", {}),
            one.get("engine"),
            one.get("foreign"),
            tuple(one.get("needs", ())),
        )
        for one in document["vectors"]
    ]


__all__ = ["SCHEMA", "SUITES", "Vector", "chosen", "vectors"]
