"""A simulation meets what is known in closed form, repeats itself by its seed, and stops when told."""

import math
from typing import Any

import numpy as np
import pytest

from licet.decisions.error import DecisionError
from licet.decisions.simulation.run import Figure, Run
from licet.decisions.simulation.simulate import simulate

MANY = 200_000


def law(name: str, kind: str, **parameters: Any) -> dict[str, Any]:
    return {"name": name, "distribution": {"kind": kind, "parameters": parameters}}


def uniform(name: str, low: float, high: float) -> dict[str, Any]:
    return {"name": name, "low": low, "high": high}


def run(objective: Any, *variables: dict[str, Any], **more: Any) -> Run:
    told = {"variables": list(variables), "objective": objective, "n_simulations": MANY, "seed": 7, **more}
    return simulate(told)


Z95 = 1.6448536269514722
TRIANGLE = {"name": "x", "low": 1, "mode": 2, "high": 5}
NORMAL = law("x", "normal", mean=3, sd=2)
DICE = law("x", "discrete", values=[1, 2, 3, 4, 5, 6], probabilities=[1 / 6] * 6)
WIDE = law("x", "lognormal", mu=0.5, sigma=0.4)

CLOSED: list[tuple[str, str, list[dict[str, Any]], str, float]] = [
    ("uniform mean", "x", [uniform("x", -2, 6)], "expected_value", 2.0),
    ("uniform loss", "x", [uniform("x", -2, 6)], "probability_of_loss", 0.25),
    ("uniform p5", "x", [uniform("x", -2, 6)], "p5_downside", -1.6),
    ("uniform p95", "x", [uniform("x", -2, 6)], "p95_upside", 5.6),
    ("triangular mean", "x", [TRIANGLE], "expected_value", 8 / 3),
    ("triangular p5", "x", [TRIANGLE], "p5_downside", 1 + math.sqrt(0.05 * 4 * 1)),
    ("triangular p95", "x", [TRIANGLE], "p95_upside", 5 - math.sqrt(0.05 * 4 * 3)),
    ("triangular loss", "x - 2", [TRIANGLE], "probability_of_loss", 0.25),
    ("normal mean", "x", [NORMAL], "expected_value", 3.0),
    ("normal loss", "x", [NORMAL], "probability_of_loss", 0.5 * math.erfc(1.5 / math.sqrt(2))),
    ("normal p5", "x", [NORMAL], "p5_downside", 3 - 2 * Z95),
    ("normal p95", "x", [NORMAL], "p95_upside", 3 + 2 * Z95),
    ("normal square", "x ** 2", [NORMAL], "expected_value", 13.0),
    ("lognormal mean", "x", [WIDE], "expected_value", math.exp(0.58)),
    ("lognormal p5", "x", [WIDE], "p5_downside", math.exp(0.5 - 0.4 * Z95)),
    ("lognormal p95", "x", [WIDE], "p95_upside", math.exp(0.5 + 0.4 * Z95)),
    ("discrete mean", "x", [DICE], "expected_value", 3.5),
    ("discrete loss", "x - 3", [DICE], "probability_of_loss", 1 / 3),
    ("product mean", "x * y", [uniform("x", 1, 3), law("y", "normal", mean=5, sd=1)], "expected_value", 10.0),
    ("sum p5", "x + y", [NORMAL, law("y", "normal", mean=1, sd=1.5)], "p5_downside", 4 - 2.5 * Z95),
    ("exponential mean", "exp(x)", [uniform("x", 0, 1)], "expected_value", math.e - 1),
    ("maximum mean", "max(x, y)", [uniform("x", 0, 1), uniform("y", 0, 1)], "expected_value", 2 / 3),
    ("choice mean", "1 if x > 4 else 0", [DICE], "expected_value", 1 / 3),
]


@pytest.mark.parametrize(("objective", "variables", "figure", "exact"), [case[1:] for case in CLOSED])
def test_a_closed_form_lies_within_four_standard_errors(
    objective: str, variables: list[dict[str, Any]], figure: str, exact: float
) -> None:
    found: Figure = getattr(run(objective, *variables).leading, figure)
    assert 0 < found.standard_error < 0.1
    assert abs(found.value - exact) < 4 * found.standard_error


