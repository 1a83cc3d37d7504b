"""A scenario while it is played: what comes onto its ledger, line by line; with colours on a terminal."""

from typing import TYPE_CHECKING, Any

import orjson

from . import output
from .output import Styled

if TYPE_CHECKING:
    from ..model.entry import Draft
    from ..project.scenario import Scenario

_OUTCOMES = {"tool.completed": ("", "green"), "tool.failed": ("failed", "red"), "tool.abandoned": ("abandoned", "red")}
_REFUSED = ("refused", "yellow")
_SHOWN = 300
"""Characters of one text that a line shows."""


class RunView:
    """``see`` is what a ledger calls. ``quietly``: nothing but the run's id is said."""

    def __init__(self, scenario: "Scenario", *, quietly: bool) -> None:
        self._scenario = scenario
        self._quietly = quietly
        self._asked: dict[str, dict[str, Any]] = {}
        self._who = ""
        self._wide = max(map(len, scenario.cast))

    def see(self, draft: "Draft") -> None:
        """Show one entry, if it tells something of the story."""
        body: dict[str, Any] = orjson.loads(draft.body)
        if draft.kind == "pin.first_use":
            output.say(f"licet: {body.get('server')} is pinned for this run only, as it is now")
        elif draft.kind == "scenario.opened":
            output.say(f"run {draft.run_id}")
            self._open(body)
        elif draft.run_id and not self._quietly:
            self._tell(draft, body)

    def _open(self, body: dict[str, Any]) -> None:
        if self._quietly:
            return
        output.styled_line(Styled(self._scenario.title, "bold underline"), Styled(f"  seed {body['seed']}", "dim"))
        for text in filter(None, body["text"].splitlines()):
            output.styled_line(Styled(text, "italic"))

    def _tell(self, draft: "Draft", body: dict[str, Any]) -> None:
        kind = draft.kind
        if kind == "tool.requested":
            self._asked[body["call"]] = body
        elif kind in _OUTCOMES or kind in ("tool.refused", "tool.denied"):
            self._call(draft, {**self._asked.pop(body["call"], {}), **body})
        elif kind in ("scenario.event_refused", "scenario.limited", "scenario.turn_failed"):
            why = body.get("limit") or body.get("message") or body.get("reason") or ""
            self._line(draft.actor, Styled(f"{body.get('code')} {why}".strip(), "yellow"))
        elif not kind.startswith(("scenario.", "grant.", "model.", "tool.", "workflow.")):
            self._event(draft, body)

    def _call(self, draft: "Draft", call: dict[str, Any]) -> None:
        from ..model.names import short

        told, style = _OUTCOMES.get(draft.kind, _REFUSED)
        arguments = _cut(output.json_text(call.get("arguments", {})))
        outcome = f"  {told} ({call.get('code') or 'no end'})" if told else ""
        name = short(str(call.get("tool", "")))
        self._line(draft.actor, Styled(name, "cyan"), Styled(f" {arguments}", "dim"), Styled(outcome, style))

    def _event(self, draft: "Draft", payload: dict[str, Any]) -> None:
        self._line(draft.actor, Styled(draft.kind, "bold green"))
        for name, value in payload.items():
            text = value if isinstance(value, str) else output.json_text(value)
            output.styled_line(Styled(f"{name}  ", "dim"), _cut(text), indent=self._wide + 4)

    def _line(self, who: str, *cells: "output.Cell") -> None:
        shown = f"{who:<{self._wide}}  " if who != self._who else " " * (self._wide + 2)
        self._who = who
        output.styled_line(Styled(shown, "bold magenta"), *cells)


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]} ..."


__all__ = ["RunView"]
