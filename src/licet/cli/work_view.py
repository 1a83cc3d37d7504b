"""A workflow as a person reads it: the task, its plan, its people, what was asked, what others did."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from . import output
from .output import Cell, Styled

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..model.entry import Entry
    from ..model.workflow import Question, State, Step, Task

_STYLES: Mapping[str, str] = {
    "done": "green",
    "failed": "red",
    "input_required": "yellow",
    "open": "cyan",
    "waits": "dim",
}
_MOST = 200
"""Characters of one text."""

Row = tuple[Cell, ...]


def workflow_of(entries: "Iterable[Entry]") -> "State | str | None":
    """Where a run's workflow stands; a text if the entries do not lead where they say, None where none began."""
    from ..agents.workflow.replay import ReplayError, replay

    try:
        found = replay(entries)
    except ReplayError as exc:
        return str(exc)
    return None if found is None else found.state


def document(found: "State | str | None") -> dict[str, Any] | None:
    """The same for a program."""
    if found is None or isinstance(found, str):
        return None if found is None else {"problem": found}
    return {"digest": found.digest(), **found.document()}


def draw(found: "State | str") -> None:
    """On standard output; a terminal shows colours, everybody else plain columns."""
    if isinstance(found, str):
        output.styled_line(Styled("its workflow does not replay", "bold red"), f"  {found}")
        return
    first = found.tasks[0]
    output.styled_line(Styled(first.name, "bold underline"), "  ", _standing(first.standing))
    output.styled_line(Styled(_cut(first.goal), "italic"))
    _part("plan", [_step(step, found) for step in found.plan])
    _part("people", [(Styled(p.id, "bold"), f"{p.role}, {p.kind}") for p in found.participants])
    _part("questions", [_question(asked) for asked in found.questions])
    _part("sub-tasks", [_task(task) for task in found.tasks[1:]])
    _part("skills", [(Styled(skill.name, "bold"), f"{skill.digest[:19]}...") for skill in found.skills])
    if found.surfaces:
        _part("pages", [(f"{len(found.surfaces)} shown", "licet run --ui FILE, or licet resume --ui FILE, draws them")])
    output.line()


def _part(title: str, rows: list[Row]) -> None:
    """A heading and its rows, whose cells stand below each other."""
    if not rows:
        return
    output.styled_line(Styled(title, "dim"))
    widths = [max(output.width(_text(row[at])) for row in rows) for at in range(min(map(len, rows)))]
    for row in rows:
        output.styled_line(*_padded(row, widths), indent=2)


def _padded(row: Row, widths: list[int]) -> Iterator[Cell]:
    for at, cell in enumerate(row):
        yield cell
        if at < len(row) - 1:
            yield " " * (2 + (widths[at] - output.width(_text(cell)) if at < len(widths) else 0))


def _step(step: "Step", state: "State") -> Row:
    open_still = {other.name for other in state.plan if other.output is None}
    waits = [name for name in step.depends_on if name in open_still]
    if step.output is not None:
        return Styled("done", _STYLES["done"]), Styled(step.name, "bold"), _cut(step.output)
    if waits:
        return Styled("waits", _STYLES["waits"]), Styled(step.name, "bold"), f"for {', '.join(waits)}"
    return Styled("open", _STYLES["open"]), Styled(step.name, "bold"), _cut(step.description)


def _question(asked: "Question") -> Row:
    told = Styled("no answer yet", "yellow") if asked.answer is None else Styled(_cut(asked.answer), "green")
    return Styled(asked.participant, "bold"), _cut(asked.text), told


def _task(task: "Task") -> Row:
    who = task.agent or task.participant or "the same agent"
    came = f"{who}: {_cut(task.result)}" if task.result else who
    return _standing(task.standing), Styled(task.name, "bold"), came


def _standing(standing: str) -> Cell:
    return Styled(standing.replace("_", " "), _STYLES.get(standing, ""))


def _cut(text: str) -> str:
    return text if len(text) <= _MOST else f"{text[:_MOST]} ..."


def _text(cell: Cell) -> str:
    return output.visible(cell if isinstance(cell, str) else cell.text)


__all__ = ["document", "draw", "workflow_of"]
