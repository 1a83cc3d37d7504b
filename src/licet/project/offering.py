"""What a listed server says of its tools, and what about it a person should look at before believing it."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ..dialects.untrusted import escaped
from ..model.names import skeletons
from .draft import Offered
from .listing import Listed
from .locked import LockedTool

MOST_GRANTED = 200
"""Tools of one server that are granted by one yes: so many a person can read."""

_HARMLESS = str.maketrans("", "", "\n\r\t<>[")


class Offering(NamedTuple):
    """Own names of one server's ``tools``, which are so many.

    ``colliding`` may be mistaken for tools of others, ``hidden`` hold hidden characters; neither is in ``reading``.
    """

    reading: tuple[str, ...] = ()
    destructive: tuple[str, ...] = ()
    writing: tuple[str, ...] = ()
    unannotated: tuple[str, ...] = ()
    colliding: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    too_many: tuple[str, ...] = ()
    unusable: Mapping[str, str] = {}
    tools: int = 0

    def offered(self, *, believed: bool) -> Offered:
        """As it goes into the file."""
        other = {
            **dict.fromkeys(self.too_many, "is one of too many to grant at once"),
            **dict.fromkeys(self.writing, "says that it writes"),
            **dict.fromkeys(self.unannotated, "says nothing of what it does"),
            **dict.fromkeys(self.destructive, "says that it destroys"),
            **{own: "may be mistaken for another" for own in self.colliding if own not in self.unusable},
            **{own: "holds hidden characters" for own in self.hidden if own not in self.unusable},
        }
        return Offered(self.reading, dict(sorted(other.items())), believed)


def offerings(listed: Mapping[str, Listed]) -> dict[str, Offering]:
    """What each server offers, against what the others do. Keys stay as they are."""
    looks: dict[str, set[str]] = {}
    for server, answer in listed.items():
        for own in answer.server.tools:
            for look in skeletons(own):
                looks.setdefault(look, set()).add(server)
    return {server: _offering(answer, looks) for server, answer in listed.items()}


def _offering(answer: Listed, looks: Mapping[str, set[str]]) -> Offering:
    hidden = {own for own, tool in answer.server.tools.items() if _hides(tool)}
    colliding = {own for own in answer.server.tools if any(len(looks[look]) > 1 for look in skeletons(own))}
    kinds: dict[str, list[str]] = {"reading": [], "destructive": [], "writing": [], "unannotated": []}
    for own, tool in sorted(answer.server.tools.items()):
        kind = _kind(tool)
        if kind != "reading" or own not in hidden | colliding:
            kinds[kind].append(own)
    for own, aside in answer.quarantined.items():
        if aside.reason == "hidden_characters":
            hidden.add(own)
        elif aside.reason in ("confusable_name", "duplicate_name"):
            colliding.add(own)
    return Offering(
        **{kind: tuple(names[:MOST_GRANTED] if kind == "reading" else names) for kind, names in kinds.items()},
        too_many=tuple(kinds["reading"][MOST_GRANTED:]),
        colliding=tuple(sorted(colliding)),
        hidden=tuple(sorted(hidden)),
        unusable=answer.unusable,
        tools=len(answer.server.tools),
    )


def _kind(tool: LockedTool) -> str:
    claims = tool.definition.annotations
    if claims.destructive:
        return "destructive"
    if claims.read_only:
        return "reading"
    return "unannotated" if claims.read_only is None and claims.destructive is None else "writing"


def _hides(tool: LockedTool) -> bool:
    return any(escaped(shown) != shown for shown in (text.translate(_HARMLESS) for text in _texts(tool)))


def _texts(tool: LockedTool) -> Iterator[str]:
    """Every text that a model or a person would read."""
    definition = tool.definition
    yield definition.title or ""
    yield definition.description
    waiting: list[object] = [definition.input_schema.copy()]
    if definition.output_schema is not None:
        waiting.append(definition.output_schema.copy())
    while waiting:
        held = waiting.pop()
        if isinstance(held, str):
            yield held
        elif isinstance(held, dict):
            yield from held
            waiting.extend(held.values())
        elif isinstance(held, list):
            waiting.extend(held)


__all__ = ["MOST_GRANTED", "Offering", "offerings"]
