"""``licet why --refused``: what the refusals of a run would have needed. It applies nothing."""

import argparse
from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from . import principal
from .exits import DONE

if TYPE_CHECKING:
    from ..model.tool import ToolSpec
    from .story import Told

WRITING = "workspace-write"


class Needs(NamedTuple):
    """Options that would have let refused calls through, and refusals that no grant and no mode changes."""

    grants: tuple[str, ...]
    mode: str | None
    unknown: tuple[str, ...]
    """Granted or to be granted, but registered nowhere that this command looks."""
    others: dict[tuple[str, str], int]
    """Tool and reason, and how often."""

    @property
    def options(self) -> list[str]:
        """Ready for a shell."""
        from shlex import quote

        words = [f"--grant {quote(name)}" for name in self.grants]
        return [*words, f"--mode {self.mode}"] if self.mode else words


def explain_refused(arguments: argparse.Namespace) -> int:
    from .configured import ledger_to_read
    from .records import known_run, opened
    from .story import calls_of

    specs = principal.specs_of(principal.registered_from(arguments))
    with opened(ledger_to_read(arguments, arguments.ledger)) as records:
        run_id = known_run(records.runs(), arguments.refused)
        calls = calls_of(records.entries(run_id))
    needs = needs_of(calls, specs)
    _told(run_id, needs, sum(call.outcome == "refused" for call in calls), as_json=arguments.json)
    return DONE


def needs_of(calls: "Iterable[Told]", specs: "Iterable[ToolSpec]") -> Needs:
    """What the refused among these calls would have needed.

    A grant is asked for first, so a writing tool that was refused for its grant would have met the mode next: the mode
    is in the answer too.
    """
    from ..model.names import short
    from .remedy import is_name

    known = {spec.name: spec for spec in specs}
    grants: dict[str, None] = {}
    unknown: dict[str, None] = {}
    others: Counter[tuple[str, str]] = Counter()
    writing = False
    for call in calls:
        if call.outcome != "refused":
            continue
        name = short(call.tool)
        spec = known.get(call.tool)
        if call.code == "not_granted" and is_name(name):
            grants[name] = None
            if spec is None:
                unknown[name] = None
            elif not spec.capabilities.read_only and spec.tool_type != "intrinsic":
                writing = True
        elif call.code == "mode_forbids":
            writing = True
        else:
            others[name, call.reason or call.code] += 1
    return Needs(tuple(sorted(grants)), WRITING if writing else None, tuple(sorted(unknown)), dict(others))


def _told(run_id: str, needs: Needs, refused: int, *, as_json: bool) -> None:
    from . import output

    if as_json:
        output.document(
            {
                "run": run_id,
                "refused": refused,
                "grants": list(needs.grants),
                "mode": needs.mode,
                "options": needs.options,
                "not_registered_here": list(needs.unknown),
                "others": [
                    {"tool": tool, "reason": reason, "times": times} for (tool, reason), times in needs.others.items()
                ],
            }
        )
        return
    output.say(f"licet: run {run_id}: {refused} refused")
    if needs.options:
        output.line(" ".join(needs.options))
    for name in needs.unknown:
        output.say(f"licet: {name} is not registered here; with --from MODULE:ATTR its mode is told too")
    for (tool, reason), times in needs.others.items():
        output.say(f"licet: {tool} was refused {_times(times)} for {reason}, which no grant changes")
    if refused and needs.options:
        output.say("licet: nothing was applied; grant only what the task needs")


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number} times"


__all__ = ["Needs", "explain_refused", "needs_of"]
