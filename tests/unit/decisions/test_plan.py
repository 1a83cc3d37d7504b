"""A plan puts stored runs side by side, and starts nothing."""

from typing import Any

import pytest

from licet.decisions.error import DecisionError
from licet.decisions.plan import plan_decision
from licet.decisions.simulation.run import Run
from licet.decisions.simulation.simulate import simulate

X = {"name": "x", "low": -1, "high": 3}


class Kept:
    """Runs of two tenants."""

    def __init__(self, **runs: Run) -> None:
        self.runs = {("ours", name): run for name, run in runs.items()}
        self.asked: list[tuple[str, str]] = []

    def get(self, tenant: str, run_id: str) -> Run | None:
        self.asked.append((tenant, run_id))
        return self.runs.get((tenant, run_id))


def run(objective: Any, unit: str = "EUR") -> Run:
    return simulate({"variables": [X], "objective": objective, "n_simulations": 2_000, "seed": 5, "unit": unit})


def test_a_plan_names_the_best_option_of_its_runs_with_its_risk() -> None:
    runs = Kept(a=run({"wait": "0", "act": "x"}), b=run("x - 4"))
    plan = plan_decision("ours", {"run_ids": ["a", "b"], "context": "for spring"}, runs)
    assert [(one["run_id"], one["action"]) for one in plan["options"]] == [
        ("a", "act"),
        ("a", "wait"),
        ("b", "proceed"),
    ]
    assert plan["recommended_action"] == "act"
    act = runs.runs["ours", "a"].judged("act")
    assert plan["risk"]["p5_downside"] == act.p5_downside._asdict()
    assert plan["options"][0]["share_best"] == act.best._asdict()
    assert str(act.expected_value) in plan["rationale"]
    assert plan["executes"] is False
    assert plan["context"] == "for spring"


def test_a_plan_of_actions_needs_no_run() -> None:
    actions = [{"name": name, "variables": [X], "objective": gained} for name, gained in (("a", "x"), ("b", "2 * x"))]
    runs = Kept()
    plan = plan_decision("ours", {"actions": actions, "unit": "EUR"}, runs)
    assert plan["recommended_action"] == "b"
    assert plan["risk"] is None
    assert (plan["run_ids"], runs.asked) == ([], [])


def test_options_in_different_units_have_no_best() -> None:
    plan = plan_decision("ours", {"run_ids": ["a", "b"]}, Kept(a=run("x"), b=run("x", "hours")))
    assert plan["recommended_action"] is None
    assert "EUR, hours" in plan["rationale"]


def test_an_only_option_that_is_expected_to_lose_is_not_recommended() -> None:
    plan = plan_decision("ours", {"run_ids": ["a"]}, Kept(a=run("x - 5")))
    assert (plan["recommended_action"], plan["risk"]) == (None, None)


def test_another_tenants_run_is_as_unknown_as_none() -> None:
    told = []
    for tenant, run_id in (("theirs", "a"), ("ours", "never")):
        with pytest.raises(DecisionError) as caught:
            plan_decision(tenant, {"run_ids": [run_id]}, Kept(a=run("x")))
        told.append(caught.value.told())
    assert told[0] == told[1]
    assert told[0]["error"]["status"] == 404
    assert told[0]["error"]["code"] == "run_not_found"


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"run_ids": []},
        {"run_ids": ["a", "a"]},
        {"run_ids": ["a"], "unit": "EUR"},
        {"run_ids": ["a"], "actions": [{"name": "a", "variables": [X], "objective": "x"}] * 2},
        {"run_ids": ["a"], "force": True},
        {"run_ids": [1]},
        {"run_ids": ["a"], "context": "x" * 5_000},
    ],
)
def test_bad_arguments_are_named_and_no_run_is_looked_up(arguments: dict[str, Any]) -> None:
    runs = Kept(a=run("x"))
    with pytest.raises(DecisionError) as caught:
        plan_decision("ours", arguments, runs)
    assert caught.value.reason == "invalid_arguments"
    assert runs.asked == []
