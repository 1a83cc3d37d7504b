"""The twelve tools of a workflow. Each judges its arguments, returns a command and changes nothing.

May not enter: the application of a command, files but through the ``Skills`` that are handed in, a model.
"""

from ..model.tool import ToolSpec
from ..model.workflow import TaskView
from .declare import GROUP, declare
from .kinds import KINDS, PAYLOADS, READ
from .rules import judge
from .schemas import SCHEMAS
from .skills import NoSkills, Skill, SkillHead, Skills, skill_tools
from .surfaces import validate

NAMES = tuple(SCHEMAS)
"""The twelve, as they are granted one by one; ``GROUP`` grants them all."""


def intrinsics(skills: Skills | None = None) -> tuple[ToolSpec, ...]:
    """All twelve, each with its handler. Without ``skills`` there are none to list."""
    return (*_plan(), *_people(), *skill_tools(skills or NoSkills()), _surface())


def _plan() -> tuple[ToolSpec, ...]:
    return (
        declare(
            "create_plan",
            "Make the plan",
            "Lay down the steps of this task and what each waits for. A later plan keeps the steps that are finished.",
        ),
        declare(
            "complete_step",
            "Finish a step",
            "Say that a step of the plan is done, and what came of it. The steps before it are finished first.",
        ),
        declare(
            "spawn_subtask",
            "Start a sub-task",
            "Give a part of the work to an agent, who may do at most what you may. Its result comes back as data.",
            idempotent=False,
        ),
    )


def _people() -> tuple[ToolSpec, ...]:
    return (
        declare(
            "ask_participant",
            "Ask somebody",
            "Ask a participant and wait: the work goes on when the answer is there.",
            idempotent=False,
        ),
        declare(
            "create_task_for_participant",
            "Give somebody a task",
            "Write down a task that a participant is to do.",
            idempotent=False,
        ),
        declare(
            "set_participant_role",
            "Change somebody's role",
            "Make a participant assignee, reporter, watcher or admin. Only an admin may, and a person confirms it.",
            asks=True,
        ),
    )


def _surface() -> ToolSpec:
    def checked(view: TaskView, arguments: dict[str, object]) -> dict[str, object]:
        validate(arguments["messages"])  # type: ignore[arg-type] # the schema says that they are objects
        return arguments

    return declare(
        "emit_ui",
        "Show something",
        "Show people a page: messages of A2UI v0.9. createSurface comes first, updateComponents needs a root.",
        idempotent=False,
        opens_files=True,
        finish=checked,
    )


__all__ = [
    "GROUP",
    "KINDS",
    "NAMES",
    "PAYLOADS",
    "READ",
    "SCHEMAS",
    "Skill",
    "SkillHead",
    "Skills",
    "intrinsics",
    "judge",
]