def test_figures_are_those_of_numpy_over_all_draws() -> None:
    """In blocks or at once: the streams, the quantiles and the errors are the same."""
    streams = [np.random.Generator(np.random.PCG64(child)) for child in np.random.SeedSequence(7).spawn(2)]
    values = streams[0].uniform(-2.0, 6.0, MANY) * streams[1].normal(3.0, 2.0, MANY)
    leading = run("x * y", uniform("x", -2, 6), law("y", "normal", mean=3, sd=2)).leading
    assert leading.expected_value.value == pytest.approx(values.mean(), rel=1e-12)
    assert leading.expected_value.standard_error == pytest.approx(values.std(ddof=1) / math.sqrt(MANY), rel=1e-9)
    assert [leading.p5_downside.value, leading.p95_upside.value] == pytest.approx(list(np.percentile(values, (5, 95))))
    assert leading.probability_of_loss.value == (values < 0).mean()
    assert leading.best.value == (values > 0).mean()


def test_the_same_seed_gives_the_same_digest_and_another_another() -> None:
    first, again = run("x", NORMAL), run("x", NORMAL)
    assert first == again
    assert first.digest.startswith("sha256:")
    assert run("x", NORMAL, seed=8).digest != first.digest
    chosen = simulate({"variables": [NORMAL], "objective": "x", "n_simulations": 50})
    repeated = simulate({"variables": [NORMAL], "objective": "x", "n_simulations": 50, "seed": chosen.seed})
    assert repeated == chosen


def test_another_variable_changes_no_draw_of_the_first() -> None:
    assert run("x", NORMAL, uniform("unused", 0, 1)).options == run("x", NORMAL).options


def test_the_envelope_has_nine_members_and_its_rationale_every_unit_and_error() -> None:
    found = run("x - 1", NORMAL, unit="EUR")
    envelope = found.envelope("run-1")
    assert list(envelope) == [
        "recommended_action",
        "confidence",
        "rationale",
        "expected_value",
        "probability_of_loss",
        "p5_downside",
        "p95_upside",
        "scenarios_run",
        "run_id",
    ]
    assert (envelope["recommended_action"], envelope["scenarios_run"], envelope["run_id"]) == ("proceed", MANY, "run-1")
    leading = found.leading
    for figure in (leading.expected_value, leading.probability_of_loss, leading.p5_downside, leading.p95_upside):
        assert str(figure) in envelope["rationale"]
    assert f"{leading.best}" in envelope["rationale"]
    assert envelope["confidence"] == leading.best.value
    assert "EUR (standard error " in envelope["rationale"]


def test_one_action_that_is_expected_to_lose_is_held_with_little_confidence() -> None:
    found = run("x - 10", NORMAL)
    assert found.recommended_action == "hold"
    assert found.confidence < 0.01


def test_actions_are_compared_on_the_same_draws() -> None:
    found = run({"wait": "x", "act": "x + 0.5", "pay": "x - 9"}, NORMAL)
    assert [one.action for one in found.options] == ["act", "pay", "wait"]
    assert found.recommended_action == "act"
    assert found.confidence == 1.0
    assert found.judged("wait").best.value == 0.0
    with pytest.raises(DecisionError, match="choose one of: act, pay, wait") as caught:
        found.judged("other")
    assert caught.value.reason == "action_not_in_run"
    assert run("x", NORMAL).judged("whatever it is called").action == "proceed"


def test_a_tie_is_nobodys_confidence() -> None:
    assert run({"a": "x", "b": "x"}, NORMAL).confidence == 0.0


def test_a_stored_run_is_read_as_it_was() -> None:
    found = run({"a": "x", "b": "0"}, NORMAL)
    assert Run.read(found.document()) == found


def test_a_constant_objective_has_no_error() -> None:
    leading = run("4", NORMAL).leading
    assert (leading.expected_value.value, leading.expected_value.standard_error) == (4.0, 0.0)
    assert leading.p5_downside == Figure(4.0, "units of the objective", 0.0)


def test_one_draw_is_a_simulation() -> None:
    leading = run("x", NORMAL, n_simulations=1).leading
    assert leading.expected_value.value == leading.p5_downside.value == leading.p95_upside.value


def test_progress_is_told_to_the_end_and_a_stop_is_heard_between_blocks() -> None:
    told: list[tuple[int, int]] = []
    arguments = {"variables": [NORMAL], "objective": "x", "n_simulations": MANY, "seed": 1}
    simulate(arguments, progress=lambda done, total: told.append((done, total)))
    assert told == sorted(told)
    assert told[-1] == (MANY, MANY)
    assert len(told) > 2
    with pytest.raises(DecisionError) as caught:
        simulate(arguments, progress=lambda done, total: told.append((done, total)), stop=lambda: told[-1][0] < MANY)
    # The last figure told was the whole of the run before, so a first block was drawn, and no second.
    assert caught.value.reason == "simulation_stopped"
    assert caught.value.status == 503
    assert told[-1][0] < MANY


