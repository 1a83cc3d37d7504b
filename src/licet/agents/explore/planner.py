"""The planner that stands where a language model would: it asks for calls, reads their results, and ends with words."""

from asyncio import sleep
from collections.abc import Sequence

from ...model.tool import Offered
from ...ports import Message
from .fact import Findings
from .markdown import markdown
from .page import findings_page
from .survey import survey


class ScriptedPlanner:
    """A ``Model`` without a model. It sees nothing of the project but the results in the conversation.

    It counts the lines of at most ``most_counted`` files and estimates the rest. ``findings`` are there once its last
    message is.
    """

    name = "scripted planner, no model"

    def __init__(self, project: str, most_counted: int) -> None:
        self.findings: Findings | None = None
        self._survey = survey(project, most_counted)
        self._begun = False

    async def respond(self, conversation: Sequence[Message], tools: Sequence[Offered], /) -> Message:
        """The next calls, or the report in Markdown."""
        await sleep(0)  # calls on the caller's thread never let the loop see that somebody interrupts
        try:
            asked = self._survey.send(conversation[-1].results) if self._begun else next(self._survey)
        except StopIteration as end:
            self.findings = end.value
            return Message("assistant", markdown(findings_page(end.value)))
        self._begun = True
        return Message("assistant", calls=asked)
