"""What a simulation found: the facts that are stored, and the envelope that its caller gets."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from ..error import DecisionError

PROCEED = "proceed"
"""What the one action of an objective without names is called."""

HOLD = "hold"
"""What is recommended where the only action is expected to lose, or to gain nothing."""


class Figure(NamedTuple):
    """A number with its unit (``share`` for 0 to 1) and the standard error of its estimate, in the same unit."""

    value: float
    unit: str
    standard_error: float

    def __str__(self) -> str:
        return f"{self.value:.6g} {self.unit} (standard error {self.standard_error:.3g} {self.unit})"


class Option(NamedTuple):
    """One action over all draws. ``best`` is the share of draws in which it is.

    Best is strictly above every other action, or above zero where it is the only one: a tie is nobody's.
    """

    action: str
    expected_value: Figure
    probability_of_loss: Figure
    p5_downside: Figure
    p95_upside: Figure
    best: Figure

    def document(self) -> dict[str, Any]:
        """``{action, expected_value: {value, unit, standard_error}, ...}``."""
        return {"action": self.action, **{name: getattr(self, name)._asdict() for name in self._fields[1:]}}


class Run(NamedTuple):
    """A finished simulation.

    ``digest`` (sha256) is of the arguments, the seed and every value of every action, in order: the same seed, NumPy
    and kind of processor give the same. ``options`` stand in the order of their names.
    """

    options: tuple[Option, ...]
    recommended_action: str
    scenarios_run: int
    seed: int
    digest: str

    @property
    def leading(self) -> Option:
        """The option with the highest expected value, the first of equals."""
        return max(self.options, key=lambda one: one.expected_value.value)

    @property
    def confidence(self) -> float:
        """0 to 1, of the leading option."""
        return self.leading.best.value

    @property
    def p5_downside(self) -> float:
        """In the objective's unit, of the leading option."""
        return self.leading.p5_downside.value

    def judged(self, chosen_action: str) -> Option:
        """The option whose numbers the gates see when this action is chosen; the only one, whatever it is called.

        Raises:
            DecisionError: ``action_not_in_run`` (422): several were simulated, and this is none of them.
        """
        if len(self.options) == 1:
            return self.options[0]
        for one in self.options:
            if one.action == chosen_action:
                return one
        known = ", ".join(one.action for one in self.options)
        raise DecisionError("action_not_in_run", f"the run compared other actions; choose one of: {known}")

    @property
    def rationale(self) -> str:
        """Every figure of the envelope with its unit and standard error, and what the run rests on."""
        leading = self.leading
        over = "exceeds zero" if len(self.options) == 1 else "is above every other action"
        told = [
            f"{leading.action}: expected value {leading.expected_value}",
            f"probability of loss {leading.probability_of_loss}",
            f"5th percentile {leading.p5_downside}",
            f"95th percentile {leading.p95_upside}",
            f"it {over} in {leading.best} of the draws",
            f"{self.scenarios_run} draws, seed {self.seed}, digest {self.digest}",
        ]
        others = [f"{one.action}: expected value {one.expected_value}" for one in self.options if one is not leading]
        return "; ".join([*told, *others]) + "."

    def envelope(self, run_id: str) -> dict[str, Any]:
        """The decision envelope: these nine members and no other."""
        leading = self.leading
        return {
            "recommended_action": self.recommended_action,
            "confidence": self.confidence,
            "rationale": self.rationale,
            "expected_value": leading.expected_value.value,
            "probability_of_loss": leading.probability_of_loss.value,
            "p5_downside": self.p5_downside,
            "p95_upside": leading.p95_upside.value,
            "scenarios_run": self.scenarios_run,
            "run_id": run_id,
        }

    def document(self) -> dict[str, Any]:
        """As JSON, to be stored."""
        return {**self._asdict(), "options": [one.document() for one in self.options]}

    @classmethod
    def read(cls, document: Mapping[str, Any]) -> "Run":
        """The run of a stored document, exactly as it was."""
        options = tuple(
            Option(one["action"], *(Figure(**one[name]) for name in Option._fields[1:])) for one in document["options"]
        )
        return cls(**{**document, "options": options})
