"""Skills: instructions that somebody wrote for agents, with resources beside them, read when a task needs them.

A skill is pinned when it is loaded, and by ``licet run`` as a run begins: what is read of it later is that, or refused.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from ..model.names import short
from ..model.tool import ToolSpec
from ..model.workflow import TaskView
from .declare import declare
from .refusal import refusal


class SkillHead(NamedTuple):
    """A skill by its front matter. ``problem`` says why it cannot be used, and is empty where it can."""

    name: str
    description: str
    problem: str = ""
    tools: tuple[str, ...] = ()
    """Canonical names of the tools that it names."""


class Skill(NamedTuple):
    """A whole skill, as it was at one moment. ``digest`` covers every byte of it."""

    name: str
    description: str
    digest: str
    instructions: str
    tools: tuple[str, ...] = ()
    """Canonical names of tools that it is about; granted, they wait until it is loaded."""
    resources: Mapping[tuple[str, str], bytes] = {}
    """(folder, name of the file) -> what stands in it."""


class Skills(Protocol):
    """Where skills come from."""

    def listed(self) -> Sequence[SkillHead]:
        """All of them, by name."""
        ...

    def read(self, name: str, /) -> Skill:
        """One of them, whole.

        Raises:
            ToolFailedError: ``unknown_skill``, or ``bad_skill``: it is there and cannot be used.
        """
        ...


class NoSkills:
    """The skills of somebody who has none."""

    def listed(self) -> Sequence[SkillHead]:
        return ()

    def read(self, name: str, /) -> Skill:
        raise refusal("unknown_skill", f"there is no skill {name!r}; list_skills names those that there are")


def skill_tools(skills: Skills) -> tuple[ToolSpec, ...]:
    """The five that are about skills."""

    def list_skills(view: TaskView, arguments: dict[str, Any]) -> Mapping[str, Any]:
        held = {skill.name for skill in view.state.skills}
        found = skills.listed()
        return {
            "skills": [
                {
                    "name": head.name,
                    "description": head.description,
                    "loaded": head.name in held,
                    "tools": list(map(short, head.tools)),
                }
                for head in found
                if not head.problem
            ],
            "unusable": [{"name": head.name, "problem": head.problem} for head in found if head.problem],
        }

    def load(view: TaskView, arguments: dict[str, Any]) -> Mapping[str, Any]:
        found = skills.read(arguments["name"])
        told = {"instructions": found.instructions, "tools": list(found.tools)}
        return {"name": found.name, "digest": found.digest, **told}

    def unload(view: TaskView, arguments: dict[str, Any]) -> Mapping[str, Any]:
        name = arguments["name"]
        known = {skill.name for skill in view.state.skills} | {head.name for head in skills.listed()}
        if name not in known:
            raise refusal("unknown_skill", f"there is no skill {name!r}; list_skills names those that there are")
        return arguments

    def list_resources(view: TaskView, arguments: dict[str, Any]) -> Mapping[str, Any]:
        found = loaded(view, skills, arguments["name"])
        return {
            "name": found.name,
            "resources": [
                {"kind": kind, "resource": name, "bytes": len(data)}
                for (kind, name), data in sorted(found.resources.items())
            ],
        }

    def load_resource(view: TaskView, arguments: dict[str, Any]) -> Mapping[str, Any]:
        found = loaded(view, skills, arguments["name"])
        data = found.resources.get((arguments["kind"], arguments["resource"]))
        if data is None:
            raise refusal("unknown_resource", "the skill has no such resource; list_skill_resources names them")
        return {**arguments, "text": text_of(data)}

    return (
        declare(
            "list_skills",
            "List skills",
            "The skills that there are: names, what each is for, and whether it is loaded.",
            opens_files=True,
            finish=list_skills,
        ),
        declare(
            "load_skill",
            "Load a skill",
            "Read a skill's instructions and keep it loaded, as it is now. Granted tools that it names join next turn.",
            opens_files=True,
            finish=load,
        ),
        declare("unload_skill", "Unload a skill", "Stop keeping a skill loaded.", opens_files=True, finish=unload),
        declare(
            "list_skill_resources",
            "List a skill's resources",
            "The files beside a loaded skill: scripts, references and assets.",
            opens_files=True,
            finish=list_resources,
        ),
        declare(
            "load_skill_resource",
            "Read a skill's resource",
            "One text file of a loaded skill. A script is read, never run.",
            opens_files=True,
            finish=load_resource,
        ),
    )


def loaded(view: TaskView, skills: Skills, name: str) -> Skill:
    """A skill that is loaded, and still is what was loaded."""
    pinned = next((skill.digest for skill in view.state.skills if skill.name == name), None)
    if pinned is None:
        raise refusal("not_loaded", f"the skill {name!r} is not loaded; load_skill does that")
    found = skills.read(name)
    if found.digest != pinned:
        raise refusal("skill_changed", f"the skill {name!r} changed since it was loaded; unload it, then load it again")
    return found


def text_of(data: bytes) -> str:
    """What stands in a file. Raises ToolFailedError, ``binary_resource``: it is no text."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        raise refusal("binary_resource", "this file is no text in UTF-8, and only text is read")
    return text