UNDEFINED = (
    "1 / (x - x)",
    "log(-1)",
    "sqrt(-x)",
    "exp(9999)",
    "0 ** -1",
    "10 ** 10 ** 10",
    "(x - x) / 0",
    "1e200 * x",
    "-1e308 * x",
)


@pytest.mark.parametrize("objective", UNDEFINED)
def test_an_objective_without_a_finite_value_somewhere_is_an_error(objective: str) -> None:
    with pytest.raises(DecisionError, match="no finite value") as caught:
        run(objective, uniform("x", 1, 2))
    assert caught.value.reason == "objective_undefined"


def test_a_million_simulations_of_a_thousand_variables_are_refused_at_once() -> None:
    variables = [uniform(f"x{n}", 0, 1) for n in range(1_000)]
    with pytest.raises(DecisionError, match="use at most 100000") as caught:
        run("x0", *variables, n_simulations=1_000_000)
    assert caught.value.reason == "simulation_too_large"
    assert run("x0 + x999", *variables, n_simulations=1_000).scenarios_run == 1_000


BAD: list[tuple[dict[str, Any], str]] = [
    ({"objective": "y"}, "unknown_name"),
    ({"objective": "__import__('os')"}, "invalid_expression"),
    ({"objective": {}}, "invalid_arguments"),
    ({"objective": {"a\nb": "x"}}, "invalid_label"),
    ({"objective": ["x"]}, "invalid_arguments"),
    ({"n_simulations": 0}, "invalid_arguments"),
    ({"n_simulations": 10**9}, "simulation_too_large"),
    ({"n_simulations": 1.5}, "invalid_arguments"),
    ({"seed": -1}, "invalid_arguments"),
    ({"seed": True}, "invalid_arguments"),
    ({"unit": "\u202eEUR"}, "invalid_label"),
    ({"force": True}, "invalid_arguments"),
    ({"variables": []}, "invalid_arguments"),
    ({"variables": [NORMAL, NORMAL]}, "invalid_variable"),
    ({"variables": [uniform("min", 0, 1)]}, "invalid_variable"),
    ({"variables": [uniform("x; y", 0, 1)]}, "invalid_variable"),
    ({"variables": [{"name": "x"}]}, "invalid_distribution"),
    ({"variables": [{"name": "x", "low": 2, "high": 1}]}, "invalid_distribution"),
    ({"variables": [{"name": "x", "low": 1, "high": 2, "mode": 3}]}, "invalid_distribution"),
    ({"variables": [{**NORMAL, "low": 1}]}, "invalid_distribution"),
    ({"variables": [law("x", "cauchy", scale=1)]}, "invalid_arguments"),
    ({"variables": [law("x", "normal", mean=1)]}, "invalid_distribution"),
    ({"variables": [law("x", "normal", mean=1, sd=-1)]}, "invalid_distribution"),
    ({"variables": [law("x", "normal", mean=[1], sd=1)]}, "invalid_distribution"),
    ({"variables": [law("x", "normal", mean=1e200, sd=1)]}, "invalid_distribution"),
    ({"variables": [law("x", "normal", mean=float("nan"), sd=1)]}, "invalid_arguments"),
    ({"variables": [law("x", "lognormal", mu=0, sigma=1e9)]}, "invalid_distribution"),
    ({"variables": [law("x", "discrete", values=[1], probabilities=[0.5])]}, "invalid_distribution"),
    ({"variables": [law("x", "discrete", values=[1, 2], probabilities=[1])]}, "invalid_distribution"),
    ({"variables": [law("x", "discrete", values=[1, 2], probabilities=[2, -1])]}, "invalid_distribution"),
    ({"variables": [law("x", "discrete", values=1, probabilities=1)]}, "invalid_distribution"),
]


@pytest.mark.parametrize(("wrong", "reason"), BAD)
def test_bad_arguments_are_named(wrong: dict[str, Any], reason: str) -> None:
    with pytest.raises(DecisionError) as caught:
        simulate({"variables": [NORMAL], "objective": "x", "n_simulations": 10, **wrong})
    assert caught.value.reason == reason
    assert caught.value.told()["error"]["status"] == 422
