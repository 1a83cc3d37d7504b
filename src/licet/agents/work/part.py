"""A sub-task in the hands of its agent: a turn of its manifest's handler, whose events stand on a run of their own."""

from collections.abc import Sequence
from typing import Literal

import orjson

from ...dialects.untrusted import escaped
from ...errors import (
    AnswerError,
    ConfigurationError,
    EmissionViolation,
    LicetError,
    LimitExceededError,
    ProviderError,
    ToolError,
)
from ...intrinsics.rules import OVER
from ...model.event import Event
from ...project.manifest import Manifest
from ...runtime.run import Run
from ...schema.canonical import freeze
from ..cast.agent import ManifestAgent
from ..cast.scene import Scene
from ..scenario.journal import EVENT_REFUSED, MOST_EVENT_BYTES, TURN_FAILED, Journal
from ..workflow import Driver, Scope
from ..workflow.apply import MOST_RESULT
from .place import Place

_OF_THE_WHOLE = "max_total_tokens"


async def part(place: Place, manifest: Manifest, run: Run, driver: Driver, scope: Scope, scene: Scene) -> None:
    """Let it act. Then its task is over, with what it said last as the result, or waits for somebody.

    What it may not do, or what fails, ends the task as failed and nothing else.

    Raises:
        LedgerUnavailableError: no ledger, no work.
        LimitExceededError: no tokens are left in the whole.
        ReplayError: the entries of a sub-task of its own do not lead where they say.
    """
    if driver.state.tasks[0].standing in OVER:
        return
    journal = Journal(place.runtime.ledger, place.clock, run.id)
    close = None
    try:
        model = place.model(manifest)
        close = getattr(model, "close", None)
        agent = ManifestAgent(manifest, place.registry, model=model, run=run, handlers=place.handlers)
        agent.scope, agent.drive, run.task = scope, driver, driver
        events = await agent.act(scene)
    except EmissionViolation as exc:
        journal.note(EVENT_REFUSED, manifest.name, {"code": exc.code, "message": escaped(str(exc))})
        _end(driver, "failed", str(exc))
    except (ToolError, ProviderError, AnswerError, ConfigurationError) as exc:
        if isinstance(exc, LimitExceededError) and exc.reason == _OF_THE_WHOLE:
            raise
        journal.note(TURN_FAILED, manifest.name, _told(exc))
        _end(driver, "failed", f"{exc.code}: {exc}")
    else:
        for event in events:
            payload, _ = freeze(event.payload, limit_bytes=MOST_EVENT_BYTES)
            journal.event(event.kind, event.actor, payload)
        if driver.waits_for is None:
            _end(driver, "done" if events else "failed", _said(events) or "it said nothing")
    finally:
        if close is not None:
            await close()


def _end(driver: Driver, how: Literal["done", "failed"], text: str) -> None:
    """Its task is over, unless its handler ended it itself."""
    task = driver.state.tasks[0]
    if task.standing not in OVER:
        driver.end(task.id, how, shortened(text))


def _said(events: Sequence[Event]) -> str:
    """What came of it: the text of its last event, or all that the event holds."""
    if not events:
        return ""
    payload = events[-1].payload
    text = payload.get("text")
    return text if isinstance(text, str) else orjson.dumps(payload, option=orjson.OPT_SORT_KEYS).decode()


def _told(error: LicetError) -> dict[str, str]:
    tool = escaped(error.tool_name) if isinstance(error, ToolError) else ""
    return {"code": error.code, "reason": getattr(error, "reason", ""), "tool": tool}


def shortened(text: str) -> str:
    """A text that a task can have as its result."""
    return text if len(text) <= MOST_RESULT else f"{text[: MOST_RESULT - 4]} ..."


__all__ = ["part", "shortened"]
