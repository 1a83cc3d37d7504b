"""A recommendation is exact where moments are, and names its sample where they are not."""

from typing import Any

import pytest

from licet.decisions.error import DecisionError
from licet.decisions.simulation.recommend import POINTS, recommend
from licet.decisions.simulation.simulate import simulate

PRICE = {"name": "price", "low": 8, "mode": 9, "high": 12}
UNITS = {"name": "units", "distribution": {"kind": "normal", "parameters": {"mean": 100, "sd": 20}}}
LOG = {"name": "growth", "distribution": {"kind": "lognormal", "parameters": {"mu": 0.1, "sigma": 0.2}}}
DICE = {
    "name": "eyes",
    "distribution": {"kind": "discrete", "parameters": {"values": [1, 6], "probabilities": [0.5, 0.5]}},
}


def action(name: str, objective: str, *variables: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, "variables": list(variables or (PRICE, UNITS)), "objective": objective}


@pytest.mark.requirement("engine.recommend-without-simulation")
def test_moments_in_closed_form_rank_the_actions() -> None:
    told = recommend({"actions": [action("keep", "900"), action("raise", "price * units")], "unit": "EUR"})
    assert told["recommended_action"] == "raise"
    assert (told["method"], told["points"]) == ("closed_form", 0)
    assert [one["action"] for one in told["ranking"]] == ["raise", "keep"]
    first = told["ranking"][0]
    assert first["expected_value"] == {"value": pytest.approx(2900 / 3), "unit": "EUR", "standard_error": 0.0}
    # Var(XY) = E[X²]E[Y²] - (E[X]E[Y])²; the variance of the triangle is (8² + 9² + 12² - 8·9 - 8·12 - 9·12) / 18.
    variance = (13 / 18 + (29 / 3) ** 2) * (100**2 + 20**2) - (2900 / 3) ** 2
    assert first["standard_deviation"]["value"] == pytest.approx(variance**0.5)
    assert "run_id" not in str(told)


@pytest.mark.parametrize(
    "objective",
    [
        "price ** 3 - 2 * price",
        "units ** 4 / 1e6",
        "growth ** 2 * price - units / 3",
        "-(price - units) ** 2",
        "eyes * growth + 1",
        "(price + growth + eyes) * (units - 7)",
    ],
)
def test_a_closed_form_agrees_with_a_simulation(objective: str) -> None:
    variables = [PRICE, UNITS, LOG, DICE]
    told = recommend({"actions": [action("it", objective, *variables), action("not", "0", PRICE)]})
    exact = next(one for one in told["ranking"] if one["action"] == "it")
    assert exact["method"] == "closed_form"
    drawn = simulate({"variables": variables, "objective": objective, "n_simulations": 200_000, "seed": 3}).leading
    error = drawn.expected_value.standard_error
    assert abs(exact["expected_value"]["value"] - drawn.expected_value.value) < 4 * error
    assert exact["standard_deviation"]["value"] == pytest.approx(error * 200_000**0.5, rel=0.03)


@pytest.mark.parametrize(
    "objective", ["max(price, 9) * units", "exp(growth)", "1 / price", "price if units > 90 else 0"]
)
def test_what_has_no_closed_form_is_a_sample_that_is_named(objective: str) -> None:
    arguments = {"actions": [action("keep", "0", PRICE), action("it", objective, PRICE, UNITS, LOG)]}
    told = recommend(arguments)
    assert (told["method"], told["points"]) == ("sample", POINTS)
    assert f"a sample of {POINTS} points" in told["rationale"]
    first = told["ranking"][0]
    assert first["action"] == "it"
    assert first["expected_value"]["standard_error"] > 0
    assert recommend(arguments) == told


def test_a_polynomial_beyond_the_limits_is_sampled_and_takes_no_long_time() -> None:
    variables = [{"name": f"x{n}", "low": 0, "high": 1} for n in range(16)]
    long = " * ".join("(" + "+".join(one["name"] for one in variables) + ")" for _ in range(8))
    told = recommend({"actions": [action("long", long, *variables), action("deep", "x0 ** 4 ** 2", *variables)]})
    assert {one["method"] for one in told["ranking"]} == {"sample"}


def test_a_certain_value_has_no_deviation() -> None:
    fixed = {"name": "price", "low": 3, "high": 3}
    told = recommend({"actions": [action("a", "price * price", fixed), action("b", "1", fixed)]})
    assert [one["standard_deviation"]["value"] for one in told["ranking"]] == [0.0, 0.0]


@pytest.mark.parametrize(
    ("actions", "reason"),
    [
        ([action("a", "1")], "invalid_arguments"),
        ([action("a", "1"), action("a", "2")], "invalid_arguments"),
        ([action("a", "1"), action("b", "price.real")], "invalid_expression"),
        ([action("a", "1"), action("b", "cost")], "unknown_name"),
        ([action("a", "1"), action("b\x1b[2J", "2")], "invalid_label"),
        ([action("a", "1"), action("b", "log(price - price)")], "objective_undefined"),
        ([action("a", "1"), {**action("b", "2"), "override_safety": True}], "invalid_arguments"),
    ],
)
def test_bad_actions_are_named(actions: list[dict[str, Any]], reason: str) -> None:
    with pytest.raises(DecisionError) as caught:
        recommend({"actions": actions})
    assert caught.value.reason == reason
