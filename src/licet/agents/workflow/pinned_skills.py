"""Skills as they were when a run began: what changed since, or came since, is refused for the rest of it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from ...errors import ToolFailedError
from ...intrinsics import NAMES
from ...intrinsics.refusal import refusal
from ...intrinsics.skills import Skill, SkillHead, Skills
from ...model.names import canonical

_CHANGED = "it changed since the run began, and a run keeps the skills that it began with"


_INTRINSICS = frozenset(map(canonical, NAMES))


class Pin(NamedTuple):
    """A skill as it was at one moment: the digest of all of it, and the tools that it names."""

    digest: str
    tools: tuple[str, ...] = ()


class PinnedSkills:
    """``pins`` are digests by name, as the beginning of the run noted them."""

    def __init__(self, skills: Skills, pins: Mapping[str, str]) -> None:
        self._skills = skills
        self._pins = dict(pins)

    def listed(self) -> Sequence[SkillHead]:
        """Every skill by name; one that is not as it was says so."""
        return list(map(self._told, self._skills.listed()))

    def read(self, name: str, /) -> Skill:
        """One skill, whole. Raises ToolFailedError: ``skill_changed``, or what the skills themselves raise."""
        found = self._skills.read(name)
        if found.digest != self._pins.get(name):
            raise refusal("skill_changed", f"the skill {name!r}: {_CHANGED}; begin another run")
        return found

    def _told(self, head: SkillHead) -> SkillHead:
        if head.problem:
            return head
        try:
            self.read(head.name)
        except ToolFailedError:
            return SkillHead(head.name, "", _CHANGED)
        return head


def pins_of(skills: Skills) -> dict[str, Pin]:
    """Each skill that can be used, by name."""
    return dict(_pins(skills))


def behind(pins: Iterable[Pin]) -> tuple[str, ...]:
    """The tools that wait for these skills. Intrinsics wait for none: without them nothing could be loaded."""
    return tuple(sorted({tool for pin in pins for tool in pin.tools} - _INTRINSICS))


def _pins(skills: Skills) -> Iterator[tuple[str, Pin]]:
    for head in skills.listed():
        if not head.problem:
            try:
                found = skills.read(head.name)
            except ToolFailedError:  # it went in this very moment
                continue
            yield head.name, Pin(found.digest, found.tools)
